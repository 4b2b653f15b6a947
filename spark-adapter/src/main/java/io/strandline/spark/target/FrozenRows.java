package io.strandline.spark.target;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.first;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.row_number;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.when;

import io.strandline.source.Reading;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.target.MergeColumns.Removal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.expressions.WindowSpec;

/**
 * The rows of one range as they were when they were first computed, each with its rank among the
 * versions of its key.
 *
 * <p>Every later look at them sees the same rows: a source that moves on, and a cleaner that
 * answers differently the second time, change nothing. Safe for use by several threads.
 */
final class FrozenRows {
  private static final String REASON = Reading.REASON_COLUMN;
  private static final String RANK = "_strandline_rank";

  /** The column that holds what a bare delete lacks: a newest version that is not bare. */
  static final String FILLER = "_strandline_filler";

  /** How many columns of {@link #counts} come before the measures of the keys. */
  private static final int COUNTS = 4;

  private final Dataset<Row> frozen;
  private final MergeColumns columns;
  private final Row counts;
  private final List<Dataset<Row>> rejectedBefore;
  private final long countedBefore;

  private FrozenRows(
      Dataset<Row> frozen,
      MergeColumns columns,
      Row counts,
      List<Dataset<Row>> rejectedBefore,
      long countedBefore) {
    this.frozen = frozen;
    this.columns = columns;
    this.counts = counts;
    this.rejectedBefore = rejectedBefore;
    this.countedBefore = countedBefore;
  }

  /**
   * Computes rows, once.
   *
   * @param cleaned the rows, with the names that the table has
   * @param rejected rows that were rejected already
   * @param columns the columns of the merge
   * @param keys how rows find their stored row
   * @return the frozen rows
   */
  static FrozenRows of(
      Dataset<Row> cleaned, List<Dataset<Row>> rejected, MergeColumns columns, KeyMatch keys) {
    WindowSpec versions = Window.partitionBy(partition(columns)).orderBy(columns.newestFirst());
    Dataset<Row> frozen =
        keys.normalized(cleaned)
            .withColumn(REASON, keys.rejection())
            .withColumn(RANK, row_number().over(versions))
            .withColumns(filler(columns, versions))
            .localCheckpoint(true);
    Column isMergeable = col(REASON).isNull();
    Column isChosen = isMergeable.and(col(RANK).equalTo(1));
    List<Column> more =
        new ArrayList<>(
            List.of(
                count(when(col(REASON).isNotNull(), 1)),
                count(when(isChosen, 1)),
                count(when(isChosen.and(columns.isDelete(Columns::col)), 1))));
    more.addAll(keys.measures(isChosen));
    Row counts = frozen.agg(count(when(isMergeable, 1)), more.toArray(new Column[0])).head();
    return with(rejected, frozen, columns, counts);
  }

  /**
   * Computes rows, once, that nothing tells apart, so that all of them are chosen.
   *
   * @param cleaned the rows, with the names that the table has
   * @param rejected rows that were rejected already
   * @param columns the columns, without a key
   * @return the frozen rows
   */
  static FrozenRows unkeyed(
      Dataset<Row> cleaned, List<Dataset<Row>> rejected, MergeColumns columns) {
    Dataset<Row> frozen =
        cleaned
            .withColumn(REASON, lit(null).cast("string"))
            .withColumn(RANK, lit(1))
            .localCheckpoint(true);
    long accepted = frozen.count();
    return with(rejected, frozen, columns, RowFactory.create(accepted, 0L, accepted, 0L));
  }

  private static FrozenRows with(
      List<Dataset<Row>> rejected, Dataset<Row> frozen, MergeColumns columns, Row counts) {
    List<Dataset<Row>> frozenRejected = new ArrayList<>();
    long countedBefore = 0;

    for (Dataset<Row> before : rejected) {
      Dataset<Row> kept = before.localCheckpoint(true);
      frozenRejected.add(kept);
      countedBefore += kept.count();
    }

    return new FrozenRows(frozen, columns, counts, frozenRejected, countedBefore);
  }

