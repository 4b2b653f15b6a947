package io.strandline.spark.proof;

import io.strandline.load.IncrementalLoad;
import io.strandline.source.Cursor;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.HistoryVerifier;
import io.strandline.testkit.fault.HistoryWorld;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Random histories of loads on Delta, in sessions whose settings change all the time. */
@ExtendWith(LakehouseExtension.class)
class DeltaHistoriesTest {
  private static final boolean EXTENDED = Boolean.getBoolean("strandline.extended");
  private static final int HISTORIES = 30;
  private static final int EVENTS = EXTENDED ? 16 : 8;

  /**
   * A short history that has it all: deaths in and after a merge, an edit of the watermark, and
   * rows late enough to need the lookback, some of them older than what is stored.
   */
  private static final long RICH_SEED = 20;

  @Test
  void histories_onDelta_endAsOneFullLoad(Lakehouse lakehouse) {
    HistoryVerifier verifier =
        HistoryVerifier.of(seed -> new DeltaWorld(lakehouse, seed)).events(EVENTS);

    if (EXTENDED) {
      verifier.verify(HISTORIES);
    } else {
      verifier.replay(Long.getLong("strandline.seed", RICH_SEED));
    }
  }

  /** A load between tables in a folder of its own. */
  private static final class DeltaWorld implements HistoryWorld {
    private static final LoadName ORDERS = new LoadName("orders");
    private static final String COLUMNS =
        "id BIGINT, value STRING, revision BIGINT, landed TIMESTAMP";

    /** Close to the hour that New York has twice. */
    private static final Instant DAWN = Instant.parse("2026-11-01T05:58:00.000001Z");

    private static final List<String> ZONES = List.of("UTC", "America/New_York", "Asia/Kolkata");

    private final Lakehouse lakehouse;
    private final SparkSession spark;
    private final Path folder;

    private DeltaWorld(Lakehouse lakehouse, long seed) {
      this.lakehouse = lakehouse;
      this.spark = lakehouse.spark();
      this.folder = Path.of(lakehouse.path("history-" + seed));
      land(Rows.columns("id", "value", "revision", "landed"));
    }

    @Override
    public void land(Rows rows) {
      lakehouse
          .dataset(
              COLUMNS,
              rows.with("landed", row -> row.get("landed") instanceof Long at ? time(at) : null))
          .write()
          .format("delta")
          .mode("append")
          .save(path("bronze"));
    }

    @Override
    public IncrementalLoad<Dataset<Row>> load(FaultPlan faults) {
      return IncrementalLoad.named(ORDERS.value())
          .from(
              faults.wrap(
                  DeltaTableSource.forPath(spark, path("bronze"))
                      .newerBy(
                          Cursor.on("landed")
                              .lookback(Duration.ofSeconds(HistoryVerifier.LOOKBACK)))))
          .into(
              faults.wrap(
                  DeltaMergeTarget.forPath(spark, path("silver"))
                      .matchedOn("id")
                      .sequencedBy("revision")
                      .createdIfMissing()))
          .trackedIn(faults.wrap(store()))
          .loggedIn(faults.wrapLog(entry -> {}))
          .build();
    }

    @Override
    public Rows target() {
      return Files.exists(folder.resolve("silver"))
          ? Lakehouse.collect(spark.read().format("delta").load(path("silver")))
              .with("landed", row -> row.get("landed") instanceof Instant at ? number(at) : null)
          : Rows.columns("id", "value", "revision", "landed");
    }

    @Override
    public Watermark stored() {
      return store().last(ORDERS, Set.of(StreamName.only())).value(StreamName.only());
    }

    @Override
    public void edit(Watermark watermark) {
      if (!Files.exists(folder.resolve("etl_watermark"))) {
        return;
      }

      spark.sql(
          watermark.isStart()
              ? "DELETE FROM delta.`" + path("etl_watermark") + "`"
              : "UPDATE delta.`"
                  + path("etl_watermark")
                  + "` SET last_value = TIMESTAMP '"
                  + watermark
                  + "'");
    }

    @Override
    public Watermark watermark(long landed) {
      return Watermark.at(time(landed));
    }

    @Override
    public void change(Random random) {
      spark.conf().set("spark.sql.session.timeZone", ZONES.get(random.nextInt(ZONES.size())));
      spark.conf().set("spark.sql.shuffle.partitions", 1 + random.nextInt(4));
    }

    private DeltaWatermarkStore store() {
      return DeltaWatermarkStore.forPath(spark, path("etl_watermark"));
    }

    private String path(String table) {
      return folder.resolve(table).toString();
    }

    private static Instant time(long landed) {
      return DAWN.plusSeconds(landed);
    }

    private static long number(Instant time) {
      return Duration.between(DAWN, time).toSeconds();
    }
  }
}
