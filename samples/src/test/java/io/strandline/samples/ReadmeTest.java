package io.strandline.samples;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.trim;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.testkit.contract.WatermarkStoreContract;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.WatermarkStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The code of the README is the code between the markers of this class. */
@ExtendWith(LakehouseExtension.class)
class ReadmeTest {
  private static final Path THIS_FILE =
      Path.of("src/test/java/io/strandline/samples/ReadmeTest.java");
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern REGION =
      Pattern.compile("// README, from here\n(.*?) *// README, to here\n", Pattern.DOTALL);

  @Test
  void sketch_onNewOrders_mergesThem(SparkSession spark, Lakehouse lakehouse) {
    lakehouse.append(
        "bronze_orders",
        lakehouse.dataset(
            "order_id STRING, product STRING, _loaded_at TIMESTAMP",
            RowFactory.create(" A-17 ", "lantern", "2026-07-01T02:00:00Z"),
            RowFactory.create("A-18", "paper chain", "2026-07-01T02:00:00Z")));
    lakehouse.append(
        "silver_orders",
        lakehouse.dataset("order_id STRING, product STRING, _loaded_at TIMESTAMP"));

    // README, from here
    IncrementalLoad<Dataset<Row>> orders =
        IncrementalLoad.named("orders")
            .from(DeltaTableSource.forName(spark, "bronze_orders").newerBy("_loaded_at"))
            .cleanedBy(Orders::clean)
            .into(DeltaMergeTarget.forName(spark, "silver_orders").matchedOn("order_id"))
            .trackedIn(DeltaWatermarkStore.forName(spark, "etl_watermark"))
            .build();

    LoadResult result = orders.run();
    System.out.println(result.rowsMerged());
    // README, to here

    assertThat(result.rowsMerged()).isEqualTo(2);
  }

  @Test
  void readme_inItsJavaBlocks_showsTheMarkedCode() throws IOException {
    List<String> blocks = matches(BLOCK, Path.of("..", "README.md"));
    List<String> marked = matches(REGION, THIS_FILE);

    assertThat(blocks).hasSize(2).isEqualTo(marked);
  }

  private static List<String> matches(Pattern pattern, Path file) throws IOException {
    return pattern
        .matcher(Files.readString(file))
        .results()
        .map((MatchResult match) -> match.group(1).stripTrailing().stripIndent())
        .toList();
  }

  /** The reader's own cleaner. */
  static final class Orders {
    private Orders() {}

    static Dataset<Row> clean(Dataset<Row> rows) {
      return rows.withColumn("order_id", trim(col("order_id")));
    }
  }

  @SuppressWarnings("ClassCanBeStatic") // It is in a file of its own where the reader writes it.
  // README, from here
  class OwnStoreTest implements WatermarkStoreContract {
    @Override
    public WatermarkStore newStore() {
      return OwnStore.empty();
    }
  }

  // README, to here

  /** Stands for the store that the reader has written. */
  static final class OwnStore {
    private OwnStore() {}

    static WatermarkStore empty() {
      return FakeWatermarkStore.empty();
    }
  }
}
