package io.strandline.spark.target;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lag;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.row_number;
import static org.apache.spark.sql.functions.struct;

import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.target.DeltaAppendTarget.Appended;
import io.strandline.target.CheckFinding;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.StagedMerge;
import io.strandline.target.Verb;
import io.strandline.watermark.TableSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.expressions.Window;
import org.jspecify.annotations.Nullable;

/**
 * The frozen rows of one range on their way to the end of a table.
 *
 * <p>What the table holds already is looked up inside the commit, which fails if another writer
 * adds rows of these keys meanwhile.
 */
final class DeltaStagedAppend implements StagedMerge<Dataset<Row>> {
  private static final String TABLE = "_strandline_table";
  private static final String ROWS = "_strandline_rows";
  private static final String IS_STORED = "_strandline_is_stored";
  private static final String CONTENT = "_strandline_content";
  private static final String BEFORE = "_strandline_before";
  private static final String TURN = "_strandline_turn";

  /** Where MERGE tells how many rows it has inserted. */
  private static final int INSERTED = 3;

  private final DeltaRef table;
  private final MergeColumns columns;
  private final KeyMatch keys;
  private final FrozenRows rows;
  private final Appended appended;
  private final @Nullable TableCreation creation;

  /**
   * Makes an append that is ready.
   *
   * @param creation how to create the table; null if it must exist
   */
  DeltaStagedAppend(
      DeltaRef table,
      MergeColumns columns,
      KeyMatch keys,
      FrozenRows rows,
      Appended appended,
      @Nullable TableCreation creation) {
    this.table = table;
    this.columns = columns;
    this.keys = keys;
    this.rows = rows;
    this.appended = appended;
    this.creation = creation;
  }

  @Override
  public long accepted() {
    return rows.accepted();
  }

  @Override
  public long rejectedRows() {
    return rows.rejectedRows();
  }

  @Override
  public List<Dataset<Row>> rejected() {
    return rows.rejected();
  }

  @Override
  public List<CheckFinding> warned() {
    return rows.warned();
  }

  @Override
  public List<CheckFinding> failed() {
    return rows.failed();
  }

  /** The rows are forgotten when they are appended; after a failure it can be tried again. */
  @Override
  public MergeOutcome merge(Receipt receipt) {
    Optional<DeltaSnapshot> found = table.findSnapshot();
    boolean mayDoNothing = receipt.verb() != Verb.RELOAD && !receipt.moves();
    MergeOutcome outcome =
        (mayDoNothing ? nothingToDo(found) : Optional.<MergeOutcome>empty())
            .orElseGet(() -> commit(receipt, found));
    rows.release();
    return columns.drift().toldIn(outcome);
  }

  /** Finds out, without a transaction, whether any row would be appended. */
  private Optional<MergeOutcome> nothingToDo(Optional<DeltaSnapshot> found) {
    TableSnapshot snapshot =
        found.map(DeltaSnapshot::asTableSnapshot).orElse(TableSnapshot.unknown());
    boolean isNothing =
        rows.accepted() == 0
            || (appended != Appended.ALL
                && snapshot.isKnown()
                && unheld(table.at(snapshot.version())).isEmpty());
    return isNothing
        ? Optional.of(new MergeOutcome.NothingToDo(counts(0), snapshot))
        : Optional.empty();
  }

  private MergeOutcome commit(Receipt receipt, Optional<DeltaSnapshot> found) {
    columns.makeReady(table, found, creation);

    RunCommit commit = new RunCommit(table, receipt, e -> e);

    if (receipt.verb() == Verb.RELOAD) {
      Dataset<Row> whole = whole();
      long count = appended == Appended.CHANGES ? whole.count() : rows.winners();
      commit.overwrittenWhole(whole);
      return commit.committed(made -> counts(count));
    }

    SparkSession session = commit.session();

    if (rows.accepted() == 0) {
      commit.alone(session, rows.none());
      return commit.committed(made -> counts(0));
    }

    if (appended == Appended.ALL) {
      commit.appended(rows.chosen());
      return commit.committed(made -> counts(rows.accepted()));
    }

    long inserted = insert(session, commit).getLong(INSERTED);
    return commit.committed(made -> counts(inserted));
  }

  /** Returns the rows that a table without rows would be given. */
  private Dataset<Row> whole() {
    return appended == Appended.CHANGES ? changes(rows.none()) : rows.chosen();
  }

