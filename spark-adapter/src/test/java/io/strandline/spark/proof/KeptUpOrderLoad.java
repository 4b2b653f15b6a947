package io.strandline.spark.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.spark.target.DeltaUpkeep;
import io.strandline.spark.target.UpkeepReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;

/**
 * Orders that land day by day in bronze and are merged by key into silver; after every load all
 * tables are kept up, and nothing is retained that their newest versions do not need.
 */
final class KeptUpOrderLoad extends OrderLoad {
  private static final List<String> TABLES =
      List.of("silver", "etl_watermark", "bronze", "silver_quarantine");

  KeptUpOrderLoad(SparkSession spark, Path folder, OrderHistory history) {
    super(spark, folder, history);
  }

  @Override
  public void keepUp(Consumer<String> listener) {
    for (String table : TABLES) {
      listener.accept("upkeep of " + table);
      upkeep(table).run();
    }
  }

  private DeltaUpkeep upkeep(String table) {
    SparkSession unchecked = spark().newSession();
    unchecked.conf().set("spark.databricks.delta.retentionDurationCheck.enabled", "false");
    return DeltaUpkeep.forPath(unchecked, path(table)).retaining(Duration.ZERO);
  }

  /** Nothing that a killed life has begun to write is left either, once upkeep is done. */
  @Override
  public void verify(int lastDay) {
    super.verify(lastDay);

    for (String table : TABLES) {
      UpkeepReport report = upkeep(table).run();
      assertThat(report.skipped()).as(report.toString()).isEmpty();
      assertThat(storedFiles(table)).as(report.toString()).isEqualTo(report.after().files());
    }

    super.verify(lastDay);
  }

  private long storedFiles(String table) {
    Path folder = Path.of(path(table));

    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> !file.startsWith(folder.resolve("_delta_log")))
          .filter(file -> file.toString().endsWith(".parquet"))
          .count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
