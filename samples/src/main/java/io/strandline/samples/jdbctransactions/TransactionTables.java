package io.strandline.samples.jdbctransactions;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadListener;
import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.spark.source.JdbcDatabase;
import io.strandline.spark.source.JdbcTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.MergeTarget;
import io.strandline.watermark.WatermarkStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The tables of the story, each in a folder of the warehouse, and the load into them. */
final class TransactionTables {
  private static final String SILVER = "transactions_silver";
  private static final String CONTROL = "load_control";

  private final SparkSession spark;
  private final Path warehouse;

  TransactionTables(SparkSession spark, Path warehouse) {
    this.spark = spark;
    this.warehouse = warehouse;
  }

  /**
   * Where the transactions are.
   *
   * @param database the database
   * @param table the table, as it is written in SQL
   * @param key its key
   * @param modified the column that says when a row was changed last
   * @param zone the zone of that column, if it has none itself
   * @param mostRows the most rows of a run
   */
  record Origin(
      JdbcDatabase database,
      String table,
      String key,
      String modified,
      ZoneId zone,
      long mostRows) {}

  /** Composes the load. */
  IncrementalLoad<Dataset<Row>> load(Origin origin, LoadListener listener) {
    return IncrementalLoad.named("Transactions")
        .from(transactions(origin))
        .into(silver(origin))
        .trackedIn(control())
        .heardBy(listener)
        .build();
  }

  /**
   * The transactions, newer by when they were changed. A run takes so many and no more, so that the
   * first load of a large table goes in steps, each of which is kept if the next one fails.
   */
  IncrementalSource<Dataset<Row>> transactions(Origin origin) {
    return JdbcTableSource.forTable(spark, origin.database(), origin.table())
        .newerBy(Cursor.on(origin.modified()).inZone(origin.zone()).atMost(origin.mostRows()))
        .splitInto(2);
  }

  /** One row per transaction. */
  MergeTarget<Dataset<Row>> silver(Origin origin) {
    return DeltaMergeTarget.forPath(spark, path(SILVER)).matchedOn(origin.key()).createdIfMissing();
  }

  /** How far the load got, in a table that was there before, with columns of its own. */
  WatermarkStore control() {
    if (!Files.isDirectory(warehouse.resolve(CONTROL).resolve("_delta_log"))) {
      spark.sql(
          "CREATE TABLE delta.`"
              + path(CONTROL)
              + "` (TableName STRING, LastWatermark TIMESTAMP_NTZ, Typed STRING) USING delta");
    }

    return DeltaWatermarkStore.forPath(spark, path(CONTROL))
        .nameColumn("TableName")
        .valueColumn("LastWatermark")
        .typedColumn("Typed");
  }

  Dataset<Row> silverRows() {
    return spark.read().format("delta").load(path(SILVER));
  }

  Dataset<Row> controlRows() {
    return spark.read().format("delta").load(path(CONTROL));
  }

  private String path(String table) {
    return warehouse.resolve(table).toString();
  }
}
