package io.strandline.spark.proof;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.from_json;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.source.IncrementalSource;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.target.Landing;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/** Orders that land day by day in bronze and are merged by key into silver. */
class OrderLoad implements KilledLoad {
  private static final LoadName NAME = new LoadName("orders");

  private final SparkSession spark;
  private final Path folder;
  private final OrderHistory history;

  OrderLoad(SparkSession spark, Path folder, OrderHistory history) {
    this.spark = spark;
    this.folder = folder;
    this.history = history;
  }

  @Override
  public void land(int day) {
    Clock evening = Clock.fixed(OrderHistory.evening(day), ZoneOffset.UTC);
    List<Row> rows =
        history.day(day).stream()
            .map(
                order ->
                    RowFactory.create(
                        order.id(),
                        order.status(),
                        order.version(),
                        order.amount(),
                        order.orderedAt()))
            .toList();
    Landing.intoPath(spark, path("bronze"))
        .timedBy(evening)
        .land("day-" + day, spark.createDataFrame(rows, StructType.fromDDL(OrderHistory.COLUMNS)));
  }

  @Override
  public IncrementalLoad.Builder<Dataset<Row>> load() {
    return IncrementalLoad.named(NAME.value())
        .from(source())
        .into(target())
        .trackedIn(DeltaWatermarkStore.forPath(spark, path("etl_watermark")));
  }

  IncrementalSource<Dataset<Row>> source() {
    return DeltaTableSource.forPath(spark, path("bronze")).newerBy("_loaded_at");
  }

  MergeTarget<Dataset<Row>> target() {
    return DeltaMergeTarget.forPath(spark, path("silver"))
        .matchedOn("order_id")
        .sequencedBy("version")
        .tieBrokenBy("amount")
        .stamped("_loaded_at")
        .createdIfMissing();
  }

  @Override
  public void verify(int lastDay) {
    assertThat(read("bronze")).as("landed rows").hasRows(expectedBronze(lastDay));
    assertThat(silver()).as("target").hasRows(expectedSilver(lastDay));
    assertThat(quarantine()).as("quarantine").hasRows(history.rejected(lastDay));
    assertThat(watermark()).as("watermark").isEqualTo(Watermark.at(OrderHistory.evening(lastDay)));
  }

  /** Reads the target as far as it does not depend on which run wrote a row. */
  Dataset<Row> silver() {
    return read("silver").drop("_loaded_at");
  }

  /** Returns what {@link #silver} must hold. */
  Rows expectedSilver(int lastDay) {
    return history.newest(lastDay);
  }

  /** Returns what bronze must hold. */
  Rows expectedBronze(int lastDay) {
    return history.landed(lastDay);
  }

  private Dataset<Row> quarantine() {
    String columns = OrderHistory.COLUMNS + ", _loaded_at TIMESTAMP";
    return read("silver_quarantine")
        .select(col("reason"), from_json(col("raw_row"), StructType.fromDDL(columns)).as("row"))
        .select("reason", "row.*");
  }

  private Watermark watermark() {
    return DeltaWatermarkStore.forPath(spark, path("etl_watermark"))
        .last(NAME, Set.of(StreamName.only()))
        .value(StreamName.only());
  }

  final SparkSession spark() {
    return spark;
  }

  final OrderHistory history() {
    return history;
  }

  final Dataset<Row> read(String table) {
    return spark.read().format("delta").load(path(table));
  }

  final String path(String table) {
    return folder.resolve(table).toString();
  }
}
