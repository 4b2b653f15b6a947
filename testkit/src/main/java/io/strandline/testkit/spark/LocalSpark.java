package io.strandline.testkit.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.sql.SparkSession;

/**
 * The one Spark of a JVM, with its folder; stopped and deleted when the last test has ended.
 *
 * <p>Tests get it by {@link LakehouseExtension}; programs that a test starts in a JVM of their own
 * can be given the same settings.
 */
public final class LocalSpark implements AutoCloseable {
  private final SparkSession root;
  private final Path folder;
  private final AtomicLong lakehouses = new AtomicLong();

  private LocalSpark(SparkSession root, Path folder) {
    this.root = root;
    this.folder = folder;
  }

  /** Starts Spark in a folder of its own. */
  static LocalSpark start() {
    try {
      Path folder = Files.createTempDirectory("strandline-lakehouse");
      return new LocalSpark(builder(folder.resolve("warehouse")).getOrCreate(), folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Begins a local session with Delta, and with settings that suit small tables on few cores.
   *
   * @param warehouse the folder of the tables that the catalog names; it need not exist
   * @return the builder, to which settings can be added
   */
  public static SparkSession.Builder builder(Path warehouse) {
    SparkSession.Builder builder = SparkSession.builder();
    LocalDisk.settings().forEach(builder::config);
    return builder
        .appName("strandline tests")
        .master("local[2]")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.default.parallelism", "1")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.adaptive.enabled", "false")
        // Compiling code for a handful of rows takes longer than interpreting it.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.warehouse.dir", warehouse.toUri().toString())
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        // VACUUM lists folders in so many tasks, ten thousand by default.
        .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2")
        // Nobody looks at what ran before, and its plans would fill the heap.
        .config("spark.sql.ui.retainedExecutions", "1")
        .config("spark.ui.retainedJobs", "1")
        .config("spark.ui.retainedStages", "1")
        .config("spark.ui.retainedTasks", "1");
  }

  /** Makes a session and a schema for one test. */
  Lakehouse newLakehouse(Map<String, String> settings) {
    SparkSession session = root.newSession();
    settings.forEach((key, value) -> session.conf().set(key, value));

    if (session.conf().get("spark.sql.shuffle.partitions").equals("200")) {
      System.err.println(
          "spark.sql.shuffle.partitions is 200, which makes tests with few rows slow: a Spark"
              + " session was started before LakehouseExtension could set it.");
    }

    String schema = "lakehouse_" + lakehouses.incrementAndGet();
    return Lakehouse.create(session, schema, folder.resolve("paths").resolve(schema));
  }

  /** Stops Spark and deletes its folder. */
  @Override
  public void close() {
    root.stop();
    Folders.delete(folder);
  }
}
