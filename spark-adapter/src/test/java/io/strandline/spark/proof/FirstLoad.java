package io.strandline.spark.proof;

import static io.strandline.spark.proof.Parent.tell;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.timestamp_seconds;
import static org.apache.spark.sql.functions.xxhash64;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadEvent;
import io.strandline.load.LoadPhase;
import io.strandline.load.LoadResult;
import io.strandline.source.Cursor;
import io.strandline.spark.source.JdbcDatabase;
import io.strandline.spark.source.JdbcTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.testkit.spark.LocalSpark;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A program that loads a table of a database step by step until nothing is new, or it is killed.
 *
 * <p>Says each step that it begins, how much heap each took, and in the end what the target holds
 * and what it should.
 */
final class FirstLoad {
  /** When the first of the table's rows was changed, less a second. */
  static final Instant BEGINNING = Instant.parse("2024-01-01T00:00:00Z");

  private final SparkSession spark;
  private final Path folder;

  private FirstLoad(SparkSession spark, Path folder) {
    this.spark = spark;
    this.folder = folder;
  }

  /**
   * Runs the program.
   *
   * @param args the database's address, the folder of the tables, how many rows there are, and how
   *     many of them a step takes
   */
  public static void main(String[] args) {
    Parent.heard();
    Path folder = Path.of(args[1]);
    SparkSession spark =
        LocalSpark.builder(folder.resolve("warehouse"))
            // The files of a killed process are gone with the test's folder.
            .config("spark.local.dir", folder.resolve("local").toString())
            .getOrCreate();
    FirstLoad program = new FirstLoad(spark, folder);
    program.run(program.load(args[0], Long.parseLong(args[3])));
    tell("holds " + content(program.silver()));
    tell("should hold " + content(program.made(Long.parseLong(args[2]))));
    spark.stop();
    System.exit(0);
  }

  private void run(IncrementalLoad<Dataset<Row>> load) {
    long rows;

    do {
      Heap.forget();
      LoadResult result = load.run();
      rows = result.rowsMerged();
      tell("took " + rows + " rows, " + Heap.measured());
    } while (rows > 0);
  }

  private IncrementalLoad<Dataset<Row>> load(String url, long step) {
    return IncrementalLoad.named("transactions")
        .from(
            JdbcTableSource.forTable(
                    spark,
                    JdbcDatabase.at(url).loggedInAs("postgres", () -> "postgres"),
                    "transactions")
                .newerBy(Cursor.on("modified").exclusive().atMost(step))
                .splitInto(2))
        .into(DeltaMergeTarget.forPath(spark, path("silver")).matchedOn("id").createdIfMissing())
        .trackedIn(DeltaWatermarkStore.forPath(spark, path("etl_watermark")))
        .heardBy(FirstLoad::tellStep)
        .build();
  }

  private static void tellStep(LoadEvent event) {
    if (event.phase() == LoadPhase.STARTED) {
      tell("step " + event.step());
    }
  }

  private Dataset<Row> silver() {
    return spark.read().format("delta").load(path("silver"));
  }

  /** Makes the rows of the database's table anew. */
  private Dataset<Row> made(long rows) {
    return spark
        .range(1, rows + 1)
        .toDF("id")
        .select(
            col("id"),
            col("id").mod(1000).cast("int").as("account"),
            col("id")
                .mod(100_000)
                .cast("decimal(18,2)")
                .divide(100)
                .cast("decimal(18,2)")
                .as("amount"),
            timestamp_seconds(col("id").plus(BEGINNING.getEpochSecond())).as("modified"));
  }

  /** Returns what tells rows from others, whatever their order. */
  private static String content(Dataset<Row> rows) {
    return rows.select(
            col("id"),
            col("amount"),
            xxhash64(col("id"), col("account"), col("amount"), col("modified")).as("hash"))
        .agg(
            count(lit(1)),
            sum(col("id")),
            sum(col("amount")),
            sum(col("hash").cast("decimal(38,0)")))
        .head()
        .mkString(" ");
  }

  private String path(String table) {
    return folder.resolve(table).toString();
  }

  /** How much of the heap is used. */
  private static final class Heap {
    private static final int MEGABYTE_BITS = 20;

    private static final List<MemoryPoolMXBean> POOLS =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();

    private Heap() {}

    /** Throws away what nobody needs, and begins to measure. */
    static void forget() {
      System.gc();
      POOLS.forEach(MemoryPoolMXBean::resetPeakUsage);
    }

    /** Returns how much was used at most since then, and how much is needed now. */
    static String measured() {
      long peak = POOLS.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
      System.gc();
      long kept = POOLS.stream().mapToLong(pool -> pool.getUsage().getUsed()).sum();
      return "heap at most "
          + (peak >> MEGABYTE_BITS)
          + " MB, kept "
          + (kept >> MEGABYTE_BITS)
          + " MB";
    }
  }
}
