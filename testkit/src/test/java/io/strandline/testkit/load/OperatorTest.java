package io.strandline.testkit.load;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.assertion.LoadAssertions.assertThatFailureOf;
import static io.strandline.testkit.load.Shop.MONDAY;
import static io.strandline.testkit.load.Shop.TUESDAY;
import static io.strandline.testkit.load.Shop.WEDNESDAY;
import static io.strandline.testkit.load.Shop.at;
import static io.strandline.testkit.load.Shop.orders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.load.Aftermath;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import io.strandline.testkit.fake.FakeMergeTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import io.strandline.watermark.Bound;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class OperatorTest {
  private static final Rows APPLES = orders().row(1, "apples", MONDAY);
  private static final Rows PEARS = orders().row(2, "pears", TUESDAY);

  private final Shop shop = new Shop();

  @Test
  void run_intoATargetThatOthersDisturbed_isRefused() {
    Map<Consumer<FakeMergeTarget>, String> disturbances =
        Map.of(
            target -> target.restore(0),
            "version 2 restored it to version 0",
            FakeMergeTarget::truncate,
            "version 2 emptied it",
            target -> target.overwrite(APPLES),
            "version 2 overwrote it",
            FakeMergeTarget::drop,
            "it was dropped");

    disturbances.forEach(
        (disturbance, clause) -> {
          Shop disturbed = new Shop();
          loadTwoNights(disturbed);
          disturbance.accept(disturbed.silver);

          assertThatFailureOf(() -> disturbed.load().run())
              .isAt(LoadStep.RECOVER)
              .isOfKind(ProblemKind.TARGET_DISTURBED)
              .leaves(Aftermath.NOTHING_WRITTEN)
              .hasMessage(
                  "Cannot load on top of silver_orders for load 'orders': since the last run "
                      + clause
                      + ". Nothing was merged and the watermark stays at 2026-06-02T22:00:00Z; the"
                      + " next run reads the same rows. Call rewind(..) with the watermark that the"
                      + " target's rows now reach, or reload(); each accepts the target as it is.");
        });
  }

  @Test
  void run_intoATargetThatWasReplaced_isRefused() {
    loadTwoNights(shop);
    shop.silver.replace(APPLES);

    assertThatFailureOf(() -> shop.load().run())
        .isOfKind(ProblemKind.TARGET_DISTURBED)
        .hasMessageContaining("was replaced by table")
        .hasMessageContaining("of the same name");
  }

  @Test
  void run_whileOthersEmptyItsTarget_warnsAndTheNextIsRefused() {
    loadTwoNights(shop);
    shop.land(orders().row(3, "figs", WEDNESDAY));
    FaultPlan emptied = Faults.once(LoadStep.MERGE, Moment.BEFORE).runs(shop.silver::truncate);

    assertThat(shop.load(emptied).run())
        .merged(2)
        .advancedTo(at(WEDNESDAY))
        .warns(
            "Others have disturbed silver_orders while this run was busy: version 2 emptied it. The"
                + " next run will not load on top of that.");

    assertThatFailureOf(() -> shop.load().run())
        .isOfKind(ProblemKind.TARGET_DISTURBED)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .hasMessageContaining("since the last run version 2 emptied it");
    shop.load().rewind(Watermark.start());
    assertThat(shop.load().run()).merged(1).advancedTo(at(WEDNESDAY));
  }

  @Test
  void reload_whileOthersEmptyItsTarget_putsEverythingInItsPlace() {
    loadTwoNights(shop);
    FaultPlan emptied = Faults.once(LoadStep.MERGE, Moment.BEFORE).runs(shop.silver::truncate);

    assertThat(shop.load(emptied).reload()).committed().warnsOfNothing();

    assertThat(shop.load().run()).foundNothingNew();
    assertThat(shop.silver.rows()).hasRows(APPLES.concat(PEARS));
  }

  @Test
  void run_whileOthersWriteRowsIntoItsTarget_warnsOfNothing() {
    loadTwoNights(shop);
    shop.land(orders().row(3, "figs", WEDNESDAY));
    FaultPlan corrected =
        Faults.once(LoadStep.MERGE, Moment.BEFORE)
            .runs(() -> shop.silver.put(orders().row(1, "corrected by hand", MONDAY)));

    assertThat(shop.load(corrected).run()).merged(1).warnsOfNothing();

    assertThat(shop.load().run()).foundNothingNew();
  }

  @Test
  void run_intoATargetWhoseRowsOthersWrote_goesOn() {
    loadTwoNights(shop);
    shop.silver.put(orders().row(2, "corrected by hand", TUESDAY));
    shop.land(orders().row(3, "figs", WEDNESDAY));

    assertThat(shop.load().run()).merged(2).advancedTo(at(WEDNESDAY));
  }

  @Test
  void rewind_afterARestore_acceptsTheTargetAndLoadsWhatIsMissing() {
    loadTwoNights(shop);
    shop.silver.restore(0);

    assertThat(shop.load().rewind(at(MONDAY))).advancedTo(at(MONDAY));

    assertThat(shop.load().run()).merged(1).advancedTo(at(TUESDAY));
    assertThat(shop.silver.rows()).hasRows(APPLES.concat(PEARS));
    assertThat(shop.load().run()).foundNothingNew();
  }

  @Test
  void reload_afterATruncate_acceptsTheTargetAndLoadsEverything() {
    loadTwoNights(shop);
    shop.silver.truncate();

    assertThat(shop.load().reload()).committed().advancedTo(at(TUESDAY)).addsUp();

    assertThat(shop.silver.rows()).hasRows(APPLES.concat(PEARS));
    assertThat(shop.load().run()).foundNothingNew();
  }

  @Test
  void reload_ofASourceThatLostItsNewestRows_setsALowerWatermark() {
    loadTwoNights(shop);
    shop.bronze.delete(row -> row.get("loaded_at").equals(TUESDAY));

    assertThat(shop.load().reload()).committed().advancedTo(at(MONDAY));

    assertThat(shop.store).holds("orders", at(MONDAY));
    assertThat(shop.silver.rows()).hasRows(APPLES);
  }

  @Test
  void reload_thatDiedBeforeItsAdvance_isFinishedByTheNextRun() {
    loadTwoNights(shop);
    shop.bronze.delete(row -> row.get("loaded_at").equals(TUESDAY));
    assertThatThrownBy(() -> shop.load(Faults.once(LoadStep.MERGE, Moment.AFTER).dies()).reload())
        .isInstanceOf(ProcessDeath.class);

    assertThat(shop.load().run()).recovered(3).advancedTo(at(MONDAY));

    assertThat(shop.silver.rows()).hasRows(APPLES);
  }

  @Test
  void rewind_toTheStart_readsEverythingAgainAndMergesNothingTwice() {
    loadTwoNights(shop);

    shop.load().rewind(Watermark.start());

    assertThat(shop.store).holdsNothingOf("orders");
    assertThat(shop.load().run()).committed().merged(0).unchanged(2).advancedTo(at(TUESDAY));
  }

  @Test
  void rewind_afterADeath_finishesTheRunFirst() {
    loadTwoNights(shop);
    shop.land(orders().row(3, "figs", WEDNESDAY));
    assertThatThrownBy(() -> shop.load(Faults.once(LoadStep.MERGE, Moment.AFTER).dies()).run())
        .isInstanceOf(ProcessDeath.class);

    assertThat(shop.load().rewind(at(MONDAY))).recovered(3).advancedTo(at(MONDAY));

    assertThat(shop.load().run()).recoveredNothing().unchanged(3).advancedTo(at(WEDNESDAY));
  }

  @Test
  void rewind_thatDied_hasMovedTheWatermarkOrNot() {
    loadTwoNights(shop);

    assertThatThrownBy(
            () -> shop.load(Faults.once(LoadStep.ADVANCE, Moment.BEFORE).dies()).rewind(at(MONDAY)))
        .isInstanceOf(ProcessDeath.class);
    assertThat(shop.load().run()).foundNothingNew().recoveredNothing().advancedTo(at(TUESDAY));

    assertThatThrownBy(
            () -> shop.load(Faults.once(LoadStep.ADVANCE, Moment.AFTER).dies()).rewind(at(MONDAY)))
        .isInstanceOf(ProcessDeath.class);
    assertThat(shop.load().run()).recoveredNothing().unchanged(2).advancedTo(at(TUESDAY));
  }

  @Test
  void rewind_ofAStreamThatIsNotThere_isRefused() {
    loadTwoNights(shop);

    assertThatFailureOf(() -> shop.load().rewind(Map.of(new StreamName("archive"), at(MONDAY))))
        .isOfKind(ProblemKind.BAD_CONFIGURATION)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .hasMessageContaining("'archive'");
    assertThat(shop.store).holds("orders", at(TUESDAY));
  }

  @Test
  void backfill_ofARange_leavesTheWatermark() {
    loadTwoNights(shop);
    shop.silver.delete(row -> row.get("id").equals(1L));

    assertThat(
            shop.load()
                .backfill(new WatermarkRange(Watermark.start(), Bound.INCLUSIVE, at(MONDAY))))
        .merged(1)
        .advancedTo(at(TUESDAY));

    assertThat(shop.store).holds("orders", at(TUESDAY)).holdsNumber("orders", 2);
    assertThat(shop.silver.rows()).hasRows(APPLES.concat(PEARS));
    assertThat(shop.load().run()).foundNothingNew().recoveredNothing();
  }

  @Test
  void backfill_thatDied_isNotTakenForARunThatDied() {
    loadTwoNights(shop);
    shop.silver.delete(row -> row.get("id").equals(1L));
    WatermarkRange monday = new WatermarkRange(Watermark.start(), Bound.INCLUSIVE, at(MONDAY));
    assertThatThrownBy(
            () -> shop.load(Faults.once(LoadStep.MERGE, Moment.AFTER).dies()).backfill(monday))
        .isInstanceOf(ProcessDeath.class);

    assertThat(shop.load().run()).foundNothingNew().recoveredNothing();
    assertThat(shop.load().backfill(monday)).foundNothingNew();

    assertThat(shop.silver.rows()).hasRows(APPLES.concat(PEARS));
    assertThat(shop.store).holds("orders", at(TUESDAY));
  }

  @Test
  void run_ofAnotherDeclaration_isRefusedUntilItIsConfirmed() {
    loadTwoNights(shop);
    shop.land(orders().row(3, "figs", WEDNESDAY));
    FakeMergeTarget other = shop.silver.matchedOn("id", "item");

    assertThatFailureOf(() -> into(other).build().run())
        .isAt(LoadStep.RECOVER)
        .isOfKind(ProblemKind.DECLARATION_CHANGED)
        .hasMessage(
            "Cannot go on with another declaration for load 'orders': the last run was declared as"
                + " matched on id, sequenced by the watermark; newer by loaded_at, this one as"
                + " matched on id, item, sequenced by the watermark; newer by loaded_at. Nothing was"
                + " merged and the watermark stays at 2026-06-02T22:00:00Z; the next run reads the"
                + " same rows. Declare it as before, or call redeclared() on the builder if the"
                + " change is meant.");

    assertThat(into(other).redeclared().build().run()).merged(1);
    assertThat(into(other).build().run()).foundNothingNew();
  }

  /** What the run before left out may be what is asked for now. */
  @Test
  void run_confirmedAfterAChange_looksAtASourceThatHasNotMoved() {
    loadTwoNights(shop);
    FakeMergeTarget other = shop.silver.matchedOn("id", "item");
    assertThat(shop.load().run()).foundNothingNew();

    LoadResult confirmed = into(other).redeclared().build().run();

    assertThat(confirmed.counts().read()).isPositive();
  }

  @Test
  void run_ofARecreatedSource_isRefusedUntilAPersonDecides() {
    loadTwoNights(shop);
    shop.bronze.recreate(orders().row(7, "new", MONDAY));

    assertThatFailureOf(() -> shop.load().run())
        .isAt(LoadStep.PLAN)
        .isOfKind(ProblemKind.SOURCE_RECREATED)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .satisfies(e -> assertThat(e.isRerunUseful()).isFalse());
    assertThat(shop.store).holds("orders", at(TUESDAY));

    assertThat(shop.load().reload()).committed().advancedTo(at(MONDAY));
    assertThat(shop.silver.rows()).hasRows(orders().row(7, "new", MONDAY));
  }

  @Test
  void run_withAWatermarkOfAnotherKind_isRefused() {
    loadTwoNights(shop);
    shop.store.edit(Shop.ORDERS, Watermark.of(17));

    assertThatFailureOf(() -> shop.load().run())
        .isAt(LoadStep.PLAN)
        .isOfKind(ProblemKind.BAD_CONFIGURATION)
        .leaves(Aftermath.NOTHING_WRITTEN);
  }

  @Test
  void run_thatFails_stopsNoOtherLoad() {
    FakeSource returns = FakeSource.named("bronze_returns").newerBy("loaded_at");
    returns.land(orders().row(9, "returned", MONDAY));
    IncrementalLoad<Rows> other =
        IncrementalLoad.named("returns")
            .from(returns)
            .into(FakeMergeTarget.named("silver_returns").matchedOn("id"))
            .trackedIn(shop.store)
            .build();
    loadTwoNights(shop);
    shop.store.duplicate(Shop.ORDERS);
    assertThatThrownBy(() -> shop.load().run()).isInstanceOf(LoadException.class);

    assertThat(other.run()).merged(1);
  }

  @Test
  void loads_ofOneNameInTwoStores_keepTheirReceiptsApart() {
    loadTwoNights(shop);
    IncrementalLoad<Rows> other =
        IncrementalLoad.named("orders")
            .from(shop.bronze.newerBy("loaded_at"))
            .into(shop.silver)
            .trackedIn(FakeWatermarkStore.named("another_store"))
            .build();

    assertThat(other.run()).committed().unchanged(2).recoveredNothing();
    assertThat(other.run()).foundNothingNew();
    assertThat(shop.load().run()).foundNothingNew();
  }

  private IncrementalLoad.Builder<Rows> into(FakeMergeTarget target) {
    return IncrementalLoad.named("orders")
        .from(shop.bronze.newerBy("loaded_at"))
        .into(target)
        .trackedIn(shop.store);
  }

  private static void loadTwoNights(Shop shop) {
    for (Rows night : List.of(APPLES, PEARS)) {
      shop.land(night);
      shop.load().run();
    }
  }
}
