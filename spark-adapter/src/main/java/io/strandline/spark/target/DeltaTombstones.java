package io.strandline.spark.target;

import static org.apache.spark.sql.functions.current_timestamp;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.timestamp_micros;
import static org.apache.spark.sql.functions.unix_micros;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.Conflicts;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.NewTable;
import io.strandline.spark.internal.RunSession;
import io.strandline.target.Verb;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * What remains of the rows that hard deletes have removed from a target, in a Delta table beside it
 * that has the target's name and {@code _tombstones}.
 *
 * <p>A tombstone holds the key of a deleted row, and how new the delete was, so that an older
 * version of the row which arrives later is known for stale. There is one per key, that of the
 * newest delete. The table is made when the first delete needs it. Its columns are the key columns
 * and those that say which version is newer, by their names in the target, and {@code _deleted_at
 * TIMESTAMP}, when the tombstone was written.
 *
 * <p>Tombstones are kept until they are {@linkplain #purge purged}. Immutable and safe for use by
 * several threads.
 */
public final class DeltaTombstones {
  private static final String SUFFIX = "_tombstones";
  private static final String KEPT = "_strandline_kept";
  private static final String PUT = "_strandline_put";
  private static final String AT = "_deleted_at";

  /** The property that tells of a reload: the time of its own tombstones, and its attempt. */
  private static final String RELOAD = "strandline.reload";

  private final DeltaRef table;

  private DeltaTombstones(DeltaRef table) {
    this.table = table;
  }

  static DeltaTombstones beside(DeltaRef target) {
    return new DeltaTombstones(target.beside(SUFFIX));
  }

  /** Returns the name of the table. */
  public String name() {
    return table.name();
  }

  /**
   * Forgets old tombstones, in one commit.
   *
   * <p>A version that is older than the delete of its row, and arrives after the tombstone is gone,
   * brings the row back; so keep tombstones for longer than any version can be late.
   *
   * @param writtenBefore tombstones that were written before this time go
   * @return how many went; zero if there is no such table
   * @throws Problem if the table cannot be changed
   */
  public long purge(Instant writtenBefore) {
    if (!table.exists()) {
      return 0;
    }

    return purgeBefore(ChronoUnit.MICROS.between(Instant.EPOCH, writtenBefore));
  }

  private long purgeBefore(long micros) {
    String statement =
        "DELETE FROM "
            + table.sqlIdentifier()
            + " WHERE "
            + Columns.quoted(AT)
            + " < timestamp_micros("
            + micros
            + ")";
    return Conflicts.outlasting(
        "purge tombstones from " + table.name(),
        () -> RunSession.of(table.spark()).sql(statement).head().getLong(0));
  }

  /**
   * Returns the tombstones, as they are when they are read; empty if there are none.
   *
   * @throws Problem of kind {@code BAD_CONFIGURATION} if the target was declared otherwise when
   *     they were written
   */
  Optional<Dataset<Row>> find(SparkSession session, MergeColumns columns) {
    return table
        .findSnapshot()
        .filter(DeltaSnapshot::hasFiles)
        .map(
            snapshot -> {
              requireColumns(snapshot, columns);
              return table.in(session).newest();
            });
  }

  /**
   * Writes the tombstones that are newer than those that are there, in one commit or none.
   *
   * @param deletes the newest version of each deleted key
   */
  void put(Dataset<Row> deletes, MergeColumns columns, KeyMatch keys) {
    make(columns);
    Conflicts.outlasting(
        "put tombstones into " + table.name(), () -> merge(deletes, columns, keys));
  }

  /**
   * Writes the tombstones that a reload leaves, beside those that are there, and that the others
   * shall go when the reload is committed: one that dies before has forgotten nothing.
   *
   * @param deletes the newest version of each key that the reload deletes
   * @param attempt the attempt that reloads
   */
  void announce(Dataset<Row> deletes, MergeColumns columns, String attempt) {
    if (!table.exists() && deletes.isEmpty()) {
      return;
    }

    make(columns);
    long since = afterAll();
    Column[] stored =
        Stream.concat(
                names(columns).stream().map(Columns::col),
                Stream.of(timestamp_micros(lit(since)).as(AT)))
            .toArray(Column[]::new);

    try {
      deletes.select(stored).writeTo(table.sqlIdentifier()).append();
    } catch (NoSuchTableException e) {
      throw table.missing("put tombstones into " + table.name());
    }

    alter("SET TBLPROPERTIES ('" + RELOAD + "' = '" + since + " " + attempt + "')");
  }

  /** Returns a time after that of every tombstone, whatever clocks have written them. */
  private long afterAll() {
    Row newest = table.newest().agg(max(unix_micros(Columns.col(AT)))).head();
    long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    return newest.isNullAt(0) ? now : Math.max(now, newest.getLong(0) + 1);
  }

  /**
   * Forgets what a reload makes forgotten, if it was committed; a reload may have died since.
   *
   * @param target the table that was reloaded
   */
  void finishReload(DeltaRef target) {
    String announced =
        table.findSnapshot().map(there -> there.properties().getOrDefault(RELOAD, "")).orElse("");

    if (announced.isEmpty()) {
      return;
    }

    List<String> words = Splitter.on(' ').limit(2).splitToList(announced);
    long since = Long.parseLong(words.get(0));
    String attempt = words.get(1);
    boolean isCommitted =
        target
            .findSnapshot()
            .flatMap(
                there ->
                    Commits.of(target.spark(), there)
                        .newestWith(
                            receipt ->
                                receipt.verb() == Verb.RELOAD && receipt.attempt().equals(attempt)))
            .isPresent();

    if (isCommitted) {
      purgeBefore(since);
    }

    alter("UNSET TBLPROPERTIES IF EXISTS ('" + RELOAD + "')");
  }

  private void alter(String change) {
    Conflicts.outlasting(
        "put tombstones into " + table.name(),
        () ->
            RunSession.of(table.spark())
                .sql("ALTER TABLE " + table.sqlIdentifier() + " " + change));
  }

  private void merge(Dataset<Row> deletes, MergeColumns columns, KeyMatch keys) {
    Function<String, Column> kept = name -> Columns.col(KEPT, name);
    Function<String, Column> put = name -> Columns.col(PUT, name);
    DeltaRef there = table.in(RunSession.of(table.spark()));
    Column isNewer = columns.isOlder(kept, put);
    // A MERGE that updates nothing copies files all the same, so what is known is left out before.
    Dataset<Row> news =
        deletes
            .as(PUT)
            .join(there.newest().as(KEPT), keys.matches(put, kept).and(not(isNewer)), "left_anti");

    if (news.isEmpty()) {
      return;
    }

    Map<String, Column> values = new HashMap<>();
    names(columns).forEach(name -> values.put(Columns.quoted(name), put.apply(name)));
    values.put(Columns.quoted(AT), current_timestamp());
    there
        .deltaTable()
        .as(KEPT)
        .merge(news.as(PUT), keys.matches(put, kept))
        .whenMatched(isNewer)
        .update(values)
        .whenNotMatched()
        .insert(values)
        .execute();
  }

  /** Makes the table if it is missing, and its columns as wide as those of the target. */
  private void make(MergeColumns columns) {
    StructType schema = new StructType();

    for (String name : names(columns)) {
      schema = schema.add(name, columns.type(name));
    }

    Map<String, String> properties =
        TableCreation.needsMapping(schema) ? Map.of("delta.columnMapping.mode", "name") : Map.of();
    DeltaSnapshot there =
        new NewTable(schema.add(AT, DataTypes.TimestampType), List.of(), properties).in(table);
    requireColumns(there, columns);
    new TableChange(schema).make(table, there);
  }

  private void requireColumns(DeltaSnapshot snapshot, MergeColumns columns) {
    Set<String> there = ImmutableSet.copyOf(snapshot.schema().fieldNames());

    if (!there.containsAll(names(columns))) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "look up deleted rows in " + table.name(),
          "its columns are "
              + String.join(", ", snapshot.schema().fieldNames())
              + ", and key and sequence are now "
              + String.join(", ", names(columns)),
          "Declare key and sequence as before, or drop the table if no older version of a deleted"
              + " row can arrive any more.");
    }
  }

  private static List<String> names(MergeColumns columns) {
    return Stream.concat(columns.keys().stream(), columns.versionColumns().stream())
        .distinct()
        .toList();
  }

  /** Returns the name of the table. */
  @Override
  public String toString() {
    return table.name();
  }
}
