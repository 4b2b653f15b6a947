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

import io.strandline.load.Aftermath;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.testkit.fake.FakeMergeTarget;
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
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecoveryTest {
  private final Shop shop = new Shop();

  @Test
  void run_afterADeathBetweenMergeAndAdvance_advancesAndMergesNothingTwice() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    shop.land(orders().row(2, "pears", TUESDAY));
    die(LoadStep.MERGE, Moment.AFTER);
    int commits = shop.silver.commits().size();

    LoadResult result = shop.load().run();

    assertThat(result).foundNothingNew().recovered(2).advancedTo(at(TUESDAY));
    assertThat(shop.silver.commits()).hasSize(commits);
    assertThat(shop.store).holds("orders", at(TUESDAY)).holdsNumber("orders", 2);
    assertThat(shop.silver.rows())
        .hasRows(orders().row(1, "apples", MONDAY).row(2, "pears", TUESDAY));
  }

  @Test
  void run_afterADeathInTheFirstRun_advancesFromNothing() {
    shop.land(orders().row(1, "apples", MONDAY));
    die(LoadStep.ADVANCE, Moment.BEFORE);
    shop.land(orders().row(2, "pears", TUESDAY));

    LoadResult result = shop.load().run();

    assertThat(result).recovered(1).merged(1).advancedTo(at(TUESDAY));
    assertThat(shop.store).holdsNumber("orders", 2);
  }

  @Test
  void run_afterADeathBeforeTheMerge_recoversNothing() {
    shop.land(orders().row(1, "apples", MONDAY));
    die(LoadStep.MERGE, Moment.DURING);
    assertThat(shop.silver.commits()).isEmpty();

    assertThat(shop.load().run()).recoveredNothing().merged(1);

    assertThat(shop.store).holdsNumber("orders", 1);
  }

  @Test
  void run_afterTheRowWasEditedSinceTheDeath_obeysTheEdit() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", TUESDAY));
    shop.load().run();
    shop.land(orders().row(3, "figs", WEDNESDAY));
    die(LoadStep.MERGE, Moment.AFTER);
    shop.silver.delete(row -> row.get("id").equals(2L));
    shop.store.edit(ORDERS, at(MONDAY));

    LoadResult result = shop.load().run();

    assertThat(result).recovered(2).read(3).merged(1).advancedTo(at(WEDNESDAY)).addsUp();
    assertThat(shop.store).holdsNumber("orders", 3);
    assertThat(shop.silver.rows())
        .hasRows(
            orders().row(1, "apples", MONDAY).row(2, "pears", TUESDAY).row(3, "figs", WEDNESDAY));
  }

  @Test
  void run_afterTheRowWasDeletedSinceTheDeath_readsEverythingAgain() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    shop.land(orders().row(2, "pears", TUESDAY));
    die(LoadStep.MERGE, Moment.AFTER);
    shop.store.delete(ORDERS);

    LoadResult result = shop.load().run();

    assertThat(result).committed().read(2).unchanged(2).advancedTo(at(TUESDAY)).addsUp();
    assertThat(shop.store).holds("orders", at(TUESDAY)).holdsNumber("orders", 3);
  }

  @Test
  void run_afterTheRowWasEdited_readsFromThere() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", TUESDAY));
    shop.load().run();
    shop.silver.delete(row -> true);
    shop.store.edit(ORDERS, at(TUESDAY));
    assertThat(shop.load().run()).merged(1);

    shop.store.edit(ORDERS, Watermark.start());

    assertThat(shop.load().run()).read(2).merged(1).unchanged(1).advancedTo(at(TUESDAY));
  }

  @Test
  void run_afterTheRowWasDeleted_isAFirstRunWithANewNumber() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    shop.store.delete(ORDERS);

    assertThat(shop.load().run()).committed().unchanged(1).advancedTo(at(MONDAY));

    assertThat(shop.store).holdsNumber("orders", 2);
    assertThat(shop.load().run()).foundNothingNew();
  }

  @Test
  void run_withTwoRowsInTheStore_fails() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    shop.store.duplicate(ORDERS);

    assertThatFailureOf(() -> shop.load().run())
        .isAt(LoadStep.READ)
        .isOfKind(ProblemKind.MULTIPLE_WATERMARK_ROWS)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .hasMessage(
            "Cannot read the watermark of 'orders' in etl_watermark for load 'orders': there are 2"
                + " rows for it, so nobody can say which is true. Nothing was merged and the"
                + " watermark has not moved; the next run reads the same rows. Delete all but"
                + " one.");
  }

  @Test
  void run_overAStoreThatIsBehindByMore_stops() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    shop.land(orders().row(2, "pears", TUESDAY));
    shop.load().run();
    FakeWatermarkStore restored = FakeWatermarkStore.named("etl_watermark");
    IncrementalLoad<Rows> load = load(restored, shop.silver);

    assertThatFailureOf(load::run)
        .isAt(LoadStep.RECOVER)
        .isOfKind(ProblemKind.CONTRADICTION)
        .leaves(Aftermath.NOTHING_WRITTEN);
  }

  @Test
  void run_overATargetWithoutTheStoresReceipt_stops() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    IncrementalLoad<Rows> load =
        load(shop.store, FakeMergeTarget.named("silver_copy").matchedOn("id"));

    assertThatFailureOf(load::run).isAt(LoadStep.RECOVER).leaves(Aftermath.NOTHING_WRITTEN);
    assertThat(shop.store).holds("orders", at(MONDAY));
  }

  @Test
  void run_afterADeathWhoseReceiptIsForgotten_stops() {
    shop.land(orders().row(1, "apples", MONDAY));
    die(LoadStep.MERGE, Moment.AFTER);
    shop.silver.forgetReceipts();

    assertThatFailureOf(() -> shop.load().run()).isOfKind(ProblemKind.CONTRADICTION);
    assertThat(shop.store).holdsNothingOf("orders");
  }

  @Test
  void run_ofAForgottenReceiptWithEqualNumbers_goesOn() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    shop.silver.forgetReceipts();
    shop.land(orders().row(2, "pears", TUESDAY));

    assertThat(shop.load().run()).merged(1).recoveredNothing();
  }

  @Test
  void run_inAStoreWithoutNumbers_readsTheRangeAgain() {
    FakeWatermarkStore control = FakeWatermarkStore.withoutNumbers("load_control");
    shop.land(orders().row(1, "apples", MONDAY));
    FaultPlan faults = Faults.once(LoadStep.MERGE, Moment.AFTER).dies();
    IncrementalLoad<Rows> dying =
        IncrementalLoad.named("orders")
            .from(shop.bronze.newerBy("loaded_at"))
            .into(faults.wrap(shop.silver))
            .trackedIn(control)
            .build();
    assertThatThrownBy(dying::run).isInstanceOf(ProcessDeath.class);

    LoadResult result = load(control, shop.silver).run();

    assertThat(result).committed().unchanged(1).recoveredNothing().advancedTo(at(MONDAY)).addsUp();
    assertThat(control).holds("orders", at(MONDAY));
  }

  @Test
  void advance_thatLostItsAnswer_isSuccess() {
    shop.land(orders().row(1, "apples", MONDAY));

    LoadResult result = shop.load(Faults.once(LoadStep.ADVANCE, Moment.AFTER).fails()).run();

    assertThat(result).merged(1).advancedTo(at(MONDAY));
    assertThat(shop.store).holds("orders", at(MONDAY));
  }

  @Test
  void advance_thatFails_leavesTheRowsMerged() {
    shop.land(orders().row(1, "apples", MONDAY));

    assertThatFailureOf(() -> shop.load(Faults.once(LoadStep.ADVANCE, Moment.BEFORE).fails()).run())
        .isAt(LoadStep.ADVANCE)
        .leaves(Aftermath.ROWS_MERGED)
        .hasMessage(
            "Cannot move the watermark in etl_watermark for load 'orders': IllegalStateException:"
                + " made to fail before step ADVANCE. The rows are merged and no watermark is"
                + " stored; the next run finds the receipt, moves the watermark, and merges nothing"
                + " twice.");

    assertThat(shop.load().run()).foundNothingNew().recovered(1).advancedTo(at(MONDAY));
  }

  @Test
  void merge_thatFailsAfterItsCommit_saysThatTheRowsAreMerged() {
    shop.land(orders().row(1, "apples", MONDAY));

    assertThatFailureOf(() -> shop.load(Faults.once(LoadStep.MERGE, Moment.AFTER).fails()).run())
        .isAt(LoadStep.MERGE)
        .leaves(Aftermath.ROWS_MERGED);

    assertThat(shop.load().run()).foundNothingNew().recovered(1);
  }

  @Test
  void merge_thatFailsWhileTheTargetDoesNotAnswer_saysThatNobodyKnows() {
    shop.land(orders().row(1, "apples", MONDAY));
    FaultPlan faults = Faults.once(LoadStep.MERGE, Moment.AFTER).fails();
    Silent silent = new Silent(shop.silver);
    IncrementalLoad<Rows> load =
        IncrementalLoad.named("orders")
            .from(shop.bronze.newerBy("loaded_at"))
            .into(faults.once(LoadStep.MERGE, Moment.DURING).runs(silent::fallSilent).wrap(silent))
            .trackedIn(shop.store)
            .build();

    assertThatFailureOf(load::run).isAt(LoadStep.MERGE).leaves(Aftermath.UNKNOWN);

    assertThat(shop.load().run()).recovered(1);
  }

  @Test
  void run_overtakenByAnotherBeforeItsMerge_failsAndWritesNothing() {
    shop.land(orders().row(1, "apples", MONDAY));
    FaultPlan faults = Faults.once(LoadStep.MERGE, Moment.BEFORE).runs(() -> shop.load().run());

    assertThatFailureOf(() -> shop.load(faults).run())
        .isAt(LoadStep.MERGE)
        .isOfKind(ProblemKind.CONCURRENT_RUN)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .satisfies(e -> assertThat(e.isRerunUseful()).isTrue());

    assertThat(shop.silver.commits()).hasSize(1);
    assertThat(shop.store).holds("orders", at(MONDAY)).holdsNumber("orders", 1);
  }

  @Test
  void run_thatAnotherOneFinishesBeforeItAdvances_isSuccess() {
    shop.land(orders().row(1, "apples", MONDAY));
    FaultPlan faults = Faults.once(LoadStep.ADVANCE, Moment.BEFORE).runs(() -> shop.load().run());

    LoadResult result = shop.load(faults).run();

    assertThat(result).merged(1).advancedTo(at(MONDAY));
    assertThat(shop.silver.commits()).hasSize(1);
  }

  @Test
  void run_overtakenByAPersonBeforeItAdvances_failsAndKeepsTheEdit() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", TUESDAY));
    shop.load().run();
    shop.land(orders().row(3, "figs", WEDNESDAY));
    FaultPlan faults =
        Faults.once(LoadStep.ADVANCE, Moment.BEFORE)
            .runs(() -> shop.store.edit(ORDERS, at(MONDAY)));

    assertThatFailureOf(() -> shop.load(faults).run())
        .isAt(LoadStep.ADVANCE)
        .isOfKind(ProblemKind.CONCURRENT_RUN)
        .leaves(Aftermath.ROWS_MERGED)
        .hasMessage(
            "Cannot move the watermark in etl_watermark on from 2026-06-02T22:00:00Z for load"
                + " 'orders': it now holds 2026-06-01T22:00:00Z, so another run or a person has moved"
                + " it meanwhile. The rows are merged and the watermark stays at"
                + " 2026-06-01T22:00:00Z; the next run goes on from there, and merges nothing"
                + " twice. Run the load again, and let only one run"
                + " at a time be scheduled.");

    assertThat(shop.load().run()).recovered(2).merged(0).unchanged(3).advancedTo(at(WEDNESDAY));
  }

  @Test
  void run_ofSeveralStreamsAfterADeath_movesUntouchedStreamsAndObeysTheOthers() {
    StreamName active = new StreamName("active");
    StreamName archive = new StreamName("archive");
    FakeSource one = FakeSource.named("orders_active").newerBy("loaded_at");
    FakeSource other = FakeSource.named("orders_archive").newerBy("loaded_at");
    FakeUnionSource both = FakeUnionSource.of(Map.of(active, one, archive, other));
    one.land(orders().row(1, "apples", TUESDAY));
    other.land(orders().row(2, "pears", MONDAY));
    union(both, Faults.none()).run();
    one.land(orders().row(3, "figs", WEDNESDAY));
    other.land(orders().row(4, "nuts", TUESDAY));
    assertThatThrownBy(() -> union(both, Faults.once(LoadStep.MERGE, Moment.AFTER).dies()).run())
        .isInstanceOf(ProcessDeath.class);
    shop.store.edit(ORDERS, archive, at(MONDAY.minusSeconds(1)));

    LoadResult result = union(both, Faults.none()).run();

    assertThat(result).recovered(2).merged(0);
    assertThat(result).advancedTo(active, at(WEDNESDAY)).advancedTo(archive, at(TUESDAY)).addsUp();
    assertThat(shop.silver.rows().size()).isEqualTo(4);
    assertThat(shop.store.last(ORDERS, Set.of(active, archive)).stream(archive).state().number())
        .isEqualTo(3);
  }

  @Test
  void run_ofSeveralStreamsOfWhichOneRests_keepsItsWatermark() {
    StreamName active = new StreamName("active");
    StreamName archive = new StreamName("archive");
    FakeSource one = FakeSource.named("orders_active").newerBy("loaded_at");
    FakeSource other = FakeSource.named("orders_archive").newerBy("loaded_at");
    FakeUnionSource both = FakeUnionSource.of(Map.of(active, one, archive, other));
    one.land(orders().row(1, "apples", TUESDAY));

    assertThat(union(both, Faults.none()).run())
        .merged(1)
        .advancedTo(active, at(TUESDAY))
        .advancedTo(archive, Watermark.start());
    other.land(orders().row(2, "pears", MONDAY));
    assertThat(union(both, Faults.none()).run())
        .merged(1)
        .advancedTo(active, at(TUESDAY))
        .advancedTo(archive, at(MONDAY));
  }

  @Test
  void load_killedAnywhere_endsAsOneThatWasNeverKilled() {
    assertThat(CrashVerifier.of(OrdersWorld::new).verify()).isGreaterThan(100);
  }

  private IncrementalLoad<Rows> union(FakeUnionSource source, FaultPlan faults) {
    return IncrementalLoad.named("orders")
        .from(source)
        .into(faults.wrap(shop.silver))
        .trackedIn(shop.store)
        .build();
  }

  private IncrementalLoad<Rows> load(FakeWatermarkStore store, FakeMergeTarget target) {
    return IncrementalLoad.named("orders")
        .from(shop.bronze.newerBy("loaded_at"))
        .into(target)
        .trackedIn(store)
        .build();
  }

  private void die(LoadStep step, Moment moment) {
    assertThatThrownBy(() -> shop.load(Faults.once(step, moment).dies()).run())
        .isInstanceOf(ProcessDeath.class);
  }

  /** Three nights of orders, with corrections, ties, late rows and rows that cannot be used. */
  private static final class OrdersWorld implements CrashWorld {
    private final Shop shop = new Shop();

    @Override
    public int batches() {
      return 3;
    }

    @Override
    public void land(int batch) {
      shop.land(
          switch (batch) {
            case 0 -> orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY);
            case 1 ->
                orders()
                    .row(1, "more apples", TUESDAY)
                    .row(null, "no key", TUESDAY)
                    .row(3, "figs", MONDAY);
            default ->
                orders().row(4, "nuts", WEDNESDAY).row(2, "never", null).row(1, "x", TUESDAY);
          });
    }

    @Override
    public IncrementalLoad<Rows> load(FaultPlan faults) {
      return IncrementalLoad.named("orders")
          .from(
              faults.wrap(shop.bronze.newerBy(Cursor.on("loaded_at").lookback(Duration.ofDays(2)))))
          .into(faults.wrap(shop.silver))
          .trackedIn(faults.wrap(shop.store))
          .loggedIn(faults.wrapLog(shop.log))
          .build();
    }

    @Override
    public Rows target() {
      return shop.silver.rows();
    }
  }
}
