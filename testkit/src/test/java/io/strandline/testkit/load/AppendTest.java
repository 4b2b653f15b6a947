package io.strandline.testkit.load;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.assertion.LoadAssertions.assertThatFailureOf;
import static io.strandline.testkit.load.Shop.MONDAY;
import static io.strandline.testkit.load.Shop.ORDERS;
import static io.strandline.testkit.load.Shop.TUESDAY;
import static io.strandline.testkit.load.Shop.WEDNESDAY;
import static io.strandline.testkit.load.Shop.at;
import static io.strandline.testkit.load.Shop.orders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.clean.Cleaner;
import io.strandline.load.Aftermath;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.NullCursors;
import io.strandline.testkit.fake.FakeAppendTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeUnionSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.CrashVerifier;
import io.strandline.testkit.fault.CrashWorld;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Loads into a target that would hold a row twice if it were given it twice. */
class AppendTest {
  private static final int HISTORIES = Boolean.getBoolean("strandline.extended") ? 3_000 : 150;
  private static final Rows APPLES = orders().row(1, "apples", MONDAY);
  private static final Rows PEARS = orders().row(2, "pears", TUESDAY);
  private static final Rows FIGS = orders().row(3, "figs", WEDNESDAY);

  private final FakeSource landing = FakeSource.named("landing");
  private final FakeAppendTarget bronze = FakeAppendTarget.named("bronze_orders");
  private final FakeWatermarkStore store = FakeWatermarkStore.empty();

  @Test
  void run_afterRun_appendsEachRowOnce() {
    loadTwoNights();

    assertThat(bronze.rows()).hasRows(APPLES.concat(PEARS));
    assertThat(load().run()).foundNothingNew();
  }

