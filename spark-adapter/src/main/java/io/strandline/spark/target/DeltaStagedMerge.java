package io.strandline.spark.target;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;

import io.delta.tables.DeltaMergeBuilder;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.RunSession;
import io.strandline.spark.target.Commits.Commit;
import io.strandline.spark.target.MergeColumns.Removal;
import io.strandline.target.CheckFinding;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.StagedMerge;
import io.strandline.target.Verb;
import io.strandline.watermark.TableSnapshot;
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
 * <p>What the table holds already is told by the clauses of the MERGE, or looked up inside its own
 * source. Delta answers a read of the table that a transaction writes from the transaction's own
 * snapshot, and counts it among what the transaction has read; so nothing can come between the look
 * and the write.
 */
final class DeltaStagedMerge implements StagedMerge<Dataset<Row>> {
  private static final String TABLE = "_strandline_table";
  private static final String ROWS = "_strandline_rows";
  private static final String COPY_SOURCE = "spark.databricks.delta.merge.materializeSource";

  /** So many rows are planned for at once. */
  private static final long FEW = 100_000;

  private static final long ROWS_OF_A_TASK = 50_000;

  /** Where MERGE tells how many rows it has updated, deleted and inserted. */
  private static final int UPDATED = 1;

  private static final int DELETED = 2;
  private static final int INSERTED = 3;

  private final DeltaRef table;
  private final MergeColumns columns;
  private final KeyMatch keys;
  private final FrozenRows rows;
  private final DeltaTombstones tombstones;
  private final MergeClauses.Resolved clauses;
  private final SweptKeys swept;
  private final Map<String, Column> flagged;
  private final @Nullable TableCreation creation;