  private Row insert(SparkSession session, RunCommit commit) {
    Function<String, Column> stored = name -> Columns.col(TABLE, name);
    Function<String, Column> row = name -> Columns.col(ROWS, name);
    boolean isChanges = appended == Appended.CHANGES;
    // The rows are frozen already, so MERGE need not copy them; changes are computed from the
    // table.
    session
        .conf()
        .set("spark.databricks.delta.merge.materializeSource", isChanges ? "auto" : "none");
    Dataset<Row> source = isChanges ? changes(table.in(session).newest()) : rows.chosen();
    Column condition =
        isChanges ? lit(false) : keys.matches(row, stored).and(rows.bounds(keys, stored));
    Map<String, Column> values = new HashMap<>();
    columns.names().forEach(name -> values.put(Columns.quoted(name), row.apply(name)));
    return commit.merged(
        () ->
            table
                .in(session)
                .deltaTable()
                .as(TABLE)
                .merge(source.as(ROWS), condition)
                .whenNotMatched()
                .insert(values)
                .execute());
  }

  /** Returns the rows that a table lacks. */
  private Dataset<Row> unheld(Dataset<Row> held) {
    if (appended == Appended.CHANGES) {
      return changes(held);
    }

    return rows.chosen()
        .as(ROWS)
        .join(
            columns.in(held.filter(rows.bounds(keys, Columns::col))).as(TABLE),
            keys.matches(name -> Columns.col(ROWS, name), name -> Columns.col(TABLE, name)),
            "left_anti");
  }

  /**
   * Returns the rows that differ from the version before them, be it a stored one or one of the
   * range, and that the table does not hold.
   */
  private Dataset<Row> changes(Dataset<Row> held) {
    Column[] names = columns.names().stream().map(Columns::col).toArray(Column[]::new);
    Column[] keyColumns = columns.keys().stream().map(Columns::col).toArray(Column[]::new);
    Column[] version =
        Stream.concat(columns.keys().stream(), columns.versionColumns().stream())
            .map(Columns::col)
            .toArray(Column[]::new);
    Dataset<Row> stored =
        columns
            .in(held.filter(rows.bounds(keys, Columns::col)))
            .select(names)
            .withColumn(IS_STORED, lit(true));
    Dataset<Row> versions =
        stored
            .unionByName(rows.all().withColumn(IS_STORED, lit(false)))
            .withColumn(CONTENT, content());
    List<Column> order = new ArrayList<>();
    columns.versionColumns().forEach(name -> order.add(Columns.col(name).asc_nulls_first()));
    order.add(col(IS_STORED).desc());
    columns.ties().forEach(name -> order.add(Columns.col(name).asc_nulls_first()));
    order.add(col(CONTENT).asc());
    return versions
        .withColumn(
            TURN,
            row_number()
                .over(
                    Window.partitionBy(
                            Stream.concat(Stream.of(version), Stream.of(col(CONTENT)))
                                .toArray(Column[]::new))
                        .orderBy(col(IS_STORED).desc())))
        .filter(col(IS_STORED).or(col(TURN).equalTo(1)))
        .withColumn(
            BEFORE,
            lag(col(CONTENT), 1)
                .over(Window.partitionBy(keyColumns).orderBy(order.toArray(Column[]::new))))
        .filter(not(col(IS_STORED)).and(not(col(CONTENT).eqNullSafe(col(BEFORE)))))
        .select(names);
  }

  /** Returns what is compared of a version; never null. */
  private Column content() {
    Column[] parts =
        Arrays.stream(columns.schema().fields())
            .filter(field -> !columns.keys().contains(field.name()))
            .filter(field -> !columns.versionColumns().contains(field.name()))
            .filter(field -> !columns.stamped().contains(field.name()))
            .map(field -> columns.compared(field, Columns.col(field.name())).as(field.name()))
            .toArray(Column[]::new);
    return struct(
        Stream.concat(Stream.of(lit(0).as("_strandline_always")), Stream.of(parts))
            .toArray(Column[]::new));
  }

  private MergeCounts counts(long inserted) {
    long superseded = appended == Appended.NEW_KEYS ? rows.accepted() - rows.winners() : 0;
    return new MergeCounts(inserted, 0, 0, rows.accepted() - superseded - inserted, superseded, 0);
  }
}
