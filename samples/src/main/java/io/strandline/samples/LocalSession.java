package io.strandline.samples;

import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.SparkSession;

/** Starts the Spark of a sample: in this JVM, and silent. */
public final class LocalSession {
  private static final String LOG_FILE = "strandline.log";

  private LocalSession() {}

  /**
   * Starts Spark with Delta, for tables of some thousand rows.
   *
   * <p>Call it before anything else touches Spark, since the log's file is opened by the first
   * message.
   *
   * @param name the name of the application
   * @param folder the folder for what Spark leaves behind
   * @param log the file that everything is logged to that would else go to the console
   * @return the session
   */
  public static SparkSession start(String name, Path folder, Path log) {
    return builder(name, folder, log)
        // Small tables: more tasks, or plans changed on the way, cost more than they bring.
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.default.parallelism", "2")
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.databricks.delta.snapshotPartitions", "2")
        // VACUUM lists folders in so many tasks, ten thousand by default.
        .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2")
        // Compiling code for some thousand rows takes longer than interpreting it.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .getOrCreate();
  }

  /**
   * Starts Spark with Delta, for tables of millions of rows: what Spark does by itself with large
   * tables, it does here.
   *
   * <p>Call it before anything else touches Spark, since the log's file is opened by the first
   * message.
   *
   * @param name the name of the application
   * @param folder the folder for what Spark leaves behind
   * @param log the file that everything is logged to that would else go to the console
   * @param settings further settings of Spark, which win over those here
   * @return the session
   */
  public static SparkSession startForLargeTables(
      String name, Path folder, Path log, Map<String, String> settings) {
    SparkSession.Builder builder =
        builder(name, folder, log)
            // 200 and 50 by default, which suits a cluster.
            .config("spark.sql.shuffle.partitions", 2L * Runtime.getRuntime().availableProcessors())
            .config("spark.databricks.delta.snapshotPartitions", "2");
    settings.forEach(builder::config);
    return builder.getOrCreate();
  }

  private static SparkSession.Builder builder(String name, Path folder, Path log) {
    System.setProperty(LOG_FILE, log.toString());
    return SparkSession.builder()
        .appName(name)
        .master("local[*]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", folder.toUri().toString())
        .config("spark.sql.session.timeZone", "UTC")
        // Nobody looks at what ran before, and its plans would fill the heap.
        .config("spark.sql.ui.retainedExecutions", "1")
        .config("spark.ui.retainedJobs", "1")
        .config("spark.ui.retainedStages", "1")
        .config("spark.ui.retainedTasks", "1");
  }
}
