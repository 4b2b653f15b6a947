package io.strandline.testkit.load;

import io.strandline.load.IncrementalLoad;
import io.strandline.source.Cursor;
import io.strandline.source.NullCursors;
import io.strandline.testkit.fake.FakeMergeTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.HistoryVerifier;
import io.strandline.testkit.fault.HistoryWorld;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Random histories of loads in memory, with sources and stores of every sort. */
class HistoriesTest {
  private static final int HISTORIES = Boolean.getBoolean("strandline.extended") ? 5_000 : 150;

  @Test
  void histories_ofEverySort_endAsOneFullLoad() {
    HistoryVerifier.of(MemoryWorld::new).verify(HISTORIES);
  }

  /** A load whose options the seed decides. */
  private static final class MemoryWorld implements HistoryWorld {
    private static final LoadName ORDERS = new LoadName("orders");

    private final FakeWatermarkStore store;
    private final FakeSource source;
    private final FakeMergeTarget target =
        FakeMergeTarget.named("silver").matchedOn("id").sequencedBy("revision");

    private MemoryWorld(long seed) {
      // Another sequence than that of the events, which comes from the same seed.
      Random random = new Random(~seed);
      this.store =
          random.nextInt(5) == 0
              ? FakeWatermarkStore.withoutNumbers("load_control")
              : FakeWatermarkStore.empty();
      Cursor cursor =
          Cursor.on("landed").lookback(HistoryVerifier.LOOKBACK).nulls(NullCursors.QUARANTINE);
      cursor = random.nextBoolean() ? cursor.exclusive() : cursor;
      cursor = random.nextInt(3) == 0 ? cursor.atMost(1 + random.nextInt(3)) : cursor;
      FakeSource bronze = FakeSource.named("bronze").newerBy(cursor);
      bronze = random.nextInt(4) == 0 ? bronze.withoutVersions() : bronze;
      this.source = random.nextBoolean() ? bronze.undisturbed() : bronze;
    }

    @Override
    public void land(Rows rows) {
      source.land(rows);
    }

    @Override
    public IncrementalLoad<Rows> load(FaultPlan faults) {
      return IncrementalLoad.named("orders")
          .from(faults.wrap(source))
          .into(faults.wrap(target))
          .trackedIn(faults.wrap(store))
          .loggedIn(faults.wrapLog(entry -> {}))
          .build();
    }

    @Override
    public Rows target() {
      return target.rows();
    }

    @Override
    public Watermark stored() {
      return store.last(ORDERS, Set.of(StreamName.only())).value(StreamName.only());
    }

    @Override
    public void edit(Watermark watermark) {
      if (watermark.isStart()) {
        store.delete(ORDERS);
      } else {
        store.edit(ORDERS, watermark);
      }
    }
  }
}
