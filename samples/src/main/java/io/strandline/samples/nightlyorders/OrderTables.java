package io.strandline.samples.nightlyorders;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadListener;
import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.target.Landed;
import io.strandline.spark.target.Landing;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.MergeTarget;
import io.strandline.watermark.WatermarkStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The tables of the story, each in a folder of the warehouse, and the load between them.
 *
 * <p>They are addressed by folder, not by name: a name needs a catalog that outlives the program,
 * and a folder is there again at the next start, whatever ended the last one.
 */
class OrderTables {
  private static final String BRONZE = "bronze_orders";
  private static final String SILVER = "silver_orders";
  private static final String QUARANTINE = SILVER + "_quarantine";
  private static final String WATERMARKS = "etl_watermark";

  private final SparkSession spark;
  private final Path warehouse;

  OrderTables(SparkSession spark, Path warehouse) {
    this.spark = spark;
    this.warehouse = warehouse;
  }

  /** Composes the load. */
  IncrementalLoad<Dataset<Row>> load(LoadListener listener) {
    return IncrementalLoad.named("orders")
        .from(bronze())
        .cleanedBy(NightlyOrders.cleaner())
        .into(silver())
        .trackedIn(watermarks())
        .heardBy(listener)
        .build();
  }

  /**
   * The orders as they came, newer by the time they landed. No two landings share a time, and a
   * later one has a later time, so what the last run has read need not be read again.
   */
  IncrementalSource<Dataset<Row>> bronze() {
    return DeltaTableSource.forPath(spark, path(BRONZE))
        .newerBy(Cursor.on("_loaded_at").exclusive());
  }

  /**
   * One row per line of an invoice. A line is newer than another if the shop dated it later,
   * whenever it landed; when it landed is kept, but is no difference between two lines.
   */
  MergeTarget<Dataset<Row>> silver() {
    return DeltaMergeTarget.forPath(spark, path(SILVER))
        .matchedOn("invoice_no", "stock_code")
        .sequencedBy("invoice_date")
        .tieBrokenBy("quantity", "unit_price", "description")
        .stamped("_loaded_at")
        .createdIfMissing();
  }

  /** How far the load got. */
  WatermarkStore watermarks() {
    return DeltaWatermarkStore.forPath(spark, path(WATERMARKS));
  }

  /**
   * Lands a file, exactly once under its name.
   *
   * @param file the file
   * @return when it landed, and whether just now
   */
  Landed land(Path file) {
    return Landing.intoPath(spark, path(BRONZE)).land(file.getFileName().toString(), read(file));
  }

  /** Tells whether any file has landed. */
  boolean hasLanded() {
    return Files.isDirectory(warehouse.resolve(BRONZE).resolve("_delta_log"));
  }

  /** Reads a file of orders, all of it as text, under the names of its header. */
  private Dataset<Row> read(Path file) {
    return spark.read().option("header", true).option("escape", "\"").csv(file.toUri().toString());
  }

  Dataset<Row> silverRows() {
    return spark.read().format("delta").load(path(SILVER));
  }

  /** The reasons why lines wait in the quarantine, the commonest first. */
  Dataset<Row> reasons() {
    return spark
        .read()
        .format("delta")
        .load(path(QUARANTINE))
        .where(col("state").equalTo("WAITING"))
        .groupBy("reason")
        .agg(count(lit(1)).as("lines"))
        .select("lines", "reason")
        .orderBy(col("lines").desc(), col("reason"));
  }

  Dataset<Row> watermarkRows() {
    return spark.read().format("delta").load(path(WATERMARKS));
  }

  private String path(String table) {
    return warehouse.resolve(table).toString();
  }
}
