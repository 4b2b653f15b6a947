package io.strandline.spark.source;

import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.spark_partition_id;

import io.strandline.watermark.Watermark;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Finds where a row limit cuts a window: the value of the n-th row by order of the watermark.
 *
 * <p>Only watermark columns are read and only single values reach the driver. Immutable.
 */
final class CursorBoundary {
  /** Up to so many rows, one task keeps the smallest ones in memory. */
  private static final long MOST_IN_ONE_TASK = 100_000;

  private final CursorColumns columns;
  private final long mostInOneTask;

  private CursorBoundary(CursorColumns columns, long mostInOneTask) {
    this.columns = columns;
    this.mostInOneTask = mostInOneTask;
  }

  static CursorBoundary by(CursorColumns columns) {
    return new CursorBoundary(columns, MOST_IN_ONE_TASK);
  }

  /**
   * Changes from how many rows on the boundary is found in two steps.
   *
   * @param rows the number
   * @return another finder
   */
  CursorBoundary inOneTaskUpTo(long rows) {
    return new CursorBoundary(columns, rows);
  }

  /**
   * Finds the value of the n-th row.
   *
   * @param rows the rows, all with a value, at least n of them
   * @param n the number
   * @return the value
   */
  Watermark find(Dataset<Row> rows, long n) {
    return n <= mostInOneTask ? nth(rows, n) : nthOfMany(rows, n);
  }

  private Watermark nth(Dataset<Row> rows, long n) {
    Dataset<Row> largest =
        rows.select(columns.parts())
            .orderBy(partNames())
            .limit(Math.toIntExact(n))
            .agg(max(columns.partsAsOneValue()).as("largest"));
    Row row =
        largest
            .select(columns.encoded(largest.col("largest")).toArray(new Column[0]))
            .collectAsList()
            .get(0);
    return columns.decode(row, 0);
  }

  /**
   * Sorts the values into ranges, one per task and of about the same size, counts them, and looks
   * for the value in the one range that holds it. Equal values are always in the same range.
   */
  private Watermark nthOfMany(Dataset<Row> rows, long n) {
    Dataset<Row> ranges =
        rows.select(columns.parts())
            .repartitionByRange(partNames())
            .withColumn("range", spark_partition_id())
            .groupBy("range")
            .agg(count(lit(1)).as("size"), max(columns.partsAsOneValue()).as("largest"));
    List<Column> encoded = new ArrayList<>(List.of(ranges.col("size")));
    encoded.addAll(columns.encoded(ranges.col("largest")));
    List<Range> inOrder =
        ranges.select(encoded.toArray(new Column[0])).collectAsList().stream()
            .map(row -> new Range(columns.decode(row, 1), row.getLong(0)))
            .sorted(Comparator.comparing(Range::largest))
            .toList();
    Watermark below = Watermark.start();
    long before = 0;

    for (Range range : inOrder) {
      if (before + range.size() == n) {
        return range.largest();
      }

      if (before + range.size() > n) {
        return nth(
            rows.where(columns.isAbove(below).and(columns.isAtMost(range.largest()))), n - before);
      }

      below = range.largest();
      before += range.size();
    }

    return below;
  }

  private Column[] partNames() {
    return Stream.iterate(0, i -> i + 1)
        .limit(columns.size())
        .map(i -> new Column("part" + i))
        .toArray(Column[]::new);
  }

  /** Some neighbouring values: the largest one, and how many there are. */
  private record Range(Watermark largest, long size) {}
}
