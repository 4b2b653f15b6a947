package io.strandline.spark.target;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.row_number;
import static org.apache.spark.sql.functions.when;

import io.strandline.source.Reading;
import io.strandline.spark.internal.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.expressions.Window;

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

  /** How many columns of {@link #counts} come before the measures of the keys. */
  private static final int COUNTS = 3;

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
    Dataset<Row> frozen =
        keys.normalized(cleaned)
            .withColumn(REASON, keys.rejection())
            .withColumn(
                RANK,
                row_number()
                    .over(Window.partitionBy(partition(columns)).orderBy(columns.newestFirst())))
            .localCheckpoint(true);
    Column isMergeable = col(REASON).isNull();
    Column isChosen = isMergeable.and(col(RANK).equalTo(1));
    List<Column> more =
        new ArrayList<>(List.of(count(when(col(REASON).isNotNull(), 1)), count(when(isChosen, 1))));
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
    return with(rejected, frozen, columns, RowFactory.create(accepted, 0L, accepted));
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

  /** Returns the rejected rows. */
  List<Dataset<Row>> rejected() {
    List<Dataset<Row>> rejected = new ArrayList<>(rejectedBefore);

    if (counts.getLong(1) > 0) {
      rejected.add(frozen.filter(col(REASON).isNotNull()).drop(RANK));
    }

    return rejected;
  }

  /** Returns all rows that can be merged, several of a key among them. */
  Dataset<Row> all() {
    return frozen.filter(col(REASON).isNull()).select(names());
  }

  /** Returns the newest row of every key. */
  Dataset<Row> chosen() {
    return frozen.filter(col(REASON).isNull().and(col(RANK).equalTo(1))).select(names());
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
    Stream.concat(Stream.of(frozen), rejectedBefore.stream())
        .forEach(
            rows -> {
              if (((org.apache.spark.sql.classic.Dataset<Row>) rows).queryExecution().logical()
                  instanceof LogicalRDD blocks) {
                blocks.rdd().unpersist(false);
              }
            });
  }

  private Column[] names() {
    return columns.names().stream().map(Columns::col).toArray(Column[]::new);
  }
}
