package io.strandline.testkit.load;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.assertion.LoadAssertions.assertThatFailureOf;
import static io.strandline.testkit.load.Shop.MONDAY;
import static io.strandline.testkit.load.Shop.TUESDAY;
import static io.strandline.testkit.load.Shop.at;
import static io.strandline.testkit.load.Shop.orders;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.load.Aftermath;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import io.strandline.testkit.assertion.LoadExceptionAssert;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The testkit's assertions pass where something is so, and else fail and show what is. */
class LoadAssertionsTest {
  private final Shop shop = new Shop();

  @Test
  void result_thatIsAsExpected_passes() {
    assertThat(load())
        .merged(2)
        .committed()
        .read(3)
        .inserted(2)
        .updated(0)
        .unchanged(0)
        .superseded(0)
        .stale(0)
        .rejected(1)
        .filtered(0)
        .addsUp()
        .advancedTo(at(MONDAY))
        .advancedTo(StreamName.only(), at(MONDAY))
        .recoveredNothing()
        .waiting(0)
        .warnsOfNothing();
    assertThat(shop.load().run()).foundNothingNew();
  }

  @Test
  void result_thatIsNot_failsWithWhatItIs() {
    LoadResult result = load();
    String counts = result.counts().toString();

    assertFails(
        () -> assertThat(result).merged(3), "Expecting 3 rows merged but there were 2:", counts);
    assertFails(() -> assertThat(result).read(2), "2 rows read", "were 3:", counts);
    assertFails(() -> assertThat(result).inserted(1), "1 rows inserted", "were 2:", counts);
    assertFails(() -> assertThat(result).updated(1), "1 rows updated", "were 0:", counts);
    assertFails(() -> assertThat(result).unchanged(1), "1 rows unchanged", "were 0:", counts);
    assertFails(() -> assertThat(result).superseded(1), "1 rows superseded", "were 0:", counts);
    assertFails(() -> assertThat(result).stale(1), "1 rows stale", "were 0:", counts);
    assertFails(() -> assertThat(result).rejected(0), "0 rows rejected", "were 1:", counts);
    assertFails(() -> assertThat(result).filtered(1), "1 rows filtered", "were 0:", counts);
    assertFails(() -> assertThat(result).foundNothingNew(), "found nothing new", "Committed[");
    assertFails(
        () -> assertThat(result).advancedTo(at(TUESDAY)), at(TUESDAY).typed(), at(MONDAY).typed());
    assertFails(
        () -> assertThat(result).advancedTo(new StreamName("archive"), at(MONDAY)),
        at(MONDAY).typed(),
        Watermark.start().typed());
    assertFails(() -> assertThat(result).recovered(1), "Expecting run 1 to be finished", counts);
    assertFails(() -> assertThat(result).waiting(5), "Expecting 5 rows to wait", counts);
    assertFails(() -> assertThat(result).warns("of rain"), "of rain", "[]");
    LoadResult idle = shop.load().run();
    assertFails(
        () -> assertThat(idle).committed(), "Expecting a run that committed", "NothingNew[");
  }

  @Test
  void result_ofARunThatFinishedAnother_passesOnlyAsThat() {
    shop.land(orders().row(1, "apples", MONDAY));
    assertThatFailureOf(() -> shop.load(Faults.once(LoadStep.ADVANCE, Moment.BEFORE).fails()).run())
        .isAt(LoadStep.ADVANCE);

    LoadResult result = shop.load().run();

    assertThat(result).recovered(1);
    assertFails(() -> assertThat(result).recoveredNothing(), "Expecting no earlier run", "[1]");
  }

  @Test
  void result_withWarnings_passesOnlyWithThem() {
    shop.land(orders().row(1, "apples", MONDAY));
    LoadResult result =
        shop.builder(Faults.none())
            .heardBy(
                event -> {
                  if (event.step() == LoadStep.MERGE) {
                    throw new IllegalStateException("deaf");
                  }
                })
            .build()
            .run();

    assertFails(() -> assertThat(result).warnsOfNothing(), "Expecting no warning", "deaf");
    assertFails(() -> assertThat(result).warns("of rain"), "of rain", "deaf");
  }

