package io.strandline.spark.proof;

import static io.strandline.spark.proof.Parent.tell;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.source.Cursor;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.testkit.spark.LocalSpark;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** A program that loads a Delta table for the first time, all of it in one run. */
final class SmallHeapLoad {
  /**
   * How much of a file Parquet keeps in memory for each task that reads or writes; with its 128 MB
   * two tasks have half of a small heap, whoever writes.
   */
  static final String ROW_GROUP = "parquet.block.size";

  static final long ROW_GROUP_BYTES = 16 << 20;

  private SmallHeapLoad() {}

  /**
   * Runs the program.
   *
   * @param args the folder of the tables
   */
  public static void main(String[] args) {
    Parent.heard();
    Path folder = Path.of(args[0]);
    SparkSession spark =
        LocalSpark.builder(folder.resolve("warehouse"))
            // The files of a killed process are gone with the test's folder.
            .config("spark.local.dir", folder.resolve("local").toString())
            .config("spark.hadoop." + ROW_GROUP, ROW_GROUP_BYTES)
            .getOrCreate();
    LoadResult result =
        IncrementalLoad.named("notes")
            .from(
                DeltaTableSource.forPath(spark, folder.resolve("bronze").toString())
                    .newerBy(Cursor.on("modified")))
            .into(
                DeltaMergeTarget.forPath(spark, folder.resolve("silver").toString())
                    .matchedOn("id")
                    .createdIfMissing())
            .trackedIn(
                DeltaWatermarkStore.forPath(spark, folder.resolve("etl_watermark").toString()))
            .build()
            .run();
    tell("merged " + result.rowsMerged() + " in " + Runtime.getRuntime().maxMemory() + " bytes");
    spark.stop();
    System.exit(0);
  }
}
