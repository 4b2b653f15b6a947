package io.strandline.spark.target;

import static org.apache.spark.sql.functions.bit_xor;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.xxhash64;

import io.delta.tables.DeltaMergeBuilder;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.target.MergeColumns.Removal;
import io.strandline.target.DeleteSweep;
import io.strandline.target.SweepRequest;
import io.strandline.watermark.LoadIdentity;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a table that its source no longer has, as they were when they were compared: what was
 * counted and approved of is what is deleted.
 */
final class SweptKeys {
  private static final String MARK = "_strandline_swept";
  private static final String STORED = "_strandline_stored";
  private static final String THERE = "_strandline_there";

  /** Sums of hashes do not overflow it. */
  private static final String SUM = "decimal(38,0)";

  private static final SweptKeys NONE = new SweptKeys(null, 0);

  private final @Nullable KeptRows gone;
  private final long rows;

  private SweptKeys(@Nullable KeptRows gone, long rows) {
    this.gone = gone;
    this.rows = rows;
  }

  static SweptKeys none() {
    return NONE;
  }

  /**
   * What is compared, and how.
   *
   * @param flagged the flag of a row that is swept softly
   * @param isHeld true for the rows of the table that say what there is now
   */
  record Comparison(
      DeltaRef table,
      long version,
      MergeColumns columns,
      KeyMatch keys,
      ColumnNames names,
      Object flagged,
      Column isHeld) {

    /**
     * Finds the keys that are gone.
     *
     * @param request the sweep, with the rows of the source
     * @param accepted the rows that are merged with it, whose keys the source surely has
     * @throws Problem if the sweep goes too far, or needs a scope
     */
    SweptKeys find(SweepRequest<Dataset<Row>> request, Dataset<Row> accepted) {
      DeleteSweep sweep = request.sweep();

      if (sweep.scope().isEmpty()) {
        requireAlone(request.identity());
      }

      Dataset<Row> there = keysOf(request.source());
      Dataset<Row> held = held(sweep);
      KeptRows gone =
          KeptRows.of(
              without(without(held, there), accepted.select(keyColumns()))
                  .dropDuplicates(columns.keys().toArray(String[]::new)));
      Column hash = xxhash64(keyColumns());
      Row figures = gone.rows().agg(count(lit(1)), sum(hash.cast(SUM)), bit_xor(hash)).head();
      long rows = figures.getLong(0);

      if (rows == 0) {
        gone.release();
        return none();
      }

      sweep.brake(
          new DeleteSweep.Findings(
              table.name(),
              request.identity(),
              there.filter(keys.isKeyed()).isEmpty(),
              held.count(),
              rows,
              figures.get(1) + " " + figures.get(2)));
      return new SweptKeys(gone, rows);
    }

    private void requireAlone(LoadIdentity identity) {
      if (table.applications().stream().anyMatch(identity::isOfAnotherLoad)) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            task(),
            "other loads write into it, and their rows would be swept too",
            "Say which rows are this load's: within(..) on the sweep.");
      }
    }

    /** Returns the keys of the rows that could be swept: no others are read. */
    private Dataset<Row> held(DeleteSweep sweep) {
      Dataset<Row> held = table.at(version).filter(isHeld);

      if (sweep.scope().isPresent()) {
        held =
            held.filter(
                new RowCondition(sweep.scope().get(), names, task(), "its scope is").over(held));
      }

      held = columns.in(held);

      if (columns.removal() == Removal.SOFT) {
        held = held.filter(not(Columns.col(flag()).eqNullSafe(flagValue())));
      }

      return held.filter(keys.rejection().isNull()).select(keyColumns());
    }

    private Dataset<Row> keysOf(Dataset<Row> source) {
      Column[] found =
          columns.keys().stream()
              .map(key -> Columns.col(found(key, source)).as(key))
              .toArray(Column[]::new);
      return keys.normalized(source.select(found));
    }

    private String found(String key, Dataset<Row> source) {
      return names
          .find(key, source.schema())
          .orElseThrow(
              () ->
                  new Problem(
                      ProblemKind.BAD_CONFIGURATION,
                      task(),
                      "the source's rows have no key column '" + key + "' after cleaning",
                      "Their columns are: " + String.join(", ", source.columns()) + "."))
          .name();
    }

    private Dataset<Row> without(Dataset<Row> held, Dataset<Row> others) {
      Function<String, Column> stored = name -> Columns.col(STORED, name);
      Function<String, Column> there = name -> Columns.col(THERE, name);
      return held.as(STORED).join(others.as(THERE), keys.matches(there, stored), "left_anti");
    }

    private Column[] keyColumns() {
      return columns.keys().stream().map(Columns::col).toArray(Column[]::new);
    }

    private String flag() {
      return columns.flags().get(0);
    }

    private Column flagValue() {
      return lit(flagged).cast(columns.type(flag()));
    }

    private String task() {
      return "sweep " + table.name();
    }
  }

  /** Returns how many keys are gone. */
  long rows() {
    return rows;
  }

  /**
   * Finds the rows of these keys in a table, when it is executed.
   *
   * @param columns the columns of the keys
   * @param keys how the keys find their rows
   */
  Dataset<Row> of(Dataset<Row> table, MergeColumns columns, KeyMatch keys) {
    if (gone == null) {
      return table.filter(lit(false));
    }

    return table
        .as(STORED)
        .join(
            gone.rows().as(THERE),
            keys.matches(name -> Columns.col(THERE, name), name -> Columns.col(STORED, name)),
            "left_semi");
  }

  /** Adds the keys to rows that are merged. */
  Dataset<Row> addedTo(Dataset<Row> changes) {
    return gone == null
        ? changes
        : changes
            .withColumn(MARK, lit(false))
            .unionByName(gone.rows().withColumn(MARK, lit(true)), true);
  }

  /** Tells whether a row of the merge's source is one that was merged, and no key that is gone. */
  Column isRow(Function<String, Column> row) {
    return gone == null ? lit(true) : not(row.apply(MARK));
  }

  /**
   * Adds the clause that deletes the rows of these keys.
   *
   * @param flagged what changes in a row that is deleted softly
   */
  DeltaMergeBuilder delete(
      DeltaMergeBuilder merge,
      MergeColumns columns,
      Map<String, Column> flagged,
      Function<String, Column> row) {
    if (gone == null) {
      return merge;
    }

    Column isGone = row.apply(MARK);

    if (columns.removal() != Removal.SOFT) {
      return merge.whenMatched(isGone).delete();
    }

    return merge.whenMatched(isGone).update(flagged);
  }

  /** Lets the engine forget the keys. */
  void release() {
    if (gone != null) {
      gone.release();
    }
  }
}