  @Test
  void result_whoseCountsAreOff_doesNotAddUp() {
    shop.land(orders().row(1, "apples", MONDAY));
    LoadResult result =
        IncrementalLoad.named("orders")
            .from(shop.bronze.newerBy("loaded_at"))
            .cleanedBy(rows -> rows.concat(orders().row(2, "made up", MONDAY)))
            .into(shop.silver)
            .trackedIn(shop.store)
            .build()
            .run();

    assertFails(
        () -> assertThat(result).addsUp(), "but -1 rows are off", result.counts().toString());
  }

  @Test
  void exception_thatIsNot_failsWithWhatItIs() {
    shop.land(orders().row(1, "apples", MONDAY));
    LoadExceptionAssert failure =
        assertThatFailureOf(
            () -> shop.load(Faults.once(LoadStep.MERGE, Moment.BEFORE).fails()).run());

    failure.isAt(LoadStep.MERGE).isOfKind(ProblemKind.FAILED).leaves(Aftermath.NOTHING_WRITTEN);
    assertFails(() -> failure.isAt(LoadStep.PLAN), "step", "PLAN", "MERGE", "Cannot merge rows");
    assertFails(
        () -> failure.isOfKind(ProblemKind.CONCURRENT_RUN),
        "kind",
        "CONCURRENT_RUN",
        "FAILED",
        "Cannot merge rows");
    assertFails(
        () -> failure.leaves(Aftermath.UNKNOWN),
        "aftermath",
        "UNKNOWN",
        "NOTHING_WRITTEN",
        "Cannot merge rows");
    assertFails(
        () -> assertThatFailureOf(() -> shop.load().run()),
        "Expecting the run to fail, but it ended well.");
  }

  @Test
  void store_thatHoldsOther_failsWithWhatItHolds() {
    load();

    assertThat(shop.store)
        .holds("orders", at(MONDAY))
        .holdsNumber("orders", 1)
        .holdsNothingOf("returns");
    assertFails(
        () -> assertThat(shop.store).holds("orders", at(TUESDAY)),
        "etl_watermark",
        "'orders'",
        at(TUESDAY).typed(),
        at(MONDAY).typed());
    assertFails(() -> assertThat(shop.store).holdsNothingOf("orders"), at(MONDAY).typed());
    assertFails(
        () -> assertThat(shop.store).holdsNumber("orders", 2),
        "to hold number 2 for load 'orders' but it holds 1");
  }

  @Test
  void watermark_thatIsNot_failsWithItsValue() {
    assertThat(Watermark.start()).isStart();
    assertThat(at(TUESDAY)).isAfter(at(MONDAY));
    assertFails(
        () -> assertThat(at(MONDAY)).isStart(), "Expecting no watermark", at(MONDAY).typed());
    assertFails(
        () -> assertThat(at(MONDAY)).isAfter(at(TUESDAY)), MONDAY.toString(), TUESDAY.toString());
  }

  @Test
  void rows_thatDiffer_failSideBySide() {
    Rows rows = orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY);

    assertThat(rows).hasRows(orders().row(2, "pears", MONDAY).row(1, "apples", MONDAY));
    assertThat(rows).showing("id").hasRows(Rows.columns("id").row(1).row(2));
    assertThat(Rows.none()).hasNoRows();
    assertFails(() -> assertThat(rows).hasNoRows(), "(not expected)", "1, apples", "2, pears");
    assertFails(
        () -> assertThat(rows).showing("id", "item").hasRows(orders().select("id", "item")),
        "1, apples");
    assertFails(
        () ->
            assertThat(rows)
                .hasRows(orders().row(1, "apples", MONDAY).row(2, "more pears", MONDAY)),
        "2, more pears, " + MONDAY,
        "2, pears, " + MONDAY);
  }

  private LoadResult load() {
    shop.land(
        orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY).row(null, "no key", MONDAY));
    return shop.load().run();
  }

  private static void assertFails(ThrowingCallable assertion, String... shown) {
    assertThatThrownBy(assertion).isInstanceOf(AssertionError.class).hasMessageContainingAll(shown);
  }
}
