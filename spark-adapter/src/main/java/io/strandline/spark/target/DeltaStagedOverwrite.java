package io.strandline.spark.target;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.sum;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.target.CheckFinding;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.StagedMerge;
import io.strandline.target.Verb;
import io.strandline.watermark.Bound;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.WatermarkKind;
import io.strandline.watermark.WatermarkRange;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;

/** The frozen rows of one range on their way into the place of others. */
final class DeltaStagedOverwrite implements StagedMerge<Dataset<Row>> {
  private final DeltaRef table;
  private final MergeColumns columns;
  private final FrozenRows rows;
  private final OverwriteScope scope;
  private final @Nullable TableCreation creation;

  /**
   * Makes an overwrite that is ready.
   *
   * @param creation how to create the table; null if it must exist
   */
  DeltaStagedOverwrite(
      DeltaRef table,
      MergeColumns columns,
      FrozenRows rows,
      OverwriteScope scope,
      @Nullable TableCreation creation) {
    this.table = table;
    this.columns = columns;
    this.rows = rows;
    this.scope = scope;
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
   * The rows are forgotten when the overwrite has ended well; after a failure it can be tried
   * again.
   */
  @Override
  public MergeOutcome merge(Receipt receipt) {
    boolean isWhole = scope instanceof OverwriteScope.Whole || receipt.verb() == Verb.RELOAD;

    if (isWhole && receipt.verb() != Verb.RELOAD) {
      requireWhole(receipt);
    }

    Column replaced = isWhole ? lit(true) : replaced(receipt);
    requireReplacing(replaced);
    Optional<DeltaSnapshot> found = table.findSnapshot();
    MergeOutcome outcome =
        nothingToDo(receipt, found, replaced).orElseGet(() -> commit(receipt, found, replaced));
    rows.release();
    return columns.drift().toldIn(outcome);
  }

  private void requireWhole(Receipt receipt) {
    for (StreamRange range : receipt.ranges()) {
      if (!range.range().after().isStart()) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            "overwrite the whole of " + table.name(),
            "the run read only the range " + range.range() + ", so the rest would be lost",
            "Let the cursor read everything, by readingAll(); or say what a range replaces, as by"
                + " replacingRangeOf(..).");
      }
    }
  }

  /** Rows that are none of those that go would stand there twice after the same run again. */
  private void requireReplacing(Column replaced) {
    long others = rows.chosen().filter(not(coalesce(replaced, lit(false)))).count();

    if (others > 0) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "overwrite rows of " + table.name(),
          others + " rows of the run are none of those that it replaces (" + scope + ")",
          "Keep them out in the cleaner, or say otherwise what a range replaces.");
    }
  }

  /** Returns which rows of the table go; unused where that is told by partitions. */
  private Column replaced(Receipt receipt) {
    if (scope instanceof OverwriteScope.RangeOf range) {
      return lies(range.column(), receipt);
    }

    return scope instanceof OverwriteScope.Condition condition ? expr(condition.sql()) : lit(true);
  }

  private Column lies(String name, Receipt receipt) {
    String task = "replace a range of " + table.name();

    if (receipt.ranges().size() != 1) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task,
          "the source has " + receipt.ranges().size() + " streams, whose ranges may overlap",
          "Load each stream into a table of its own, or replace partitions.");
    }

    WatermarkRange range = receipt.ranges().get(0).range();
    DataType type = typeOf(name, task, range);
    Column column = Columns.col(name);
    Column isBelow = column.leq(Columns.literal(range.upTo()).cast(type));

    if (range.after().isStart()) {
      return isBelow;
    }

    Column after = Columns.literal(range.after()).cast(type);
    return isBelow.and(range.bound() == Bound.INCLUSIVE ? column.geq(after) : column.gt(after));
  }

  private DataType typeOf(String name, String task, WatermarkRange range) {
    if (!columns.names().contains(name)) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task,
          "replacingRangeOf(..) names column '" + name + "', which the cleaned rows do not have",
          "Their columns are: "
              + String.join(", ", columns.names())
              + "."
              + Columns.nearMiss(name, columns.names()));
    }

    DataType type = columns.type(name);
    Optional<WatermarkKind> kind = Columns.kindOf(type);

    if (kind.isEmpty() || kind.get() != range.upTo().kind()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task,
          "column '"
              + name
              + "' is of type "
              + type.sql().toLowerCase(java.util.Locale.ROOT)
              + " and the range is "
              + range,
          "Name the source's watermark column, and let its cursor be of one column.");
    }

    return type;
  }

  /** Finds out whether the same rows stand there already, if the watermark does not move. */
  private Optional<MergeOutcome> nothingToDo(
      Receipt receipt, Optional<DeltaSnapshot> found, Column replaced) {
    if (receipt.verb() == Verb.RELOAD || receipt.moves()) {
      return Optional.empty();
    }

    TableSnapshot snapshot =
        found.map(DeltaSnapshot::asTableSnapshot).orElse(TableSnapshot.unknown());
    boolean isNothing =
        snapshot.isKnown()
            ? fingerprint(held(found.get(), replaced)).equals(fingerprint(rows.chosen()))
            : rows.accepted() == 0;
    return isNothing
        ? Optional.of(
            new MergeOutcome.NothingToDo(new MergeCounts(0, 0, 0, rows.accepted(), 0, 0), snapshot))
        : Optional.empty();
  }

  private Dataset<Row> held(DeltaSnapshot found, Column replaced) {
    Dataset<Row> held = table.at(found.version()).filter(replaced);

    if (!(scope instanceof OverwriteScope.Partitions)) {
      return held;
    }

    Dataset<Row> partitions =
        rows.chosen()
            .select(found.partitionColumns().stream().map(Columns::col).toArray(Column[]::new))
            .distinct();
    return held.as("_strandline_table")
        .join(
            partitions.as("_strandline_rows"),
            found.partitionColumns().stream()
                .map(
                    name ->
                        Columns.col("_strandline_table", name)
                            .eqNullSafe(Columns.col("_strandline_rows", name)))
                .reduce(Column::and)
                .orElse(lit(true)),
            "left_semi");
  }

  /** Returns what equal rows, however often and in whatever order, have in common. */
  private Row fingerprint(Dataset<Row> some) {
    Column hash = columns.hash().cast("decimal(38,0)");
    return columns
        .in(some)
        .agg(count(lit(1)), sum(hash), sum(hash.multiply(hash).mod(lit(1_000_003))))
        .head();
  }

  private MergeOutcome commit(Receipt receipt, Optional<DeltaSnapshot> found, Column replaced) {
    columns.makeReady(table, found, creation);

    RunCommit commit = new RunCommit(table, receipt, e -> e);

    if (receipt.verb() == Verb.RELOAD || scope instanceof OverwriteScope.Whole) {
      commit.overwrittenWhole(rows.chosen());
    } else if (rows.accepted() == 0 && scope instanceof OverwriteScope.Partitions) {
      commit.alone(commit.session(), rows.none());
    } else if (scope instanceof OverwriteScope.Partitions) {
      commit.partitionsOverwritten(rows.chosen());
    } else {
      commit.overwritten(rows.chosen(), replaced);
    }

    return commit.committed(made -> new MergeCounts(rows.accepted(), 0, 0, 0, 0, 0));
  }
}
