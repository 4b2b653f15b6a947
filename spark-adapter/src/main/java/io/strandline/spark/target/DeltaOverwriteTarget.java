package io.strandline.spark.target;

import static java.util.Objects.requireNonNull;
import static org.apache.spark.sql.functions.expr;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.TargetStanding;
import io.strandline.target.Verb;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A Delta table whose rows, or some of them, every run puts the rows of its range in the place of.
 *
 * <p>By default that is the whole table, for a source that is read as a whole on every run; a range
 * that does not begin at the start is refused, since it would leave the rest of the table behind.
 * Otherwise it is said what a range replaces: {@linkplain #replacingRangeOf the rows whose
 * watermark lies in the range}, {@linkplain #replacingPartitions the partitions that the rows lie
 * in}, or {@linkplain #replacing the rows that fulfill a condition}.
 *
 * <p>Old rows go and new rows come in one commit, with the receipt and the run's number: no reader
 * ever sees the table missing, empty or half written. The table stays the same table, with its
 * history. Nothing is overwritten if the watermark does not move and the same rows stand there
 * already. A table that other loads write into too is overwritten as a whole by none.
 *
 * <p>Immutable: every method returns another target. Safe for use by several threads.
 *
 * <pre>{@code
 * DeltaOverwriteTarget.forName(spark, "exchange_rates").createdIfMissing();
 * DeltaOverwriteTarget.forName(spark, "daily_sales").replacingRangeOf("sales_day");
 * }</pre>
 */
public final class DeltaOverwriteTarget implements MergeTarget<Dataset<Row>> {
  private final TargetRef table;
  private final OverwriteScope scope;

  private DeltaOverwriteTarget(TargetRef table, OverwriteScope scope) {
    this.table = table;
    this.scope = scope;
  }

  /**
   * Names a table of the catalog.
   *
   * @param spark the session; its settings apply to what is written, and are never changed
   * @param name the name of the table, of one to three parts
   * @return the target, which overwrites the whole table
   */
  public static DeltaOverwriteTarget forName(SparkSession spark, String name) {
    return new DeltaOverwriteTarget(
        TargetRef.existing(DeltaRef.forName(spark, name)), new OverwriteScope.Whole());
  }

  /**
   * Names a table by the folder it lies in.
   *
   * @param spark the session; its settings apply to what is written, and are never changed
   * @param path the folder
   * @return the target, which overwrites the whole table
   */
  public static DeltaOverwriteTarget forPath(SparkSession spark, String path) {
    return new DeltaOverwriteTarget(
        TargetRef.existing(DeltaRef.forPath(spark, path)), new OverwriteScope.Whole());
  }

  /**
   * Replaces the rows of the table whose value in a column lies in the range of the run. The column
   * is the source's watermark column, or what the cleaner made of it without changing its order;
   * rows of the run outside of the range are refused.
   *
   * @param column the column, by its exact name after cleaning
   * @return the target
   * @throws IllegalArgumentException if the name is blank, or it was said before what is replaced
   */
  public DeltaOverwriteTarget replacingRangeOf(String column) {
    return scopedTo(new OverwriteScope.RangeOf(notBlank("replacingRangeOf", column)));
  }

  /**
   * Replaces the partitions of the table that rows of the run lie in. The source must read a
   * partition as a whole, or what it leaves out is lost.
   *
   * @return the target
   * @throws IllegalArgumentException if it was said before what is replaced
   */
  public DeltaOverwriteTarget replacingPartitions() {
    return scopedTo(new OverwriteScope.Partitions());
  }

  /**
   * Replaces the rows of the table that fulfill a condition; rows of the run that do not fulfill it
   * are refused.
   *
   * @param sqlCondition the condition in SQL, over the columns of the table
   * @return the target
   * @throws IllegalArgumentException if the condition is blank, or it was said before what is
   *     replaced
   */
  public DeltaOverwriteTarget replacing(String sqlCondition) {
    return scopedTo(new OverwriteScope.Condition(notBlank("replacing", sqlCondition)));
  }

  private static String notBlank(String call, String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("Cannot call " + call + "(..) with a blank text.");
    }

    return text;
  }

  private DeltaOverwriteTarget scopedTo(OverwriteScope newScope) {
    if (!(scope instanceof OverwriteScope.Whole)) {
      throw new IllegalArgumentException(
          "Cannot say that " + newScope + ": it was said before that " + scope + ".");
    }

    return new DeltaOverwriteTarget(table, newScope);
  }

  /**
   * Creates the table with the columns of the cleaned rows if it is missing; by default a missing
   * table is an error.
   *
   * @return the target
   */
  public DeltaOverwriteTarget createdIfMissing() {
    return createdIfMissing(TableLayout.plain());
  }

  /**
   * Creates the table with the columns of the cleaned rows, and with a layout, if it is missing.
   *
   * @param layout partitioning, clustering and properties
   * @return the target
   */
  public DeltaOverwriteTarget createdIfMissing(TableLayout layout) {
    return new DeltaOverwriteTarget(
        table.createdIfMissing(requireNonNull(layout, "layout")), scope);
  }

  /**
   * Says what becomes of rows whose columns are not those of the table; by default every difference
   * fails the load.
   *
   * @param policy what becomes of new and missing columns and of wider types
   * @return the target
   */
  public DeltaOverwriteTarget onSchemaDrift(SchemaPolicy policy) {
    return new DeltaOverwriteTarget(table.onSchemaDrift(policy), scope);
  }

  @Override
  public String name() {
    return table.name();
  }

  @Override
  public String declaration() {
    return scope.toString();
  }

  /** A range that is given again replaces what it has brought. */
  @Override
  public Repeats repeats() {
    return Repeats.ABSORBED;
  }

  @Override
  public Quarantine<Dataset<Row>> quarantine() {
    return table.quarantine();
  }

  @Override
  public TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen) {
    return table.standing(identity, lastSeen);
  }

  @Override
  public StagedMerge<Dataset<Row>> stage(StageRequest<Dataset<Row>> request) {
    if (scope instanceof OverwriteScope.Whole && request.verb() == Verb.BACKFILL) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "backfill a range of " + table.name(),
          "a run overwrites the whole table, so the rest of it would be lost",
          "Say what a range replaces, as by replacingRangeOf(..), or call reload().");
    }

    if (request.verb() == Verb.REDRIVE) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "redrive rows into " + table.name(),
          "the rows that they replace would be lost",
          "Let the source give the rows again once they are corrected, by backfill(..) or"
              + " reload().");
    }

    Optional<DeltaSnapshot> found = table.find();
    MergeDeclaration unkeyed = MergeDeclaration.matchedOn(List.of()).lastReadWins();
    ColumnResolution resolution = table.resolution(request, unkeyed);
    Dataset<Row> accepted = resolution.marked(request.accepted());
    MergeColumns columns =
        TargetRef.columns(resolution, accepted, found, request.watermarkColumns());
    requirePartitions(found);
    requireCondition(resolution.shaped(accepted, columns));
    FrozenRows rows =
        FrozenRows.unkeyed(resolution.shaped(accepted, columns), request.rejected(), columns);
    return new DeltaStagedOverwrite(
        table.table(), columns, rows, scope, table.creation(found, resolution, columns));
  }

  /** Spark throws the exception of its analysis without declaring it. */
  private void requireCondition(Dataset<Row> rows) {
    if (!(scope instanceof OverwriteScope.Condition condition)) {
      return;
    }

    try {
      // Only to find out whether it can be understood.
      Dataset<Row> unused = rows.filter(expr(condition.sql()));
      unused.schema();
    } catch (Exception e) {
      String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "overwrite rows of " + table.name(),
          "the condition " + condition.sql() + " fits no rows: " + reason.replaceAll("\\.$", ""),
          "Write it in SQL over the columns of the table.",
          e);
    }
  }

  private void requirePartitions(Optional<DeltaSnapshot> found) {
    TableLayout layout = table.layout();
    List<String> partitions =
        found
            .map(DeltaSnapshot::partitionColumns)
            .orElse(layout == null ? List.of() : layout.partitionColumns());

    if (scope instanceof OverwriteScope.Partitions && partitions.isEmpty()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "replace partitions of " + table.name(),
          "the table is not partitioned",
          "Say otherwise what a range replaces, as by replacingRangeOf(..).");
    }
  }

  /** Returns the table and what is replaced. */
  @Override
  public String toString() {
    return table.name() + ", " + scope;
  }
}