  /**
   * Finds for each version the newest one, itself or older, that has what a bare delete lacks; null
   * if the range has none.
   */
  private static Map<String, Column> filler(MergeColumns columns, WindowSpec versions) {
    if (columns.removal() != Removal.SOFT) {
      return Map.of();
    }

    Column version = struct(columns.names().stream().map(Columns::col).toArray(Column[]::new));
    return Map.of(
        FILLER,
        first(when(not(columns.isBare(Columns::col)), version), true)
            .over(versions.rowsBetween(Window.currentRow(), Window.unboundedFollowing())));
  }

  /** Rows without a key are spread, since all of them in one place may be more than fit there. */
  private static Column[] partition(MergeColumns columns) {
    return Stream.concat(
            columns.keys().stream().map(Columns::col),
            Stream.of(when(col(REASON).isNotNull(), columns.hash())))
        .toArray(Column[]::new);
  }

  /** Returns how many rows can be merged. */
  long accepted() {
    return counts.getLong(0);
  }

  /** Returns how many rows were rejected, here or before. */
  long rejectedRows() {
    return counts.getLong(1) + countedBefore;
  }

  /** Returns how many keys there are, which is how many rows are chosen. */
  long winners() {
    return counts.getLong(2);
  }

  /** Returns how many of the chosen rows are deletes. */
  long deletes() {
    return counts.getLong(3);
  }

  /** Returns the rejected rows. */
  List<Dataset<Row>> rejected() {
    List<Dataset<Row>> rejected = new ArrayList<>(rejectedBefore);

    if (counts.getLong(1) > 0) {
      rejected.add(frozen.filter(col(REASON).isNotNull()).drop(RANK, Deletion.MARK, FILLER));
    }

    return rejected;
  }

  /** Returns all rows that can be merged, several of a key among them. */
  Dataset<Row> all() {
    return frozen.filter(col(REASON).isNull()).select(names());
  }

  /** Returns the newest row of every key, with the mark of deletes and what bare ones lack. */
  Dataset<Row> chosen() {
    return frozen.filter(col(REASON).isNull().and(col(RANK).equalTo(1))).drop(REASON, RANK);
  }

  /** Returns the chosen rows that are deletes. */
  Dataset<Row> deleted() {
    return chosen().filter(columns.isDelete(Columns::col)).select(names());
  }

  /** Returns what a table holds that is given these rows and nothing else. */
  Dataset<Row> alone() {
    return switch (columns.removal()) {
      case NONE -> chosen().select(names());
      case HARD -> chosen().filter(not(columns.isDelete(Columns::col))).select(names());
      case SOFT ->
          chosen()
              .select(
                  columns.names().stream()
                      .map(name -> filled(name, Columns::col, lit(true), lit(null)).as(name))
                      .toArray(Column[]::new));
    };
  }

  /**
   * Returns a column of a chosen row, or of what fills a bare delete.
   *
   * @param row the columns of the row
   * @param isFilled whether the range's own filler is taken, where there is one
   * @param otherwise the value where it is not
   */
  Column filled(String name, Function<String, Column> row, Column isFilled, Column otherwise) {
    if (columns.removal() != Removal.SOFT || !columns.data().contains(name)) {
      return row.apply(name);
    }

    Column filler = row.apply(FILLER);
    return when(not(columns.isBare(row)), row.apply(name))
        .when(filler.isNotNull().and(isFilled), filler.getField(name))
        .otherwise(otherwise);
  }

  /** Returns no rows, of the same columns. */
  Dataset<Row> none() {
    return frozen.filter(lit(false)).select(names());
  }

  /** Returns in which literal bounds the stored rows of these keys lie. */
  Column bounds(KeyMatch keys, Function<String, Column> stored) {
    return keys.bounds(counts, COUNTS, stored);
  }

  /** Lets the engine forget the rows. */
  void release() {
    release(frozen);
    rejectedBefore.forEach(FrozenRows::release);
  }

  /** Lets the engine forget rows that were frozen. */
  static void release(Dataset<Row> rows) {
    if (((org.apache.spark.sql.classic.Dataset<Row>) rows).queryExecution().logical()
        instanceof LogicalRDD blocks) {
      blocks.rdd().unpersist(false);
    }
  }

  private Column[] names() {
    return columns.names().stream().map(Columns::col).toArray(Column[]::new);
  }
}
