package io.strandline.spark.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.spark.target.DeltaHistoryTarget;
import io.strandline.spark.target.HistoryAudit;
import io.strandline.testkit.fake.FakeHistoryTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Orders that land day by day in bronze, of which silver holds every version with its time. */
final class OrderVersionsLoad extends OrderLoad {
  OrderVersionsLoad(SparkSession spark, Path folder, OrderHistory history) {
    super(spark, folder, history);
  }

  @Override
  DeltaHistoryTarget target() {
    return DeltaHistoryTarget.forPath(spark(), path("silver"))
        .matchedOn("order_id")
        .effectiveFrom("ordered_at")
        .tracking("status", "amount")
        .sequencedBy("version", "_loaded_at", "amount")
        .createdIfMissing();
  }

  @Override
  Dataset<Row> silver() {
    return super.silver().drop("_strandline_events");
  }

  /** What one run over all days gives in memory. */
  @Override
  Rows expectedSilver(int lastDay) {
    FakeSource bronze = FakeSource.named("bronze");
    bronze.land(history().landed(lastDay));
    FakeHistoryTarget silver =
        FakeHistoryTarget.named("silver")
            .matchedOn("order_id")
            .effectiveFrom("ordered_at")
            .tracking("status", "amount")
            .sequencedBy("version", "_loaded_at", "amount");
    IncrementalLoad.named("orders")
        .from(bronze.newerBy("_loaded_at"))
        .into(silver)
        .trackedIn(FakeWatermarkStore.empty())
        .build()
        .run();
    return silver
        .rows()
        .select(
            "order_id",
            "status",
            "version",
            "amount",
            "ordered_at",
            "valid_from",
            "valid_to",
            "is_current");
  }

  @Override
  public void verify(int lastDay) {
    super.verify(lastDay);
    HistoryAudit audit = target().audit();
    assertThat(audit.isSound()).as(audit.toString()).isTrue();
  }
}
