package io.strandline.testkit.load;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.assertion.LoadAssertions.assertThatFailureOf;
import static io.strandline.testkit.load.Shop.MONDAY;
import static io.strandline.testkit.load.Shop.ORDERS;
import static io.strandline.testkit.load.Shop.TUESDAY;
import static io.strandline.testkit.load.Shop.at;
import static io.strandline.testkit.load.Shop.orders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.clean.Cleaner;
import io.strandline.clean.Severity;
import io.strandline.load.Aftermath;
import io.strandline.load.CleanException;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadEvent;
import io.strandline.load.LoadLogEntry;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.Reading;
import io.strandline.testkit.fake.FakeAppendTarget;
import io.strandline.testkit.fake.FakeCleaner;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.Faults;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks and their severities, and the limit of rejected rows. */
class ChecksTest {
  private static final Rows APPLES = orders().row(1, "apples", MONDAY);
  private static final Rows BLANK = orders().row(2, "", MONDAY);
  private static final Rows BLANK_TOO = orders().row(3, "", MONDAY);

  private final Shop shop = new Shop();
  private final List<LoadEvent> events = new ArrayList<>();

  @Test
  void run_withRowsThatAreWarnedOf_loadsThemAndTellsEverywhere() {
    shop.land(APPLES.concat(BLANK).concat(BLANK_TOO));

    LoadResult result = checked(Severity.WARN).run();

    assertThat(result).merged(3).rejected(0).addsUp().warns("2 rows: the item is blank");
    assertThat(shop.silver.rows()).hasRows(APPLES.concat(BLANK).concat(BLANK_TOO));
    assertThat(shop.log.entries().get(0).message()).isEqualTo("2 rows: the item is blank");
    assertThat(events)
        .anySatisfy(
            event ->
                assertThat(event.detail())
                    .isEqualTo("3 rows accepted, 0 rejected; 2 rows: the item is blank"));
    assertThat(shop.silver.quarantine().rows(ORDERS)).hasNoRows();
  }

  @Test
  void run_withRowsThatAreRejected_loadsTheOthers() {
    shop.land(APPLES.concat(BLANK));

    LoadResult result = checked(Severity.REJECT).run();

    assertThat(result).merged(1).rejected(1).addsUp().warnsOfNothing();
    assertThat(shop.silver.quarantine().rows(ORDERS))
        .hasRows(BLANK.with(Reading.REASON_COLUMN, row -> "the item is blank"));
    assertThat(shop.log.entries().get(0).counts().rejected()).isEqualTo(1);
  }

  @Test
  void run_withRowsThatFailIt_stopsBeforeTheMergeAndKeepsThem() {
    shop.land(APPLES.concat(BLANK));

    assertThatFailureOf(() -> checked(Severity.FAIL).run())
        .isInstanceOf(CleanException.class)
        .isAt(LoadStep.REJECT)
        .isOfKind(ProblemKind.CHECK_FAILED)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .hasMessage(
            "Cannot go on with rows that do not pass a check for load 'orders': 1 row: the item is"
                + " blank, such as {id=2, item=, loaded_at=2026-06-01T22:00:00Z,"
                + " _strandline_reason=the item is blank, _strandline_failed={the item is"
                + " blank=true}}. Nothing was merged and no watermark is stored; the next run reads"
                + " the same rows. They are in silver_orders_quarantine. Correct them at the"
                + " source, or change the check.");

    assertThat(shop.silver.rows()).hasNoRows();
    assertThat(shop.silver.quarantine().rows(ORDERS))
        .hasRows(BLANK.with(Reading.REASON_COLUMN, row -> "the item is blank"));
    LoadLogEntry entry = shop.log.entries().get(0);
    assertThat(entry.outcome()).isEqualTo(LoadLogEntry.Outcome.FAILED);
    assertThat(entry.message()).contains("1 row: the item is blank");
  }

  @Test
  void run_intoAnAppendTarget_tellsOfTheSameChecks() {
    shop.land(APPLES.concat(BLANK));
    FakeAppendTarget bronze = FakeAppendTarget.named("copy");

    LoadResult result =
        IncrementalLoad.named("copy")
            .from(shop.bronze.newerBy(Cursor.on("loaded_at").exclusive()))
            .cleanedBy(cleaner(Severity.WARN))
            .into(bronze)
            .trackedIn(shop.store)
            .build()
            .run();

    assertThat(result).merged(2).warns("1 row: the item is blank");
    assertThat(bronze.rows()).hasRows(APPLES.concat(BLANK));
  }

