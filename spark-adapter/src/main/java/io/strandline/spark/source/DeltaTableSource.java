package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.IncrementalSource;
import io.strandline.source.Lookback;
import io.strandline.source.NullCursors;
import io.strandline.source.Rereads;
import io.strandline.source.SourcePlan;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.FileStatistics;
import io.strandline.spark.internal.PinnedRows;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Reads the rows of a Delta table that came after the stored watermark.
 *
 * <p>Planning pins the table's version and fixes the range by one query, which reads the files that
 * can hold new rows. What it finds is kept on the executors for the run, which so reads its range
 * once, and until Spark's cleaner finds that nobody needs it. Of files of more than 64 MB together
 * nothing is kept, and the run reads the rows after the query: of the watermark columns alone it
 * reads as much as the table's statistics leave open, which is a few files where all rows of all
 * files belong to the range, and of all of them otherwise. Rows that land later belong to the next
 * run. Where the version has not moved since the last run, and that run left nothing behind,
 * nothing is read and no Spark job runs; only a cursor that {@linkplain Cursor#readingAll reads
 * all} reads again.
 *
 * <p>Where that run left nothing behind and the table only grew since, only files that were added
 * are read, so that rows which share the stored watermark are not read again. A cursor that looks
 * back, loads rows without a value or caps those from the future reads again all the same.
 *
 * <p>Of rows that are kept Spark's {@code input_file_name()} and {@code _metadata} tell nothing. A
 * cleaner that needs the file of a row takes it from a column, which {@code Landing} can write.
 *
 * <p>Watermark columns are timestamps with or without a zone, dates, integers, decimals or text, or
 * an expression that gives one of these. No setting of the session changes what is read, unless the
 * expression itself depends on it.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * <pre>{@code
 * DeltaTableSource.forName(spark, "bronze_orders").newerBy("_loaded_at")
 * }</pre>
 */
public final class DeltaTableSource implements IncrementalSource<Dataset<Row>> {
  private final DeltaRef table;
  private final Cursor cursor;
  private final Clock clock;

  private DeltaTableSource(DeltaRef table, Cursor cursor, Clock clock) {
    this.table = table;
    this.cursor = cursor;
    this.clock = clock;
  }

  /**
   * Begins a source on a table of the session's catalogs.
   *
   * @param spark the session that reads
   * @param table the name, of one to three parts, quoted as in SQL where needed
   * @return the next stage, which asks for the watermark columns
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
   * @return the next stage, which asks for the watermark columns
   * @throws IllegalArgumentException if the path is blank
   */
  public static Table forPath(SparkSession spark, String path) {
    return new Table(DeltaRef.forPath(spark, path));
  }

  /**
   * Names the clock of the source, which settle time and the cap of future values go by; by default
   * the system's.
   *
   * <p>No watermark ever comes from it.
   *
   * @param newClock the clock
   * @return a source with that clock
   */
  public DeltaTableSource timedBy(Clock newClock) {
    return new DeltaTableSource(table, cursor, requireNonNull(newClock, "clock"));
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
    if (cursor.isExpression()) {
      return List.of();
    }

    return table
        .findSnapshot()
        .map(found -> CursorColumns.spelled(cursor, found.schema(), table.spark()))
        .orElse(cursor.columns());
  }

  @Override
  public Rereads rereads() {
    return cursor.rereads();
  }

  @Override
  public String declaration() {
    return "newer by " + cursor;
  }

  @Override
  public SourcePlan<Dataset<Row>> plan(StoredWatermarks stored) {
    StoredStream row = stored.stream(StreamName.only());
    DeltaSnapshot found = snapshot();
    TableSnapshot current = found.asTableSnapshot();
    refuseOtherHistory(row, current);

    if (isReadCompletely(row, current)) {
      return new SourcePlan.NothingNew<>(
          table.name()
              + " is still at version "
              + current.version()
              + ", which the last run read completely",
          0);
    }

    Optional<PinnedRows> appended =
        isNewInFiles(row)
            ? table.appended(found, row.state().source().version())
            : Optional.empty();
    PinnedRows rows = appended.orElseGet(() -> wholeTable(found, row));
    return planner(current, rows.rows()).planReadingOnce(row.value(), rows.values());
  }

