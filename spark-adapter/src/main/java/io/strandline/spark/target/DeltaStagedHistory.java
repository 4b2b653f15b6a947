package io.strandline.spark.target;

import static org.apache.spark.sql.functions.lit;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.target.MergeColumns.Removal;
import io.strandline.target.CheckFinding;
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
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * The frozen events of one range on their way into a history.
 *
 * <p>The stored versions are read inside the MERGE's own source, so nothing can come between the
 * look and the write.
 */
final class DeltaStagedHistory implements StagedMerge<Dataset<Row>> {
  private static final String TABLE = "_strandline_table";
  private static final String ROWS = "_strandline_rows";

  private final DeltaRef table;
  private final HistoryColumns columns;
  private final KeyMatch keys;
  private final KeyMatch instants;
  private final FrozenRows rows;
  private final ClosedVersions closed;
  private final DeltaTombstones tombstones;
  private final @Nullable TableCreation creation;

  /**
   * Makes a merge that is ready.
   *
   * @param keys how events find the versions of their key
   * @param instants how they find what is known of their key and instant
   * @param closed the versions that a sweep closes
   * @param creation how to create the table; null if it must exist
   */
  DeltaStagedHistory(
      DeltaRef table,
      HistoryColumns columns,
      KeyMatch keys,
      KeyMatch instants,
      FrozenRows rows,
      ClosedVersions closed,
      @Nullable TableCreation creation) {
    this.table = table;
    this.columns = columns;
    this.keys = keys;
    this.instants = instants;
    this.rows = rows;
    this.closed = closed;
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
    closed.release();
    return columns.rows().drift().toldIn(outcome);
  }

  /** Finds out, without a transaction, whether any version would change. */
  private Optional<MergeOutcome> nothingToDo(Optional<DeltaSnapshot> found) {
    TableSnapshot snapshot =
        found.map(DeltaSnapshot::asTableSnapshot).orElse(TableSnapshot.unknown());

    if (closed.rows() > 0) {
      return Optional.empty();
    }

    if (rows.winners() == 0) {
      return Optional.of(new MergeOutcome.NothingToDo(none(), snapshot));
    }

    if (!snapshot.isKnown()) {
      return Optional.empty();
    }

    Versions versions = at(snapshot.version());
    return versions.isWithoutChanges()
        ? Optional.of(new MergeOutcome.NothingToDo(counts(versions.counted()), snapshot))
        : Optional.empty();
  }

  private Versions at(long version) {
    return Versions.of(
        table.spark(),
        columns,
        keys,
        rows,
        Optional.of(table.at(version)),
        tombstones(table.spark()));
  }

  private Optional<Dataset<Row>> tombstones(SparkSession session) {
    return columns.rows().removal() == Removal.NONE
        ? Optional.empty()
        : tombstones.find(session, columns.events());
  }

  /**
   * Remembers the deletes, before versions are closed by them: a run that dies in between finds
   * them again, and closes the versions after all.
   */
  private void bury(Receipt receipt) {
    boolean isIdle = rows.winners() == 0 && receipt.verb() != Verb.RELOAD;

    if (columns.rows().removal() == Removal.NONE || isIdle) {
      return;
    }

    tombstones.finishReload(table);

    if (receipt.verb() == Verb.RELOAD) {
      tombstones.announce(rows.deleted(), columns.events(), receipt.attempt());
    } else if (rows.deletes() > 0) {
      tombstones.put(rows.deleted(), columns.events(), instants);
    }
  }

  private MergeOutcome commit(Receipt receipt, Optional<DeltaSnapshot> found) {
    columns.versions().makeReady(table, found, creation);

    RunCommit commit = new RunCommit(table, receipt, this::explained);

    if (receipt.verb() == Verb.RELOAD) {
      Versions alone =
          Versions.of(table.spark(), columns, keys, rows, Optional.empty(), Optional.empty());
      commit.overwrittenWhole(alone.alone());

      if (columns.rows().removal() != Removal.NONE) {
        tombstones.finishReload(table);
      }

      return commit.committed(made -> counts(alone.counted()));
    }

    SparkSession session = commit.session();

    if (rows.winners() == 0 && closed.rows() == 0) {
      commit.alone(session, table.newest().limit(0));
      return commit.committed(made -> none());
    }

    session.conf().set("spark.databricks.delta.merge.materializeSource", "auto");

    if (rows.winners() == 0) {
      merge(session, commit, closed.in(table.in(session).newest()));
      return commit.committed(made -> none());
    }

    boolean isFirst = !found.map(DeltaSnapshot::hasFiles).orElse(false);
    Versions versions =
        Versions.of(
            session,
            columns,
            keys,
            rows,
            isFirst ? Optional.empty() : Optional.of(table.in(session).newest()),
            tombstones(session));
    Versions.Observed observed = versions.observed();

    if (isFirst) {
      commit.first(
          session,
          observed.changes().drop(Versions.ACTION),
          rows.bounds(keys, Columns::col),
          columns.names().from());
    } else {
      Dataset<Row> changes = observed.changes();
      merge(
          session,
          commit,
          closed.rows() == 0
              ? changes
              : changes.unionByName(closed.in(table.in(session).newest())));
    }

    return commit.committed(
        made ->
            observed
                .counted()
                .or(() -> made.map(commits -> at(commits.readVersion()).counted()))
                .map(this::counts)
                .orElseGet(this::none));
  }

  private void merge(SparkSession session, RunCommit commit, Dataset<Row> changes) {
    Function<String, Column> stored = name -> Columns.col(TABLE, name);
    Function<String, Column> row = name -> Columns.col(ROWS, name);
    String from = columns.names().from();
    Column action = Columns.col(ROWS, Versions.ACTION);
    Map<String, Column> values = new HashMap<>();
    columns.all().forEach(name -> values.put(Columns.quoted(name), row.apply(name)));
    commit.merged(
        () ->
            table
                .in(session)
                .deltaTable()
                .as(TABLE)
                .merge(
                    changes.as(ROWS),
                    keys.matches(row, stored)
                        .and(stored.apply(from).equalTo(row.apply(from)))
                        .and(closed.rows() == 0 ? rows.bounds(keys, stored) : lit(true)))
                .whenMatched(action.equalTo(Versions.DELETE))
                .delete()
                .whenMatched()
                .update(values)
                .whenNotMatched()
                .insert(values)
                .execute());
  }

  private RuntimeException explained(RuntimeException e) {
    if (e instanceof SparkThrowable told
        && "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE".equals(told.getCondition())) {
      return new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "merge rows into " + table.name(),
          "the table holds several versions of one key ("
              + String.join(", ", columns.rows().keys())
              + ") that begin at the same instant, so it cannot be told which of them to update",
          "Delete the surplus rows; verify() of the target finds them.",
          e);
    }

    return e;
  }

  private MergeCounts none() {
    return new MergeCounts(0, 0, 0, rows.winners(), rows.accepted() - rows.winners(), 0)
        .sweeping(closed.rows());
  }

  private MergeCounts counts(Versions.Counted counted) {
    return new MergeCounts(
            counted.inserted(),
            counted.updated(),
            counted.deleted(),
            counted.unchanged(),
            rows.accepted() - rows.winners(),
            counted.stale())
        .sweeping(closed.rows());
  }
}