  @Test
  void run_withARowThatTheTargetRejects_keepsItAsItCame() {
    shop.land(orders().row(null, " apples ", MONDAY));

    builder(
            FakeCleaner.of(
                row -> {
                  Map<String, @Nullable Object> clean = new LinkedHashMap<>(row);
                  clean.put("item", String.valueOf(row.get("item")).trim());
                  return clean;
                }))
        .build()
        .run();

    assertThat(shop.silver.quarantine().rows(ORDERS))
        .showing("id", "item", "loaded_at")
        .hasRows(orders().row(null, " apples ", MONDAY));
  }

  @Test
  void run_rejectingMoreThanItMay_stopsAndKeepsWhatItRejected() {
    shop.land(APPLES.concat(BLANK).concat(BLANK_TOO));

    assertThatFailureOf(() -> builder(cleaner(Severity.REJECT)).rejectingAtMost(0.5).build().run())
        .isInstanceOf(CleanException.class)
        .isOfKind(ProblemKind.TOO_MANY_REJECTED)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .hasMessage(
            "Cannot go on without the rejected rows for load 'orders': 2 of 3 rows were rejected, a"
                + " share of 0.667, and rejectingAtMost(..) allows 0.5. Nothing was merged and no"
                + " watermark is stored; the next run reads the same rows. They are in"
                + " silver_orders_quarantine, with their reasons. Look at the commonest ones; then"
                + " correct the source or the cleaner, or raise the limit.");

    assertThat(shop.silver.rows()).hasNoRows();
    assertThat(shop.silver.quarantine().rows(ORDERS).size()).isEqualTo(2);
  }

  @Test
  void run_rejectingAsMuchAsItMay_goesOn() {
    shop.land(APPLES.concat(BLANK));

    LoadResult result = builder(cleaner(Severity.REJECT)).rejectingAtMost(0.5).build().run();

    assertThat(result).merged(1).rejected(1).advancedTo(at(MONDAY));
  }

  @Test
  void run_mayingRejectNothing_stopsAtOneRow() {
    shop.land(APPLES.concat(BLANK));

    assertThatFailureOf(() -> builder(cleaner(Severity.REJECT)).rejectingAtMost(0).build().run())
        .isOfKind(ProblemKind.TOO_MANY_REJECTED);
  }

  @Test
  void rejectingAtMost_ofNoShare_isRefused() {
    for (double share : new double[] {-0.1, 1.1, Double.NaN}) {
      assertThatThrownBy(() -> shop.builder(Faults.none()).rejectingAtMost(share))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("Cannot reject at most a share of " + share + ": it must be from 0 to 1.");
    }
  }

  @Test
  void cleaners_oneAfterTheOther_rejectWhatEitherRejects() {
    Cleaner<Rows> filter = rows -> rows.filter(row -> !Long.valueOf(1).equals(row.get("id")));
    Cleaner<Rows> noPears =
        FakeCleaner.of(row -> row)
            .check("pears", Severity.REJECT, row -> !"pears".equals(row.get("item")));
    shop.land(APPLES.concat(BLANK).concat(orders().row(4, "pears", TUESDAY)));
    shop.land(orders().row(5, "figs", TUESDAY));

    LoadResult result =
        builder(cleaner(Severity.REJECT).andThen(noPears).after(filter)).build().run();

    assertThat(result).merged(1).rejected(2).filtered(1).addsUp();
    assertThat(shop.silver.rows()).hasRows(orders().row(5, "figs", TUESDAY));
  }

  private static FakeCleaner cleaner(Severity severity) {
    return FakeCleaner.of(row -> row)
        .check("the item is blank", severity, row -> !"".equals(row.get("item")));
  }

  private IncrementalLoad<Rows> checked(Severity severity) {
    return builder(cleaner(severity)).build();
  }

  private IncrementalLoad.Builder<Rows> builder(Cleaner<Rows> cleaner) {
    return IncrementalLoad.named("orders")
        .from(shop.bronze.newerBy("loaded_at"))
        .cleanedBy(cleaner)
        .into(Faults.none().wrap(shop.silver))
        .trackedIn(shop.store)
        .loggedIn(shop.log)
        .heardBy(events::add);
  }
}
