package io.strandline.spark.target;

import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.when;

import io.delta.exceptions.ConcurrentTransactionException;
import io.delta.exceptions.DeltaConcurrentModificationException;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.Conflicts;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.Receipts;
import io.strandline.spark.internal.RunSession;
import io.strandline.spark.internal.TablesInUse;
import io.strandline.spark.target.Commits.Commit;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.watermark.TableSnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.DataFrameWriterV2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.jspecify.annotations.Nullable;

/**
 * The one commit of a run into a table, which carries rows, number and receipt.
 *
 * <p>Delta leaves a write out whose number it knows, without a word; here that is a failure.
 */
final class RunCommit {
  private static final String TABLE = "_strandline_table";
  private static final String ROWS = "_strandline_rows";
  private static final String HELD = "_strandline_held";

  private final DeltaRef table;
  private final Receipt receipt;
  private final UnaryOperator<RuntimeException> explanation;

  /**
   * Makes a commit that is still to come.
   *
   * @param explanation says what a failure means that is not of this class
   */
  RunCommit(DeltaRef table, Receipt receipt, UnaryOperator<RuntimeException> explanation) {
    this.table = table;
    this.receipt = receipt;
    this.explanation = explanation;
  }

  /** Returns what the commit remembers. */
  Receipt receipt() {
    return receipt;
  }

  /** Makes a session whose next write is this commit. */
  SparkSession session() {
    SparkSession session =
        RunSession.committing(
            table.spark(),
            receipt.identity().toString(),
            receipt.number(),
            Receipts.toJson(receipt));
    // Columns come and go by declaration, never because a setting of the caller's lets them.
    session.conf().set("spark.databricks.delta.schema.autoMerge.enabled", "false");
    return session;
  }

  /**
   * Commits the receipt alone; no row fulfills the condition, so no file of the table is read.
   *
   * @param none no rows, of the table's columns
   */
  void alone(SparkSession session, Dataset<Row> none) {
    Map<String, Column> values = new HashMap<>();

    for (String name : none.columns()) {
      values.put(Columns.quoted(name), Columns.col(ROWS, name));
    }

    merged(
        () ->
            table
                .in(session)
                .deltaTable()
                .as(TABLE)
                .merge(none.as(ROWS), lit(false))
                .whenNotMatched()
                .insert(values)
                .execute());
  }

  /**
   * Commits by a MERGE.
   *
   * @return what MERGE says that it did
   */
  Row merged(Supplier<Dataset<Row>> merge) {
    List<Row> result = guarded(() -> merge.get().collectAsList());

    if (result.isEmpty()) {
      throw numberUsed(null);
    }

    return result.get(0);
  }

  /** A write by Spark's writer, which says that the table is gone by a checked exception. */
  interface Write {
    void run() throws NoSuchTableException;
  }

  /** Commits by a write that does not tell whether it was left out; the log tells. */
  void written(Write write) {
    long before = table.snapshot().version();
    guarded(
        () -> {
          try {
            write.run();
            return receipt;
          } catch (NoSuchTableException e) {
            throw table.missing(task());
          }
        });

    if (find(table.snapshot()).filter(made -> made.version() > before).isEmpty()) {
      throw numberUsed(null);
    }
  }

  /**
   * Puts rows in the place of all that the table holds.
   *
   * @param rows the rows, of the table's columns
   * @throws Problem of kind {@code BAD_CONFIGURATION} if other loads write into the table too
   */
  void overwrittenWhole(Dataset<Row> rows) {
    requireMine();
    overwritten(rows, lit(true));
  }

  /**
   * Puts rows in the place of what fulfills a condition.
   *
   * @param rows the rows, of the table's columns
   * @param condition true for the rows of the table that go
   */
  void overwritten(Dataset<Row> rows, Column condition) {
    written(() -> writer(rows).overwrite(condition));
  }

  /**
   * Puts rows in the place of the partitions that they lie in.
   *
   * @param rows the rows, of the table's columns
   */
  void partitionsOverwritten(Dataset<Row> rows) {
    written(() -> writer(rows).overwritePartitions());
  }

