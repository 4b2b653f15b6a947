package io.strandline.samples.customerhistory;

import static org.apache.spark.sql.functions.col;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadListener;
import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaHistoryTarget;
import io.strandline.spark.target.HistoryAudit;
import io.strandline.spark.target.Landed;
import io.strandline.spark.target.Landing;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.Deletes;
import io.strandline.watermark.WatermarkStore;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;

/** The tables of the story, each in a folder of the warehouse, and the load between them. */
final class CustomerTables {
  private static final String BRONZE = "bronze_customers";
  private static final String HISTORY = "dim_customer";
  private static final String WATERMARKS = "etl_watermark";
  private static final StructType COLUMNS =
      StructType.fromDDL(
          "customer_id INT, name STRING, city STRING, phone STRING, change STRING, changed_on DATE");

  private final SparkSession spark;
  private final Path warehouse;

  CustomerTables(SparkSession spark, Path warehouse) {
    this.spark = spark;
    this.warehouse = warehouse;
  }

  /** Composes the load. */
  IncrementalLoad<Dataset<Row>> load(LoadListener listener) {
    return IncrementalLoad.named("customers")
        .from(bronze())
        .into(history())
        .trackedIn(watermarks())
        .heardBy(listener)
        .build();
  }

  /** What the shop heard, newer by the time it landed; no two landings share a time. */
  private IncrementalSource<Dataset<Row>> bronze() {
    return DeltaTableSource.forPath(spark, path(BRONZE))
        .newerBy(Cursor.on("_loaded_at").exclusive());
  }

  /**
   * A new name or city is a new version, a new phone number is not. What is said of one day counts
   * as it landed last.
   */
  DeltaHistoryTarget history() {
    return DeltaHistoryTarget.forPath(spark, path(HISTORY))
        .matchedOn("customer_id")
        .effectiveFrom("changed_on")
        .tracking("name", "city")
        .deletedWhen(Deletes.hard("change", "gone").notStoring("change"))
        .createdIfMissing();
  }

  private WatermarkStore watermarks() {
    return DeltaWatermarkStore.forPath(spark, path(WATERMARKS));
  }

  /**
   * Lands what was heard on a day, exactly once.
   *
   * @param day the name of the landing
   * @param heard the rows
   * @return when it landed, and whether just now
   */
  Landed land(String day, List<Row> heard) {
    return Landing.intoPath(spark, path(BRONZE)).land(day, spark.createDataFrame(heard, COLUMNS));
  }

  /** Returns every version of every customer. */
  Dataset<Row> versions() {
    return held()
        .select("customer_id", "name", "city", "phone", "valid_from", "valid_to", "is_current")
        .orderBy("customer_id", "valid_from");
  }

  /** Returns the customers as they were on a day. */
  Dataset<Row> asOf(LocalDate day) {
    return held()
        .where(col("valid_from").leq(functions.lit(day)))
        .where(col("valid_to").isNull().or(col("valid_to").gt(functions.lit(day))))
        .select("customer_id", "name", "city")
        .orderBy("customer_id");
  }

  /** Returns what an audit of the history finds. */
  HistoryAudit audit() {
    return history().audit();
  }

  private Dataset<Row> held() {
    return spark.read().format("delta").load(path(HISTORY));
  }

  private String path(String table) {
    return warehouse.resolve(table).toString();
  }
}
