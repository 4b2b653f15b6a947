package io.strandline.spark.target;

import static org.apache.spark.sql.functions.not;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.target.Commits.Commit;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.StagedMerge;
import io.strandline.target.Verb;
import io.strandline.watermark.TableSnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * The frozen rows of one range on their way into a table.
 *
 * <p>What the table holds already is looked up inside the MERGE's own source. Delta answers a read
 * of the table that a transaction writes from the transaction's own snapshot, and counts it among
 * what the transaction has read; so nothing can come between the look and the write.
 */
final class DeltaStagedMerge implements StagedMerge<Dataset<Row>> {
  private static final String TABLE = "_strandline_table";
  private static final String ROWS = "_strandline_rows";
  private static final String COPY_SOURCE = "spark.databricks.delta.merge.materializeSource";

  /** Where MERGE tells how many rows it has updated and inserted. */
  private static final int UPDATED = 1;

  private static final int INSERTED = 3;

  private final DeltaRef table;
  private final MergeColumns columns;
  private final KeyMatch keys;
  private final FrozenRows rows;
  private final @Nullable TableCreation creation;

  /**
   * Makes a merge that is ready.
   *
   * @param creation how to create the table; null if it must exist
   */
  DeltaStagedMerge(
      DeltaRef table,
      MergeColumns columns,
      KeyMatch keys,
      FrozenRows rows,
      @Nullable TableCreation creation) {
    this.table = table;
    this.columns = columns;
    this.keys = keys;
    this.rows = rows;
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

  /**
   * The rows are forgotten when the merge has ended well; after a failure it can be tried again.
   */
  @Override
  public MergeOutcome merge(Receipt receipt) {
    Optional<DeltaSnapshot> found = table.findSnapshot();
    boolean mayDoNothing = receipt.verb() != Verb.RELOAD && !receipt.moves();
    MergeOutcome outcome =
        (mayDoNothing ? nothingToDo(found) : Optional.<MergeOutcome>empty())
            .orElseGet(() -> commit(receipt, found));
    rows.release();
    return outcome;
  }

  /** Finds out, without a transaction, whether any row would change. */
  private Optional<MergeOutcome> nothingToDo(Optional<DeltaSnapshot> found) {
    TableSnapshot snapshot =
        found.map(DeltaSnapshot::asTableSnapshot).orElse(TableSnapshot.unknown());

    if (rows.winners() == 0) {
      return Optional.of(new MergeOutcome.NothingToDo(counts(0, 0, 0, 0), snapshot));
    }

    if (!found.map(DeltaSnapshot::hasFiles).orElse(false)) {
      return Optional.empty();
    }

    MergeCounts would = countsAt(snapshot.version());
    return would.merged() == 0
        ? Optional.of(new MergeOutcome.NothingToDo(would, snapshot))
        : Optional.empty();
  }

  private MergeOutcome commit(Receipt receipt, Optional<DeltaSnapshot> found) {
    if (found.isEmpty() && creation != null) {
      creation.create();
    }

    RunCommit commit = new RunCommit(table, receipt, this::explained);

    if (receipt.verb() == Verb.RELOAD) {
      return commitInsteadOfAll(commit);
    }

    SparkSession session = commit.session();

    if (rows.winners() == 0) {
      commit.alone(session, rows.none());
      return commit.committed(made -> counts(0, 0, 0, 0));
    }

    return found.map(DeltaSnapshot::hasFiles).orElse(false)
        ? commitChanges(session, commit)
        : commitFirst(session, commit);
  }

  /** Puts the rows in the place of all that the table holds. */
  private MergeOutcome commitInsteadOfAll(RunCommit commit) {
    commit.overwrittenWhole(rows.chosen());
    return commit.committed(made -> counts(rows.winners(), 0, 0, 0));
  }

  /** Adds the rows to a table without rows, where there is nothing to look up. */
  private MergeOutcome commitFirst(SparkSession session, RunCommit commit) {
    commit.first(session, rows.chosen(), rows.bounds(keys, Columns::col), columns.names().get(0));
    return commit.committed(made -> counts(rows.winners(), 0, 0, 0));
  }

  private MergeOutcome commitChanges(SparkSession session, RunCommit commit) {
    session.conf().set(COPY_SOURCE, "auto");
    Fates fates = Fates.of(columns, keys, rows, table.in(session).newest());
    Fates.Observed observed = fates.observed();
    Row merged = merge(session, commit, observed.changes());
    return commit.committed(made -> counts(merged, observed::stale, made));
  }

  private Row merge(SparkSession session, RunCommit commit, Dataset<Row> source) {
    Function<String, Column> stored = name -> Columns.col(TABLE, name);
    Function<String, Column> row = name -> Columns.col(ROWS, name);
    return commit.merged(
        () ->
            table
                .in(session)
                .deltaTable()
                .as(TABLE)
                .merge(source.as(ROWS), keys.matches(row, stored).and(rows.bounds(keys, stored)))
                .whenMatched(not(columns.isOlder(row, stored)))
                .update(values())
                .whenNotMatched()
                .insert(values())
                .execute());
  }

  private Map<String, Column> values() {
    Map<String, Column> values = new HashMap<>();
    columns.names().forEach(name -> values.put(Columns.quoted(name), Columns.col(ROWS, name)));
    return values;
  }

  private RuntimeException explained(RuntimeException e) {
    if (e instanceof SparkThrowable told
        && "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE".equals(told.getCondition())) {
      return new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task(),
          "the table holds several rows of one key ("
              + String.join(", ", columns.keys())
              + "), so it cannot be told which of them to update",
          "Delete the surplus rows, or match on more columns.",
          e);
    }

    return e;
  }

  private String task() {
    return "merge rows into " + table.name();
  }

  /** Counts by MERGE's own word; what it was not given is told apart by what was observed. */
  private MergeCounts counts(
      Row merged, Supplier<Optional<Long>> observedStale, Optional<Commit> commit) {
    long inserted = merged.getLong(INSERTED);
    long updated = merged.getLong(UPDATED);
    // More than were chosen were written if the table holds a key twice; the load tells of a sum
    // that is off.
    long left = Math.max(0, rows.winners() - inserted - updated);

    if (left == 0 || columns.sequence().isEmpty()) {
      return counts(inserted, updated, left, 0);
    }

    Optional<Long> stale = observedStale.get().filter(observed -> observed <= left);

    if (stale.isPresent()) {
      return counts(inserted, updated, left - stale.get(), stale.get());
    }

    return commit
        .map(made -> countsAt(made.readVersion()))
        .map(then -> counts(inserted, updated, left - then.stale(), then.stale()))
        .orElseGet(() -> counts(inserted, updated, left, 0));
  }

  private MergeCounts countsAt(long version) {
    Fates.Counted counted = Fates.of(columns, keys, rows, table.at(version)).counted();
    return counts(counted.inserted(), counted.updated(), counted.unchanged(), counted.stale());
  }

  private MergeCounts counts(long inserted, long updated, long unchanged, long stale) {
    return new MergeCounts(
        inserted, updated, 0, unchanged, rows.accepted() - rows.winners(), stale);
  }
}