  /**
   * Adds rows.
   *
   * @param rows the rows, of the table's columns
   */
  void appended(Dataset<Row> rows) {
    written(() -> writer(rows).append());
  }

  /**
   * Adds rows to a table that holds none of their keys, with nothing to look up.
   *
   * <p>The table is read inside the commit all the same, in a look at no rows: Delta then takes
   * rows of these keys that somebody else adds meanwhile for a conflict.
   *
   * @param session the session of this commit
   * @param rows the rows, of the table's columns
   * @param bounds true for the rows of the table that may have one of their keys
   * @param guarded any column of the rows
   */
  void first(SparkSession session, Dataset<Row> rows, Column bounds, String guarded) {
    written(
        () -> {
          Dataset<Row> held = table.in(session).newest().filter(bounds).agg(count(lit(1)).as(HELD));
          Column isFirst = Columns.col(HELD).equalTo(0);
          in(session, rows)
              .crossJoin(held)
              .withColumn(
                  guarded,
                  when(isFirst, Columns.col(guarded))
                      .otherwise(Conflicts.missed().cast(rows.schema().apply(guarded).dataType())))
              .drop(HELD)
              .writeTo(table.sqlIdentifier())
              .append();
        });
  }

  /**
   * Prepares a write in the session of this commit. That session's zone is UTC: Delta writes a
   * condition down as text and reads it again, and no hour of UTC is there twice.
   */
  private DataFrameWriterV2<Row> writer(Dataset<Row> rows) {
    SparkSession session = session();
    session.conf().set("spark.sql.session.timeZone", "UTC");
    return in(session, rows).writeTo(table.sqlIdentifier());
  }

  /** Hands rows to another session: that of a union is the session of its first part. */
  private static Dataset<Row> in(SparkSession session, Dataset<Row> rows) {
    return session.createDataFrame(List.of(), rows.schema()).union(rows);
  }

  /** A load does not overwrite what other loads have written. */
  private void requireMine() {
    List<String> others =
        table.applications().stream().filter(receipt.identity()::isOfAnotherLoad).sorted().toList();

    if (!others.isEmpty()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "overwrite the whole of " + table.name(),
          "other loads write into it too (" + String.join(", ", others) + ")",
          "Overwrite only this load's part of it, with a DeltaOverwriteTarget that says what is"
              + " replaced, or delete its rows by hand and rewind(..) the load.");
    }
  }

  private <T> T guarded(Supplier<T> write) {
    try {
      return TablesInUse.during(table, write);
    } catch (ConcurrentTransactionException e) {
      throw numberUsed(e);
    } catch (DeltaConcurrentModificationException e) {
      throw conflict(e);
    } catch (RuntimeException e) {
      throw Conflicts.isMissed(e) ? conflict(e) : explanation.apply(e);
    }
  }

  private Problem conflict(Throwable cause) {
    return new Problem(
        ProblemKind.TARGET_CONFLICT,
        task(),
        "another writer has changed the table during the merge",
        "Run the load again.",
        cause);
  }

  private Problem numberUsed(@Nullable Throwable cause) {
    return new Problem(
        ProblemKind.CONCURRENT_RUN,
        task(),
        "the table holds run " + receipt.number() + " already, so another run has committed it",
        "Run the load again, and let only one run at a time be scheduled.",
        cause);
  }

  private String task() {
    return "merge rows into " + table.name();
  }

  /**
   * Tells what was committed.
   *
   * @param counts counts the rows, given the commit if it can be found
   */
  MergeOutcome committed(Function<Optional<Commit>, MergeCounts> counts) {
    DeltaSnapshot newest = table.snapshot();
    Optional<Commit> commit = find(newest);
    long version = commit.map(Commit::version).orElse(newest.version());
    return new MergeOutcome.Committed(
        counts.apply(commit), new TableSnapshot(newest.tableId(), version));
  }

  private Optional<Commit> find(DeltaSnapshot newest) {
    return Commits.of(table.spark(), newest)
        .newestWith(
            other ->
                other.number() == receipt.number()
                    && other.identity().equals(receipt.identity())
                    && other.attempt().equals(receipt.attempt()));
  }
}
