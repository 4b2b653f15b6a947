package io.strandline.samples.tablesync;

import static org.apache.spark.sql.functions.col;

import io.delta.tables.DeltaTable;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadListener;
import io.strandline.source.IncrementalSource;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.source.UnionSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.target.DeltaUpkeep;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.DeleteSweep;
import io.strandline.target.Deletes;
import io.strandline.target.MergeTarget;
import io.strandline.watermark.WatermarkStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/** The tables of the story, each in a folder of the warehouse, and the load between them. */
final class LookupTables {
  private static final String LANDING = "LANDING_";
  private static final String TARGET = "ODS_LOOKUP";
  private static final String SYNCHDATES = "SYNCHDATES";
  private static final String SYNCED = "_FIVETRAN_SYNCED";
  private static final int RUNS_PER_SWEEP = 4;
  private static final int RUNS_PER_UPKEEP = 4;
  private static final double MOST_SWEPT = 0.25;
  private static final StructType COLUMNS =
      StructType.fromDDL(
          "LOOKUPID STRING, DESCRIPTION STRING, SYNCHDEL INT, " + SYNCED + " TIMESTAMP");

  private final SparkSession spark;
  private final Path warehouse;

  /** Finds the tables, and makes the one that the watermarks stand in, as others have made it. */
  LookupTables(SparkSession spark, Path warehouse) {
    this.spark = spark;
    this.warehouse = warehouse;
    DeltaTable.createIfNotExists(spark)
        .location(path(SYNCHDATES))
        .addColumn("REAPITTABLE", "STRING")
        .addColumn("SYNCHDATE", "TIMESTAMP")
        .execute();
  }

  /**
   * Composes the load.
   *
   * @param clock says when a run begins, which is what changed rows are stamped with
   * @param listener hears of its steps
   */
  IncrementalLoad<Dataset<Row>> load(Clock clock, LoadListener listener) {
    return IncrementalLoad.named("lookup")
        .from(landing())
        .into(ods())
        .trackedIn(synchDates())
        .swept(DeleteSweep.every(RUNS_PER_SWEEP).atMostShare(MOST_SWEPT))
        .timedBy(clock)
        .heardBy(listener)
        .build();
  }

  /** Both landing tables, each newer by the time at which the connector synced its rows. */
  private IncrementalSource<Dataset<Row>> landing() {
    return UnionSource.of(Synced.ACTIVE, landing(Synced.ACTIVE))
        .and(Synced.ARCHIVE, landing(Synced.ARCHIVE));
  }

  private IncrementalSource<Dataset<Row>> landing(String table) {
    return DeltaTableSource.forPath(spark, path(LANDING + table)).newerBy(SYNCED);
  }

  /** One row per code. A deleted one is kept with its flag, so that old sales still find it. */
  private MergeTarget<Dataset<Row>> ods() {
    return DeltaMergeTarget.forPath(spark, path(TARGET))
        .matchedOn("LOOKUPID")
        .deletedWhen(Deletes.soft("SYNCHDEL", 1))
        .stampingChanges("LASTUPDATED")
        .createdIfMissing();
  }

  /** How far each landing table was read, in a table that others have made and read. */
  private WatermarkStore synchDates() {
    return DeltaWatermarkStore.forPath(spark, path(SYNCHDATES))
        .nameColumn("REAPITTABLE")
        .valueColumn("SYNCHDATE")
        .rowsNamedByStream();
  }

  /**
   * Puts all rows of a source table into its landing table, as the connector does.
   *
   * @param table the table
   * @param day the day, which the commit remembers: it lands once
   * @param rows the rows
   */
  void land(String table, String day, List<Row> rows) {
    String path = path(LANDING + table);

    if (!hasLanded(path, day)) {
      spark
          .createDataFrame(rows, COLUMNS)
          .write()
          .format("delta")
          .mode("overwrite")
          .option("userMetadata", day)
          .save(path);
    }
  }

  private boolean hasLanded(String path, String day) {
    return DeltaTable.isDeltaTable(spark, path)
        && !DeltaTable.forPath(spark, path)
            .history()
            .where(col("userMetadata").equalTo(day))
            .isEmpty();
  }

  /** Keeps the target up, when enough runs have written into it. */
  DeltaUpkeep upkeep() {
    return DeltaUpkeep.forPath(spark, path(TARGET)).dueAfterRuns(RUNS_PER_UPKEEP);
  }

  /** Returns the codes, with the deleted ones. */
  Dataset<Row> codes() {
    return read(TARGET).orderBy("LOOKUPID");
  }

  /** Returns how many codes are not deleted. */
  long living() {
    return read(TARGET).where(col("SYNCHDEL").equalTo(0)).count();
  }

  /** Returns how far each landing table was read. */
  Dataset<Row> dates() {
    return read(SYNCHDATES).orderBy("REAPITTABLE");
  }

  private Dataset<Row> read(String table) {
    return spark.read().format("delta").load(path(table));
  }

  private String path(String table) {
    return warehouse.resolve(table).toString();
  }
}
