package io.strandline.spark.source;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.when;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.IncrementalSource;
import io.strandline.source.ReadCounts;
import io.strandline.source.Reading;
import io.strandline.source.SourcePlan;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.expressions.Window;

/**
 * Reads what was inserted, updated and deleted in a Delta table since the stored version, from the
 * table's change feed. The watermark is the version of the table.
 *
 * <p>The rows have the columns of the table and those of the feed:
 *
 * <ul>
 *   <li>{@code _change_type STRING}: {@code insert}, {@code update_postimage} or {@code delete}
 *   <li>{@code _commit_version BIGINT}: the version that made the change, which is the watermark
 *       column
 *   <li>{@code _commit_timestamp TIMESTAMP}: when it was committed
 * </ul>
 *
 * <p>Of each commit a key has one row at most: as it was after the commit or, if it was gone then,
 * a delete. That holds for a row whose key was changed too: the old key is deleted. Changes of
 * several commits are all read; the target takes the newest of each key. A delete has the values
 * that the row had last.
 *
 * <p>The first run reads the table as it is, each row as an insert of that version. Where the
 * version has not moved since the last run, no Spark job runs. Before anything is read it is made
 * sure that all changes since the stored version can still be read.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * <pre>{@code
 * IncrementalLoad.named("orders")
 *     .from(DeltaChangeFeedSource.forName(spark, "bronze_orders").keyedBy("order_id"))
 *     .into(DeltaMergeTarget.forName(spark, "silver_orders")
 *         .matchedOn("order_id")
 *         .deletedWhen(Deletes.ofChangeFeed()))
 * }</pre>
 */
public final class DeltaChangeFeedSource implements IncrementalSource<Dataset<Row>> {
  private static final String TYPE = "_change_type";
  private static final String VERSION = "_commit_version";
  private static final String TIMESTAMP = "_commit_timestamp";
  private static final String RANK = "_strandline_rank";
  private static final String LAST = "_strandline_last";

  private static final String INSERT = "insert";
  private static final String DELETE = "delete";
  private static final String PREIMAGE = "update_preimage";

  private final DeltaRef table;
  private final List<String> keys;

  private DeltaChangeFeedSource(DeltaRef table, List<String> keys) {
    this.table = table;
    this.keys = List.copyOf(keys);
  }

  /**
   * Begins a source on a table of the session's catalogs.
   *
   * @param spark the session that reads
   * @param table the name, of one to three parts, quoted as in SQL where needed
   * @return the next stage, which asks for the key
   * @throws IllegalArgumentException if the name cannot be parsed
   */
  public static Table forName(SparkSession spark, String table) {
    return new Table(DeltaRef.forName(spark, table));
  }

  /**
   * Begins a source on a table by the folder it lies in.
   *
   * @param spark the session that reads
   * @param path the folder
   * @return the next stage, which asks for the key
   * @throws IllegalArgumentException if the path is blank
   */
  public static Table forPath(SparkSession spark, String path) {
    return new Table(DeltaRef.forPath(spark, path));
  }

  @Override
  public String name() {
    return table.name();
  }

  @Override
  public Set<StreamName> streams() {
    return Set.of(StreamName.only());
  }

  @Override
  public List<String> watermarkColumns() {
    return List.of(VERSION);
  }

  @Override
  public String declaration() {
    return "the change feed keyed by " + String.join(", ", keys);
  }

  @Override
  public SourcePlan<Dataset<Row>> plan(StoredWatermarks stored) {
    StoredStream row = stored.stream(StreamName.only());
    DeltaSnapshot newest = newest();
    refuseOtherHistory(row, newest);
    Watermark value = row.value();

    if (value.isStart()) {
      return planned(
          value,
          new WatermarkRange(value, Bound.EXCLUSIVE, at(newest)),
          newest,
          rowsOf(newest),
          allRowsAt(newest.version()));
    }

    long last = version(value);

    if (last == newest.version()) {
      return new SourcePlan.NothingNew<>(
          table.name() + " is still at version " + last + ", which the last run read", 0);
    }

    requireReadable(newest, last + 1);
    return planned(
        value,
        new WatermarkRange(value, Bound.EXCLUSIVE, at(newest)),
        newest,
        changes(last + 1, newest.version()),
        changesOf(last + 1, newest.version()));
  }