  @Test
  void build_withASourceThatReadsRowsAgain_isRefused() {
    Cursor exclusive = Cursor.on("loaded_at").exclusive();

    for (Cursor cursor :
        List.of(
            Cursor.on("loaded_at"),
            exclusive.lookback(Duration.ofHours(1)),
            exclusive.nulls(NullCursors.LOAD),
            exclusive.future(FutureCursors.CAP),
            exclusive.readingAll())) {
      assertThatThrownBy(() -> load(cursor, Faults.none()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "Cannot build load 'orders': landing may read rows again that an earlier run has"
                  + " read, and bronze_orders would hold them twice. Let the cursor be exclusive(),"
                  + " without a lookback and without rows that are read on every run; or declare a"
                  + " key by which the target recognizes rows.");
    }
  }

  @Test
  void run_afterTheWatermarkWasTakenBack_asksFirst() {
    loadTwoNights();
    store.edit(ORDERS, at(MONDAY));

    assertThatFailureOf(() -> load().run())
        .isAt(LoadStep.PLAN)
        .isOfKind(ProblemKind.DECISION_NEEDED)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .hasMessage(
            "Cannot append the range (2026-06-01T22:00:00Z, 2026-06-02T22:00:00Z] to bronze_orders"
                + " for load 'orders': run 2 has appended (2026-06-01T22:00:00Z,"
                + " 2026-06-02T22:00:00Z], and the rows that both have would stand there twice."
                + " Nothing was merged and the watermark stays at 2026-06-01T22:00:00Z; the next"
                + " run reads the same rows. If the watermark was taken back by mistake, call"
                + " rewind(..) with 2026-06-02T22:00:00Z; if the rows of that run were deleted,"
                + " call rewind(..) with the watermark to go on from; or call reload().");
    assertThat(bronze.rows()).hasRows(APPLES.concat(PEARS));
  }

  @Test
  void run_afterTheWatermarkWasDeleted_asksFirst() {
    loadTwoNights();
    store.delete(ORDERS);

    assertThatFailureOf(() -> load().run()).isOfKind(ProblemKind.DECISION_NEEDED);
    assertThat(bronze.rows()).hasRows(APPLES.concat(PEARS));
  }

  @Test
  void run_afterTheWatermarkWasPutForward_obeys() {
    loadTwoNights();
    store.edit(ORDERS, at(WEDNESDAY));
    landing.land(FIGS);

    assertThat(load().run()).foundNothingNew();
  }

  @Test
  void run_afterARewind_isThePersonsDecision() {
    loadTwoNights();
    load().rewind(at(MONDAY));

    assertThat(load().run()).merged(1).advancedTo(at(TUESDAY));

    assertThat(bronze.rows()).hasRows(APPLES.concat(PEARS).concat(PEARS));
  }

  @Test
  void run_afterAReceiptThatCanNoLongerBeRead_asksFirst() {
    loadTwoNights();
    bronze.forgetReceipts();
    landing.land(FIGS);

    assertThatFailureOf(() -> load().run())
        .isOfKind(ProblemKind.DECISION_NEEDED)
        .hasMessage(
            "Cannot append on top of run 2 of bronze_orders for load 'orders': its receipt can no"
                + " longer be read, so nobody can tell which rows are there already. Nothing was"
                + " merged and the watermark stays at 2026-06-02T22:00:00Z; the next run reads the"
                + " same rows. Look at the rows, then call rewind(..) with the watermark that they"
                + " reach, which may be the stored one; or call reload().");

    load().rewind(at(TUESDAY));
    assertThat(load().run()).merged(1);
    assertThat(bronze.rows()).hasRows(APPLES.concat(PEARS).concat(FIGS));
  }

  @Test
  void run_intoRowsOfUnknownOrigin_asksFirst() {
    bronze.put(APPLES);
    landing.land(APPLES);

    assertThatFailureOf(() -> load().run())
        .isOfKind(ProblemKind.DECISION_NEEDED)
        .hasMessage(
            "Cannot append everything to bronze_orders for load 'orders': it holds rows already, no"
                + " watermark is stored, and no receipt of the load tells where the rows came from."
                + " Nothing was merged and no watermark is stored; the next run reads the same"
                + " rows. If the source's rows are not among them, call rewind(..) with"
                + " Watermark.start(); if they are, with the watermark that they reach; or call"
                + " reload() to overwrite them.");

    load().rewind(Watermark.start());
    assertThat(load().run()).merged(1);
  }

  @Test
  void run_intoATableThatAWatermarkWasWrittenFor_goesOnFromThere() {
    bronze.put(APPLES);
    landing.land(APPLES.concat(PEARS));
    store.edit(ORDERS, at(MONDAY));

    assertThat(load().run()).merged(1).advancedTo(at(TUESDAY));
    assertThat(bronze.rows()).hasRows(APPLES.concat(PEARS));
  }

  @Test
  void reload_overwritesWhatStoodThere() {
    loadTwoNights();

    assertThat(load().reload()).committed();
    landing.land(FIGS);
    assertThat(load().run()).merged(1);

    assertThat(bronze.rows()).hasRows(APPLES.concat(PEARS).concat(FIGS));
  }

  @Test
  void run_ofAStreamWhoseFirstRowsComeLate_appendsThem() {
    FakeSource web = FakeSource.named("web");
    FakeSource shop = FakeSource.named("shop");
    Cursor cursor = Cursor.on("loaded_at").exclusive();
    IncrementalLoad<Rows> union =
        IncrementalLoad.named("orders")
            .from(
                FakeUnionSource.of(
                    Map.of(
                        new StreamName("web"), web.newerBy(cursor),
                        new StreamName("shop"), shop.newerBy(cursor))))
            .into(bronze)
            .trackedIn(store)
            .build();
    web.land(APPLES);
    union.run();
    shop.land(PEARS);
    union.run();
    web.land(FIGS);
    union.run();

    assertThat(bronze.rows()).hasRows(APPLES.concat(PEARS).concat(FIGS));
  }

  @Test
  void load_thatIsKilledAnywhere_appendsEachRowOnce() {
    assertThat(CrashVerifier.of(Nights::new).verify()).isGreaterThan(100);
  }

  /** Landings, crashes and runs in any order: in the end each row stands there once. */
  @Test
  void histories_ofLandingsAndCrashes_appendEachRowOnce() {
    for (long seed = 0; seed < HISTORIES; seed++) {
      Random random = new Random(seed);
      Nights nights = new Nights();
      Rows landed = orders();

      for (int event = 0; event < 20; event++) {
        if (random.nextInt(3) == 0) {
          Rows rows = orders().row(event, "item " + event, MONDAY.plusSeconds(event));
          landed = landed.concat(rows);
          nights.source.land(rows);
          continue;
        }

        FaultPlan.Then fault =
            Faults.once(
                anyOf(random, List.of(LoadStep.values())), anyOf(random, List.of(Moment.values())));

        try {
          nights.load(random.nextBoolean() ? fault.dies() : fault.fails()).run();
        } catch (ProcessDeath | LoadException expected) {
          // The next run finds out what is true.
        }
      }

      nights.load(Faults.none()).run();
      assertThat(nights.target().maps())
          .as("seed " + seed)
          .containsExactlyInAnyOrderElementsOf(landed.maps());
    }
  }

  private static <T> T anyOf(Random random, List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  private void loadTwoNights() {
    landing.land(APPLES);
    load().run();
    landing.land(PEARS);
    load().run();
  }

  private IncrementalLoad<Rows> load() {
    return load(Cursor.on("loaded_at").exclusive(), Faults.none());
  }

  private IncrementalLoad<Rows> load(Cursor cursor, FaultPlan faults) {
    return IncrementalLoad.named("orders")
        .from(faults.wrap(landing.newerBy(cursor)))
        .into(faults.wrap(bronze))
        .trackedIn(faults.wrap(store))
        .build();
  }

  /** Three nights, each with an order. */
  private static final class Nights implements CrashWorld {
    private final FakeSource source =
        FakeSource.named("landing").newerBy(Cursor.on("loaded_at").exclusive());
    private final FakeAppendTarget target = FakeAppendTarget.named("bronze_orders");
    private final FakeWatermarkStore store = FakeWatermarkStore.empty();

    @Override
    public int batches() {
      return 3;
    }

    @Override
    public void land(int batch) {
      source.land(List.of(APPLES, PEARS, FIGS).get(batch));
    }

    @Override
    public IncrementalLoad<Rows> load(FaultPlan faults) {
      return IncrementalLoad.named("orders")
          .from(faults.wrap(source))
          .cleanedBy(faults.wrapCleaner(Cleaner.none()))
          .into(faults.wrap(target))
          .trackedIn(faults.wrap(store))
          .loggedIn(faults.wrapLog(entry -> {}))
          .build();
    }

    @Override
    public Rows target() {
      return target.rows();
    }
  }
}
