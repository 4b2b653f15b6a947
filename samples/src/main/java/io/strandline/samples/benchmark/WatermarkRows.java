package io.strandline.samples.benchmark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.current_timestamp;
import static org.apache.spark.sql.functions.lit;

import io.delta.tables.DeltaTable;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** A watermark table that a person has made by hand, with three columns. */
final class WatermarkRows {
  private static final String NAME = "table_name";
  private static final String VALUE = "last_value";
  private static final String UPDATED = "updated_at";

  private static final StructType COLUMNS =
      new StructType()
          .add(NAME, DataTypes.StringType)
          .add(VALUE, DataTypes.TimestampType)
          .add(UPDATED, DataTypes.TimestampType);

  private final SparkSession spark;
  private final String path;
  private final List<String> partitions;

  private WatermarkRows(SparkSession spark, Path table, List<String> partitions) {
    this.spark = spark;
    this.path = table.toString();
    this.partitions = partitions;
  }

  /** The table as the notebook makes it. */
  static WatermarkRows unpartitioned(SparkSession spark, Path table) {
    return new WatermarkRows(spark, table, List.of());
  }

  /** The table with a partition for each load, so that an UPDATE finds its row by the log alone. */
  static WatermarkRows partitioned(SparkSession spark, Path table) {
    return new WatermarkRows(spark, table, List.of(NAME));
  }

  /**
   * Adds the row of a load, making the table first if it is not there.
   *
   * @param load its name
   * @param after its watermark
   */
  void put(String load, Instant after) {
    Row row = RowFactory.create(load, Timestamp.from(after), Timestamp.from(Instant.EPOCH));
    spark
        .createDataFrame(List.of(row), COLUMNS)
        .coalesce(1)
        .write()
        .format("delta")
        .mode("append")
        .partitionBy(partitions.toArray(String[]::new))
        .save(path);
  }

  /**
   * Returns the watermark of a load.
   *
   * @param load its name
   */
  Instant last(String load) {
    Object value =
        spark
            .read()
            .format("delta")
            .load(path)
            .filter(col(NAME).equalTo(load))
            .first()
            .getAs(VALUE);
    return time(value);
  }

  /**
   * Moves the watermark of a load.
   *
   * @param load its name
   * @param to the new watermark
   */
  void update(String load, Instant to) {
    DeltaTable.forPath(spark, path)
        .update(col(NAME).equalTo(load), Map.of(VALUE, lit(to), UPDATED, current_timestamp()));
  }

  /** Returns a point in time, in whichever of its two types the session gives it. */
  static Instant time(Object value) {
    return value instanceof Timestamp timestamp ? timestamp.toInstant() : (Instant) value;
  }
}