  @Override
  public SourcePlan<Dataset<Row>> planBackfill(StreamName stream, WatermarkRange range) {
    DeltaSnapshot newest = newest();
    long upTo = Math.min(version(range.upTo()), newest.version());

    if (range.after().isStart()) {
      DeltaSnapshot then =
          table
              .findSnapshot(upTo)
              .orElseThrow(() -> historyLost(upTo, "its log no longer reaches back to it"));
      return planned(range.after(), range, newest, rowsOf(then), allRowsAt(upTo));
    }

    long first = version(range.after()) + (range.bound() == Bound.INCLUSIVE ? 0 : 1);

    if (first > upTo) {
      return new SourcePlan.NothingNew<>(
          table.name() + " has no version in " + range + ", its newest is " + newest.version(), 0);
    }

    requireReadable(newest, first);
    return planned(range.after(), range, newest, changes(first, upTo), changesOf(first, upTo));
  }

  private static String allRowsAt(long version) {
    return "all rows at version " + version;
  }

  private static String changesOf(long first, long last) {
    return "the changes of versions " + first + " to " + last;
  }

  @Override
  public Dataset<Row> readAll() {
    return table.at(newest().version());
  }

  private DeltaSnapshot newest() {
    DeltaSnapshot newest = table.findSnapshot().orElseThrow(() -> table.missing(task()));
    requireKeys(List.of(newest.schema().fieldNames()));

    if (!FeedHistory.isOn(newest)) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task(),
          "the table keeps no change feed",
          "Turn it on: ALTER TABLE "
              + table.name()
              + " SET TBLPROPERTIES ("
              + FeedHistory.ENABLED
              + " = true). It tells of what changes from then on.");
    }

    return newest;
  }

  private void requireKeys(List<String> columns) {
    for (String key : keys) {
      if (columns.stream().noneMatch(key::equalsIgnoreCase)) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            task(),
            "keyedBy(..) names column '" + key + "', which the table does not have",
            "Its columns are: "
                + String.join(", ", columns)
                + "."
                + Columns.nearMiss(key, columns));
      }
    }
  }

  /** The state of a row that a person has changed since says nothing; the value is obeyed. */
  private void refuseOtherHistory(StoredStream row, DeltaSnapshot newest) {
    TableSnapshot last = row.isAsTheRunLeftIt() ? row.state().source() : TableSnapshot.unknown();

    if (last.isOfAnotherTable(newest.asTableSnapshot())) {
      throw new Problem(
          ProblemKind.SOURCE_RECREATED,
          task(),
          "the last run read table "
              + last.tableId()
              + ", and the table of that name is now "
              + newest.tableId()
              + ", whose versions count anew",
          "Call reload(), which reads the table as it is now, and goes on from there.");
    }

    if (!row.value().isStart() && version(row.value()) > newest.version()) {
      throw new Problem(
          ProblemKind.SOURCE_HISTORY_LOST,
          task(),
          "the watermark is version "
              + version(row.value())
              + ", and the newest version is now "
              + newest.version(),
          "The table was made anew, or put back from a backup. Call reload(), which reads the table"
              + " as it is now, and goes on from there.");
    }
  }

  private void requireReadable(DeltaSnapshot newest, long first) {
    long readable = FeedHistory.firstReadable(table, newest, first);

    if (readable > newest.version()) {
      throw historyLost(first, "no version can be read any more");
    }

    if (readable > first) {
      throw historyLost(
          first, "the first version from which on its changes can be read is " + readable);
    }
  }

  private Problem historyLost(long first, String reason) {
    return new Problem(
        ProblemKind.SOURCE_HISTORY_LOST,
        task(),
        "the changes of version "
            + first
            + " are gone, vacuumed or cleaned from the log, or the feed was off: "
            + reason,
        "Call reload(), which reads the table as it is now, and goes on from there. To go on without"
            + " what is lost, rewind(..) to a later version.");
  }

  private long version(Watermark value) {
    if (value instanceof Watermark.Version version) {
      return version.value();
    }

    if (value instanceof Watermark.IntegerNumber number) {
      return number.value();
    }

    throw new Problem(
        ProblemKind.BAD_CONFIGURATION,
        task(),
        "the watermark is " + value.typed() + ", and a change feed is measured by versions",
        "Call rewind(..) with Watermark.ofVersion(..), or with the start to read everything.");
  }

  private static Watermark at(DeltaSnapshot snapshot) {
    return Watermark.ofVersion(snapshot.version());
  }

  private SourcePlan<Dataset<Row>> planned(
      Watermark stored,
      WatermarkRange range,
      DeltaSnapshot newest,
      Dataset<Row> rows,
      String what) {
    StreamRange stream = new StreamRange(StreamName.only(), stored, range, range.upTo());
    return new SourcePlan.Planned<>(
        List.of(stream),
        Map.of(StreamName.only(), newest.asTableSnapshot()),
        Remainder.NONE,
        0,
        table.name() + ", " + what,
        () -> new Reading<>(rows, List.of(), () -> ReadCounts.of(rows.count())));
  }

  /** Returns the rows of a version, each as if it had been inserted in it. */
  private Dataset<Row> rowsOf(DeltaSnapshot snapshot) {
    return table
        .at(snapshot.version())
        .withColumn(TYPE, lit(INSERT))
        .withColumn(VERSION, lit(snapshot.version()))
        .withColumn(TIMESTAMP, lit(snapshot.committedAt()));
  }

  /**
   * Returns what each key was after each commit. Rows that are there outrank a delete, since a key
   * that is deleted and inserted in one commit was updated; a before-image that nothing outranks is
   * of a key that was changed into another one, so it is gone.
   */
  private Dataset<Row> changes(long first, long last) {
    Column rank =
        when(Columns.col(TYPE).equalTo(PREIMAGE), 0)
            .when(Columns.col(TYPE).equalTo(DELETE), 1)
            .otherwise(2);
    Column[] keyAndVersion =
        Stream.concat(keys.stream(), Stream.of(VERSION)).map(Columns::col).toArray(Column[]::new);
    Dataset<Row> changes = table.changes(first, last);
    Column[] columns =
        Arrays.stream(changes.columns())
            .map(
                name ->
                    name.equals(TYPE)
                        ? when(Columns.col(TYPE).equalTo(PREIMAGE), DELETE)
                            .otherwise(Columns.col(TYPE))
                            .as(TYPE)
                        : Columns.col(name))
            .toArray(Column[]::new);
    return changes
        .withColumn(RANK, rank)
        .withColumn(LAST, max(RANK).over(Window.partitionBy(keyAndVersion)))
        .filter(Columns.col(RANK).equalTo(Columns.col(LAST)))
        .select(columns);
  }

  private String task() {
    return "read the change feed of " + table.name();
  }

  /** Returns the table and the key. */
  @Override
  public String toString() {
    return table + ", " + declaration();
  }

  /** A Delta table with a change feed of which it is not said yet what tells its rows apart. */
  public static final class Table {
    private final DeltaRef table;

    private Table(DeltaRef table) {
      this.table = table;
    }

    /**
     * Says what tells rows of the table apart, so that a row whose key is changed is a delete of
     * the old key.
     *
     * @param column the key column, as the table names it
     * @param more further columns of the key
     * @return the source
     * @throws IllegalArgumentException if a name is blank or stands twice
     */
    public DeltaChangeFeedSource keyedBy(String column, String... more) {
      List<String> keys = new ArrayList<>(List.of(column));

      for (String name : more) {
        if (keys.contains(name)) {
          throw new IllegalArgumentException("Cannot call keyedBy(..) with '" + name + "' twice.");
        }

        keys.add(name);
      }

      if (keys.stream().anyMatch(String::isBlank)) {
        throw new IllegalArgumentException("Cannot call keyedBy(..) with a blank name.");
      }

      return new DeltaChangeFeedSource(table, keys);
    }
  }
}