  /**
   * Makes a merge that is ready.
   *
   * @param clauses which rows are inserted and updated, and in what columns
   * @param swept the keys that are gone from the source
   * @param flagged what changes in a row that is swept softly
   * @param creation how to create the table; null if it must exist
   */
  DeltaStagedMerge(
      DeltaRef table,
      MergeColumns columns,
      KeyMatch keys,
      FrozenRows rows,
      MergeClauses.Resolved clauses,
      SweptKeys swept,
      Map<String, Column> flagged,
      @Nullable TableCreation creation) {
    this.table = table;
    this.columns = columns;
    this.keys = keys;
    this.rows = rows;
    this.clauses = clauses;
    this.swept = swept;
    this.flagged = flagged;
    this.tombstones = DeltaTombstones.beside(table);
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

  /**
   * The rows are forgotten when the merge has ended well; after a failure it can be tried again.
   */
  @Override
  public MergeOutcome merge(Receipt receipt) {
    bury(receipt);
    Optional<DeltaSnapshot> found = table.findSnapshot();
    boolean mayDoNothing = receipt.verb() != Verb.RELOAD && !receipt.moves();
    MergeOutcome outcome =
        (mayDoNothing ? nothingToDo(found) : Optional.<MergeOutcome>empty())
            .orElseGet(() -> commit(receipt, found));
    rows.release();
    swept.release();
    return columns.drift().toldIn(outcome);
  }

  /**
   * Leaves tombstones, before the rows are gone: a run that dies in between finds them again when
   * it deletes the rows after all, and a tombstone that waits for its delete makes only versions
   * stale that are older than the delete.
   */
  private void bury(Receipt receipt) {
    boolean isIdle = rows.winners() == 0 && receipt.verb() != Verb.RELOAD;

    if (columns.removal() != Removal.HARD || columns.sequence().isEmpty() || isIdle) {
      return;
    }

    tombstones.finishReload(table);

    if (receipt.verb() == Verb.RELOAD) {
      tombstones.announce(rows.deleted(), columns, receipt.attempt());
    } else if (rows.deletes() > 0) {
      tombstones.put(rows.deleted(), columns, keys);
    }
  }

  private Optional<Dataset<Row>> tombstones(SparkSession session) {
    return columns.removal() == Removal.HARD && !columns.sequence().isEmpty()
        ? tombstones.find(session, columns)
        : Optional.empty();
  }

  /** Finds out, without a transaction, whether any row would change. */
  private Optional<MergeOutcome> nothingToDo(Optional<DeltaSnapshot> found) {
    TableSnapshot snapshot =
        found.map(DeltaSnapshot::asTableSnapshot).orElse(TableSnapshot.unknown());

    if (swept.rows() > 0) {
      return Optional.empty();
    }

    if (rows.winners() == 0) {
      return Optional.of(new MergeOutcome.NothingToDo(counts(0, 0, 0, 0, 0), snapshot));
    }

    if (found.isEmpty() || (rows.deletes() == 0 && !found.get().hasFiles())) {
      return Optional.empty();
    }

    MergeCounts would = countsAt(snapshot.version());
    return would.merged() == 0
        ? Optional.of(new MergeOutcome.NothingToDo(would, snapshot))
        : Optional.empty();
  }

  private MergeOutcome commit(Receipt receipt, Optional<DeltaSnapshot> found) {
    columns.makeReady(table, found, creation);

    RunCommit commit = new RunCommit(table, receipt, this::explained);

    if (receipt.verb() == Verb.RELOAD) {
      return commitInsteadOfAll(commit);
    }

    SparkSession session = commit.session();

    if (rows.winners() == 0 && swept.rows() == 0) {
      commit.alone(session, rows.none());
      return commit.committed(made -> counts(0, 0, 0, 0, 0));
    }

    return isFirst(session, found)
        ? commitFirst(session, commit)
        : commitChanges(session, commit, found);
  }

  /** Tells whether the rows can be inserted as they are, with nothing to look up. */
  private boolean isFirst(SparkSession session, Optional<DeltaSnapshot> found) {
    return !found.map(DeltaSnapshot::hasFiles).orElse(false)
        && rows.deletes() == 0
        && swept.rows() == 0
        && clauses.insert().isEmpty()
        && tombstones(session).isEmpty();
  }

  /** Puts the rows in the place of all that the table holds. */
  private MergeOutcome commitInsteadOfAll(RunCommit commit) {
    Dataset<Row> alone = alone();
    commit.overwrittenWhole(clauses.insert().map(alone::filter).orElse(alone));

    if (columns.removal() == Removal.HARD) {
      tombstones.finishReload(table);
    }

    long left =
        clauses.insert().isPresent() ? alone.filter(not(clauses.insert().get())).count() : 0;
    long removed = columns.removal() == Removal.HARD ? rows.deletes() : 0;
    return commit.committed(
        made -> counts(rows.winners() - removed - left, 0, 0, removed + left, 0));
  }

  /** Returns what a table holds that is given these rows and nothing else. */
  private Dataset<Row> alone() {
    if (!clauses.keepsWhereNull()) {
      return rows.alone();
    }

    Dataset<Row> chosen = rows.chosen();
    return Patches.alone(
        columns.removal() == Removal.HARD
            ? chosen.filter(not(columns.isDelete(Columns::col)))
            : chosen,
        columns);
  }

  /** Adds the rows to a table without rows, where there is nothing to look up. */
  private MergeOutcome commitFirst(SparkSession session, RunCommit commit) {
    commit.first(session, alone(), rows.bounds(keys, Columns::col), columns.names().get(0));
    return commit.committed(made -> counts(rows.winners(), 0, 0, 0, 0));
  }

  private MergeOutcome commitChanges(
      SparkSession session, RunCommit commit, Optional<DeltaSnapshot> found) {
    if (rows.winners() == 0) {
      session.conf().set(COPY_SOURCE, "auto");
      KeyReach reach = KeyReach.bounded(keys, rows, columns);
      Row merged = merge(session, commit, reach, swept.addedTo(rows.none()));
      return commit.committed(made -> counts(merged, Optional::empty, made));
    }

    Dataset<Row> held = table.in(session).newest();
    List<String> partitioned =
        found.map(DeltaSnapshot::partitionColumns).orElseGet(() -> List.of());
    KeyReach reach = KeyReach.of(keys, rows, columns, held, partitioned);

    if (reach.isShort() && rows.winners() <= FEW) {
      RunSession.planAtOnce(session, Math.toIntExact((rows.winners() - 1) / ROWS_OF_A_TASK + 1));
    }

    Optional<Dataset<Row>> graves = tombstones(session);
    ClauseMerge alone = new ClauseMerge(columns, clauses, keys, rows);

    if (swept.rows() == 0 && graves.isEmpty() && alone.suits(commit.receipt(), found, session)) {
      // The rows are kept already, and are the same at every look.
      session.conf().set(COPY_SOURCE, "none");
      Row merged = commit.merged(() -> alone.execute(table.in(session), reach));
      return commit.committed(made -> counts(merged, () -> made.map(it -> stale(alone, it)), made));
    }

    session.conf().set(COPY_SOURCE, "auto");
    Fates fates = Fates.of(columns, clauses, keys, reach, rows, held, graves);
    Fates.Observed observed = fates.observed();
    Row merged = merge(session, commit, reach, swept.addedTo(observed.changes()));
    return commit.committed(made -> counts(merged, observed::seen, made));
  }

  private Fates.Seen stale(ClauseMerge alone, Commit made) {
    return new Fates.Seen(alone.stale(table.at(made.readVersion())), 0);
  }

  private Row merge(SparkSession session, RunCommit commit, KeyReach reach, Dataset<Row> source) {
    Function<String, Column> stored = name -> Columns.col(TABLE, name);
    Function<String, Column> row = name -> Columns.col(ROWS, name);
    // What a sweep deletes lies anywhere.
    Column holds = swept.rows() == 0 ? reach.holds(stored) : lit(true);
    return commit.merged(
        () -> {
          DeltaMergeBuilder merge =
              table
                  .in(session)
                  .deltaTable()
                  .as(TABLE)
                  .merge(source.as(ROWS), keys.matches(row, stored).and(holds));
          merge = swept.delete(merge, columns, flagged, row);
          return (rows.winners() == 0 ? merge : withRows(merge, row, stored)).execute();
        });
  }

  private DeltaMergeBuilder withRows(
      DeltaMergeBuilder merge, Function<String, Column> row, Function<String, Column> stored) {
    Column isRow = swept.isRow(row);
    Column isNewer = isRow.and(not(columns.isOlder(row, stored)));
    DeltaMergeBuilder deleting =
        columns.removal() == Removal.HARD
            ? merge.whenMatched(isNewer.and(columns.isDelete(row))).delete()
            : merge;
    Map<String, Column> values = ClauseMerge.values(columns.names().stream(), row);
    return deleting.whenMatched(isNewer).update(values).whenNotMatched(isRow).insert(values);
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

  /** Counts by MERGE's own word; what it does not tell apart was observed on the way. */
  private MergeCounts counts(
      Row merged, Supplier<Optional<Fates.Seen>> observed, Optional<Commit> commit) {
    boolean isSoft = columns.removal() == Removal.SOFT;
    long inserted = merged.getLong(INSERTED);
    long updated = Math.max(0, merged.getLong(UPDATED) - (isSoft ? swept.rows() : 0));
    long deleted = Math.max(0, merged.getLong(DELETED) - (isSoft ? 0 : swept.rows()));
    // More than were chosen were written if the table holds a key twice; the load tells of a sum
    // that is off.
    long left = Math.max(0, rows.winners() - inserted - updated - deleted);
    boolean hasFlags = isSoft && rows.deletes() > 0;

    if (!hasFlags && (left == 0 || columns.sequence().isEmpty())) {
      return counts(inserted, updated, deleted, left, 0);
    }

    Optional<Fates.Seen> seen =
        observed
            .get()
            .or(() -> commit.map(made -> countsAt(made.readVersion())).map(DeltaStagedMerge::seen))
            .filter(told -> told.stale() <= left);
    long stale = seen.map(Fates.Seen::stale).orElse(0L);
    long flagged = hasFlags ? seen.map(Fates.Seen::deleted).orElse(0L) : 0;
    return counts(inserted, updated - flagged, deleted + flagged, left - stale, stale);
  }

  private static Fates.Seen seen(MergeCounts counts) {
    return new Fates.Seen(counts.stale(), counts.deleted());
  }

  private MergeCounts countsAt(long version) {
    Fates.Counted counted =
        Fates.of(
                columns,
                clauses,
                keys,
                KeyReach.bounded(keys, rows, columns),
                rows,
                table.at(version),
                tombstones(table.spark()))
            .counted();
    return counts(
        counted.inserted(),
        counted.updated(),
        counted.deleted(),
        counted.unchanged(),
        counted.stale());
  }

  private MergeCounts counts(
      long inserted, long updated, long deleted, long unchanged, long stale) {
    return new MergeCounts(
        inserted,
        updated,
        deleted,
        unchanged,
        rows.accepted() - rows.winners(),
        stale,
        swept.rows());
  }
}
