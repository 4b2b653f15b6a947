package io.strandline.samples.benchmark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.xxhash64;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * What one contender finds before it loads.
 *
 * @param spark the session
 * @param load the name of the load
 * @param landed the table that the orders have landed in
 * @param range what is new there
 * @param folder the contender's own folder, for its target and all that it remembers
 * @param watermarks where its watermarks are kept
 */
record Scene(
    SparkSession spark, String load, Landed landed, Range range, Path folder, Path watermarks) {

  /** The watermark of a load that has never run, as in the notebook. */
  static final Instant LONG_AGO = Instant.parse("1900-01-01T00:00:00Z");

  /**
   * Orders that have landed.
   *
   * @param shape what they look like
   * @param table the folder of the table
   */
  record Landed(OrderShape shape, Path table) {}

  /**
   * What is new among the orders that have landed.
   *
   * @param after the watermark
   * @param version the first version of the table that has new rows
   * @param lookback how far below the watermark is read again
   * @param rows how many rows that is
   * @param targetRows how many rows the target holds, or will hold after its first load
   * @param keys where their keys lie
   */
  record Range(
      Instant after, long version, Duration lookback, long rows, long targetRows, KeyPlaces keys) {}

  /** Where the keys of a range lie among those of the target. */
  enum KeyPlaces {
    /** Close together, so that the least and the greatest of them leave most files out. */
    TOGETHER,
    /** Everywhere. */
    EVERYWHERE
  }

  OrderShape shape() {
    return landed.shape();
  }

  String landedPath() {
    return landed.table().toString();
  }

  Path target() {
    return folder.resolve("target");
  }

  String targetPath() {
    return target().toString();
  }

  String watermarksPath() {
    return watermarks.toString();
  }

  /** Tells whether the load has never run. */
  boolean isFirst() {
    return range.after().equals(LONG_AGO);
  }

  Dataset<Row> landedRows() {
    return spark.read().format("delta").load(landedPath());
  }

  Dataset<Row> targetRows() {
    return spark.read().format("delta").load(targetPath());
  }

  /**
   * Tells what the target holds: how many rows, and of those that came after the watermark, a sum
   * over all their columns. The same for two targets that hold the same.
   */
  String outcome() {
    Dataset<Row> rows = targetRows();
    Dataset<Row> newer = rows.filter(col(OrderShape.LOADED_AT).gt(lit(range.after())));
    Row sum =
        newer
            .agg(
                count(lit(1)), sum(xxhash64(struct(col("*"))).cast("decimal(20,0)")).cast("string"))
            .first();
    return rows.count() + " rows, of which " + sum.get(0) + " new ones with the sum " + sum.get(1);
  }
}
