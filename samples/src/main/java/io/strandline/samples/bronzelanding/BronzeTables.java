package io.strandline.samples.bronzelanding;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.get_json_object;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadListener;
import io.strandline.source.IncrementalSource;
import io.strandline.spark.source.FileSource;
import io.strandline.spark.target.DeltaAppendTarget;
import io.strandline.spark.target.SchemaPolicy;
import io.strandline.spark.target.TableLayout;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.MergeTarget;
import io.strandline.watermark.WatermarkStore;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The tables of the story, each in a folder of the warehouse, and the loads into them. */
class BronzeTables {
  private static final String LEDGER = "etl_files";
  private static final String WATERMARKS = "etl_watermark";
  private static final int DAYS_LISTED = 31;

  private final SparkSession spark;
  private final Path warehouse;

  BronzeTables(SparkSession spark, Path warehouse) {
    this.spark = spark;
    this.warehouse = warehouse;
  }

  /** Composes the load of a source table. */
  final IncrementalLoad<Dataset<Row>> load(Origin origin, LoadListener listener) {
    return IncrementalLoad.named(origin.table())
        .from(files(origin))
        .cleanedBy(new BronzeColumns(origin)::of)
        .into(bronze(origin))
        .trackedIn(watermarks())
        .heardBy(listener)
        .build();
  }

  /**
   * The files that no run has read yet, whatever day their folder is of. Folders that are more than
   * a month older than the newest are not even listed.
   */
  IncrementalSource<Dataset<Row>> files(Origin origin) {
    return format(origin)
        .folderColumns(BronzeColumns.FOLDERS)
        .pathAs(BronzeColumns.LANDED_IN)
        .modifiedAs(BronzeColumns.LANDED_AT)
        .listingDaysBack(DAYS_LISTED, "year", "month", "day")
        .newFilesByLedgerIn(path(LEDGER));
  }

  private FileSource.Files format(Origin origin) {
    return switch (origin.format()) {
      case PARQUET -> FileSource.parquet(spark, origin.folder());
      case CSV -> FileSource.csv(spark, origin.folder());
    };
  }

  /** Rows are only ever added; a column that the files get, the table gets too. */
  MergeTarget<Dataset<Row>> bronze(Origin origin) {
    DeltaAppendTarget all =
        DeltaAppendTarget.forPath(spark, path(origin.table()))
            .createdIfMissing(
                TableLayout.plain()
                    .partitionedBy(BronzeColumns.YEAR, BronzeColumns.MONTH, BronzeColumns.DAY))
            .onSchemaDrift(
                SchemaPolicy.strict()
                    .newColumns(SchemaPolicy.NewColumns.ADD)
                    .missingColumns(SchemaPolicy.MissingColumns.KEEP));
    return switch (origin.appended()) {
      case ALL -> all;
      case CHANGES -> changes(all, origin);
    };
  }

  /**
   * Of each key only the versions that differ from the one before. When a row was changed, and by
   * which file it came, makes no difference.
   */
  private static MergeTarget<Dataset<Row>> changes(DeltaAppendTarget all, Origin origin) {
    return all.matchedOn(BronzeColumns.KEY)
        .changesOnly()
        .sequencedBy(BronzeColumns.UPDATED_AT)
        .stamped(
            origin.modified(),
            BronzeColumns.DATE,
            BronzeColumns.YEAR,
            BronzeColumns.MONTH,
            BronzeColumns.DAY,
            BronzeColumns.FILE_NAME,
            BronzeColumns.FILE_PATH);
  }

  /** How many batches of files each load has appended. */
  WatermarkStore watermarks() {
    return DeltaWatermarkStore.forPath(spark, path(WATERMARKS));
  }

  /** Returns the rows of a bronze table, as they came. */
  final Dataset<Row> rows(Origin origin) {
    return read(origin.table())
        .orderBy(BronzeColumns.DATE, BronzeColumns.FILE_NAME, BronzeColumns.KEY);
  }

  /** Returns the lines that were no rows, and why. */
  final Dataset<Row> rejected(Origin origin) {
    return read(origin.table() + "_quarantine")
        .select(col("reason"), get_json_object(col("raw_row"), "$._line").as("line"));
  }

  private Dataset<Row> read(String table) {
    return spark.read().format("delta").load(path(table));
  }

  private String path(String table) {
    return warehouse.resolve(table).toString();
  }
}