  /** Below a stored watermark the table has rows, so its files are not asked whether it has. */
  private PinnedRows wholeTable(DeltaSnapshot found, StoredStream row) {
    return new PinnedRows(
        table.at(found.version()),
        row.value().isStart() ? found::values : columns -> Optional.empty());
  }

  @Override
  public SourcePlan<Dataset<Row>> planBackfill(StreamName stream, WatermarkRange range) {
    TableSnapshot current = current();
    return planner(current, table.at(current.version())).planBackfillReadingOnce(range);
  }

  @Override
  public List<String> advice() {
    List<String> lacking =
        table
            .findSnapshot()
            .map(found -> FileStatistics.of(found).lacking(watermarkColumns()))
            .orElse(List.of());
    return lacking.isEmpty()
        ? List.of()
        : List.of(
            table.name()
                + " keeps no statistics of "
                + String.join(", ", lacking)
                + ", so a run reads all of its files where it did more than grow. The table"
                + " property 'delta.dataSkippingStatsColumns' names columns that have them, in"
                + " files that are written from then on");
  }

  @Override
  public Dataset<Row> readAll() {
    return table.at(current().version());
  }

  private TableSnapshot current() {
    return snapshot().asTableSnapshot();
  }

  private DeltaSnapshot snapshot() {
    return table.findSnapshot().orElseThrow(() -> table.missing(task()));
  }

  /** The state of a row that a person has changed since says nothing; the value is obeyed. */
  private void refuseOtherHistory(StoredStream row, TableSnapshot current) {
    if (!row.isAsTheRunLeftIt()) {
      return;
    }

    TableSnapshot last = row.state().source();

    if (last.isOfAnotherTable(current)) {
      throw new Problem(
          ProblemKind.SOURCE_RECREATED,
          task(),
          "the last run read table "
              + last.tableId()
              + ", and the table of that name is now "
              + current.tableId(),
          "If the new table goes on where the old one ended, call rewind(..) with the watermark to"
              + " go on from; if not, reload().");
    }

    if (last.isKnown() && current.version() < last.version()) {
      throw new Problem(
          ProblemKind.SOURCE_HISTORY_LOST,
          task(),
          "the last run read version "
              + last.version()
              + ", and the newest version is now "
              + current.version(),
          "The table's log was cut or put back from a backup. Call rewind(..) with the watermark"
              + " that its rows still reach, or reload().");
    }
  }

  private boolean isReadCompletely(StoredStream row, TableSnapshot current) {
    return !cursor.readsAll()
        && row.isAsTheRunLeftIt()
        && row.state().remainder() == Remainder.NONE
        && row.state().source().equals(current);
  }

  /**
   * Tells whether the last run has read everything that a run would read but what has landed since,
   * so that only files that were added since can have anything for this one.
   */
  private boolean isNewInFiles(StoredStream row) {
    return !cursor.readsAll()
        && cursor.lookback() instanceof Lookback.None
        && cursor.nulls() != NullCursors.LOAD
        && cursor.future() != FutureCursors.CAP
        && row.isAsTheRunLeftIt()
        && row.state().remainder() == Remainder.NONE
        && row.state().source().isKnown();
  }

  private CursorPlanner planner(TableSnapshot current, Dataset<Row> rows) {
    return new CursorPlanner(
        task(),
        table.name() + " at version " + current.version(),
        cursor,
        Duration.ZERO,
        clock,
        current,
        rows);
  }

  private String task() {
    return CursorPlanner.task(table.name(), cursor);
  }

  /** Returns the table and what it is newer by. */
  @Override
  public String toString() {
    return table + " " + declaration();
  }

  /** A Delta table of which it is not said yet what tells new rows. */
  public static final class Table {
    private final DeltaRef table;

    private Table(DeltaRef table) {
      this.table = table;
    }

    /**
     * Tells new rows by one column, or by several compared left to right.
     *
     * @param column the first column
     * @param more further columns
     * @return the source
     * @throws IllegalArgumentException if a name is blank or stands twice
     */
    public DeltaTableSource newerBy(String column, String... more) {
      return newerBy(Cursor.on(column, more));
    }

    /**
     * Tells new rows by a cursor, which may have options.
     *
     * @param cursor the cursor
     * @return the source
     */
    public DeltaTableSource newerBy(Cursor cursor) {
      return new DeltaTableSource(table, requireNonNull(cursor, "cursor"), Clock.systemUTC());
    }
  }
}
