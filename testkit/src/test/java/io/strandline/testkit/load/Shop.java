package io.strandline.testkit.load;

import io.strandline.clean.Cleaner;
import io.strandline.load.IncrementalLoad;
import io.strandline.testkit.fake.FakeLoadLog;
import io.strandline.testkit.fake.FakeMergeTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.Watermark;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;

/** The orders of a shop: everything around one load, in memory. */
final class Shop {
  static final LoadName ORDERS = new LoadName("orders");
  static final Instant MONDAY = Instant.parse("2026-06-01T22:00:00Z");
  static final Instant TUESDAY = Instant.parse("2026-06-02T22:00:00Z");
  static final Instant WEDNESDAY = Instant.parse("2026-06-03T22:00:00Z");
  static final Clock NOON = Clock.fixed(Instant.parse("2026-06-04T12:00:00Z"), ZoneOffset.UTC);

  final FakeSource bronze = FakeSource.named("bronze_orders").timedBy(NOON);
  final FakeMergeTarget silver = FakeMergeTarget.named("silver_orders").matchedOn("id");
  final FakeWatermarkStore store = FakeWatermarkStore.empty();
  final FakeLoadLog log = new FakeLoadLog();

  /** Orders as they land; the sequence by default is when they were loaded. */
  static Rows orders() {
    return Rows.columns("id", "item", "loaded_at");
  }

  static Watermark at(Instant instant) {
    return Watermark.at(instant);
  }

  /** The load as it stands in the README: no option, nothing wrapped. */
  IncrementalLoad<Rows> load() {
    return load(Faults.none());
  }

  IncrementalLoad<Rows> load(FaultPlan faults) {
    return builder(faults).build();
  }

  IncrementalLoad.Builder<Rows> builder(FaultPlan faults) {
    return IncrementalLoad.named("orders")
        .from(faults.wrap(bronze.newerBy("loaded_at")))
        .cleanedBy(faults.wrapCleaner(Cleaner.none()))
        .into(faults.wrap(silver))
        .trackedIn(faults.wrap(store))
        .loggedIn(faults.wrapLog(log))
        .timedBy(NOON);
  }

  void land(Rows rows) {
    bronze.land(rows);
  }
}
