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
import io.strandline.clean.Severity;
import io.strandline.load.Aftermath;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadLogEntry;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.load.MergeException;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.Reading;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.RejectedRows;
import io.strandline.target.Verb;
import io.strandline.testkit.fake.FakeAppendTarget;
import io.strandline.testkit.fake.FakeCleaner;
import io.strandline.testkit.fake.FakeQuarantine;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rows of the quarantine that go through their load again. */
class RedriveTest {
  private static final Rows APPLES = orders().row(1, "apples", MONDAY);
  private static final Rows BLANK = orders().row(2, "", MONDAY);
  private static final Rows PEARS = orders().row(2, "pears", MONDAY);
  private static final Rows NEWER = orders().row(2, "figs", TUESDAY);

  private static final Cleaner<Rows> STRICT =
      FakeCleaner.of(row -> row)
          .check("the item is blank", Severity.REJECT, row -> !"".equals(row.get("item")));
  private static final Cleaner<Rows> MENDED =
      FakeCleaner.of(row -> changed(row, "item", "".equals(row.get("item")) ? "pears" : null));

  private final Shop shop = new Shop();
  private final FakeQuarantine quarantine = shop.silver.quarantine();

  @Test
  void redrive_withAMendedCleaner_loadsTheRowsAndLeavesTheWatermark() {
    rejectOne();

    LoadResult result = load(MENDED).redrive();

    assertThat(result).merged(1).read(1).inserted(1).rejected(0).addsUp().advancedTo(at(MONDAY));
    assertThat(shop.silver.rows()).hasRows(APPLES.concat(PEARS));
    assertThat(quarantine.rows(ORDERS)).hasNoRows();
    assertThat(quarantine.redriven(ORDERS).size()).isEqualTo(1);
    LoadLogEntry entry = shop.log.entries().get(1);
    assertThat(entry.verb()).isEqualTo(Verb.REDRIVE);
    assertThat(entry.counts().inserted()).isEqualTo(1);
    assertThat(shop.store.last(ORDERS, shop.bronze.newerBy("loaded_at").streams()).number())
        .isEqualTo(1);
  }

  @Test
  void redrive_ofARowThatAPersonHasCorrected_loadsIt() {
    rejectOne();
    quarantine.correct(ORDERS, row -> changed(row, "item", "pears"));

    assertThat(load(STRICT).redrive()).inserted(1).rejected(0);

    assertThat(shop.silver.rows()).hasRows(APPLES.concat(PEARS));
  }

  @Test
  void redrive_afterANewerRowHasCome_keepsTheNewerOne() {
    rejectOne();
    shop.land(NEWER);
    load(STRICT).run();

    assertThat(load(MENDED).redrive()).stale(1).addsUp();

    assertThat(shop.silver.rows()).hasRows(APPLES.concat(NEWER));
    assertThat(quarantine.rows(ORDERS)).hasNoRows();
  }

  @Test
  void redrive_ofRowsThatAreRejectedAgain_letsThemWaitForTheirNewReason() {
    rejectOne();
    Cleaner<Rows> other =
        FakeCleaner.of(row -> row)
            .check("no item at all", Severity.REJECT, row -> !"".equals(row.get("item")));

    LoadResult result = load(other).redrive();

    assertThat(result).foundNothingNew().read(1).rejected(1).addsUp();
    assertThat(((LoadResult.NothingNew) result).explanation())
        .isEqualTo(
            "of 1 entries 1 were rejected again, and the others change nothing in silver_orders");
    assertThat(quarantine.rows(ORDERS))
        .hasRows(BLANK.with(Reading.REASON_COLUMN, row -> "no item at all"));
    assertThat(load(MENDED).redrive()).inserted(1);
  }

  @Test
  void redrive_withACheckThatWouldStopARun_letsTheRowsWait() {
    rejectOne();
    Cleaner<Rows> failing =
        FakeCleaner.of(row -> row)
            .check("the item is blank", Severity.FAIL, row -> !"".equals(row.get("item")));

    assertThat(load(failing).redrive()).rejected(1);

    assertThat(quarantine.rows(ORDERS).size()).isEqualTo(1);
  }

  @Test
  void redrive_ofNothing_changesNothing() {
    rejectOne();
    load(MENDED).redrive();
    int commits = shop.silver.commits().size();

    LoadResult result = load(MENDED).redrive();

    assertThat(result).foundNothingNew();
    assertThat(((LoadResult.NothingNew) result).explanation())
        .isEqualTo("no entry of the load waits in silver_orders_quarantine");
    assertThat(shop.silver.commits()).hasSize(commits);
  }

  @Test
  void redrive_ofARowWithoutKey_startsFromTheRawRow() {
    shop.land(APPLES);
    load(FakeCleaner.of(RedriveTest::withoutKey)).run();

    assertThat(load(FakeCleaner.of(row -> row)).redrive()).inserted(1);

    assertThat(shop.silver.rows()).hasRows(APPLES);
  }

  @Test
  void redrive_withAPlainFunction_loadsTheCleanedRowThatAPersonHasCorrected() {
    Cleaner<Rows> plain =
        rows -> rows.select("id", "item", "loaded_at").with("item", row -> row.get("item") + "!");
    shop.land(orders().row(null, "apples", MONDAY));
    load(plain).run();
    quarantine.correct(ORDERS, row -> changed(row, "id", 1L));

    assertThat(load(plain).redrive()).inserted(1);

    assertThat(shop.silver.rows()).hasRows(orders().row(1, "apples!", MONDAY));
  }

  @Test
  void redrive_ofRowsThatTheSourceRejected_waitsForAPersonsHand() {
    shop.land(APPLES.concat(orders().row(2, "pears", null)));
    load(STRICT).run();

    assertThat(load(MENDED).redrive()).foundNothingNew();

    quarantine.correct(ORDERS, row -> changed(row, "loaded_at", MONDAY));
    assertThat(load(MENDED).redrive()).inserted(1);
    assertThat(shop.silver.rows()).hasRows(APPLES.concat(PEARS));
  }

  @Test
  void run_afterARedrive_isNeitherMistakenNorDisturbed() {
    rejectOne();
    load(MENDED).redrive();
    shop.land(orders().row(3, "plums", WEDNESDAY));

    assertThat(load(STRICT).run()).recoveredNothing().inserted(1).advancedTo(at(WEDNESDAY));
  }

  @Test
  void redrive_fromAQuarantineThatOnlyKeeps_isRefused() {
    Quarantine<Rows> keeping =
        new Quarantine<>() {
          @Override
          public String name() {
            return "a_drawer";
          }

          @Override
          public long put(RejectedRows<Rows> rows) {
            return 0;
          }
        };
    IncrementalLoad<Rows> load = shop.builder(Faults.none()).quarantinedIn(keeping).build();

    assertThatThrownBy(load::redrive)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "Cannot call redrive() of load 'orders': a_drawer keeps rows and cannot give them back."
                + " Name a RedrivableQuarantine with quarantinedIn(..), or none, for the target's"
                + " own.");
  }

  @Test
  void redrive_whoseMarksFailAfterTheMerge_saysWhatIsTrue() {
    rejectOne();

    assertThatFailureOf(
            () ->
                load(MENDED, shop.silver, Faults.once(LoadStep.ADVANCE, Moment.BEFORE).fails())
                    .redrive())
        .isInstanceOf(MergeException.class)
        .isAt(LoadStep.ADVANCE)
        .isOfKind(ProblemKind.FAILED)
        .leaves(Aftermath.ROWS_MERGED)
        .hasMessageContaining(
            "The rows are merged and the watermark stays at 2026-06-01T22:00:00Z; the next"
                + " redrive() finds the receipt, marks their entries, and merges nothing twice.");

    assertThat(load(MENDED).redrive()).foundNothingNew();
    assertThat(quarantine.rows(ORDERS)).hasNoRows();
  }

  @Test
  void redrive_intoAnAppendTargetKilledAnywhere_appendsEachRowOnce() {
    List<String> failures = new ArrayList<>();
    int deaths = 0;

    for (LoadStep step : LoadStep.values()) {
      for (Moment moment : Moment.values()) {
        Shop killed = new Shop();
        FakeAppendTarget copy = FakeAppendTarget.named("copy");
        killed.land(APPLES.concat(BLANK));
        append(killed, copy, STRICT, Faults.none()).run();
        FaultPlan faults = Faults.once(step, moment).dies();
        deaths += dies(append(killed, copy, MENDED, faults)) ? 1 : 0;
        killed.land(orders().row(3, "", TUESDAY));
        append(killed, copy, STRICT, Faults.none()).run();
        append(killed, copy, MENDED, Faults.none()).redrive();
        append(killed, copy, MENDED, Faults.none()).redrive();

        if (!copy.rows().stream()
            .map(row -> row.get("id"))
            .sorted()
            .toList()
            .toString()
            .equals("[1, 2, 3]")) {
          failures.add(step + " " + moment + ": " + copy.rows());
        }
      }
    }

    assertThat(failures).isEmpty();
    assertThat(deaths).isGreaterThan(15);
  }

  private static boolean dies(IncrementalLoad<Rows> load) {
    try {
      load.redrive();
      return false;
    } catch (ProcessDeath e) {
      return true;
    }
  }

  @Test
  void redrive_byTwoAtOnce_appendsEachRowOnce() {
    FakeAppendTarget copy = FakeAppendTarget.named("copy");
    shop.land(APPLES.concat(BLANK));
    append(shop, copy, STRICT, Faults.none()).run();
    FaultPlan faults =
        Faults.once(LoadStep.MERGE, Moment.BEFORE)
            .runs(() -> append(shop, copy, MENDED, Faults.none()).redrive());

    assertThatThrownBy(() -> append(shop, copy, MENDED, faults).redrive())
        .isInstanceOfSatisfying(
            LoadException.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN));

    assertThat(copy.rows()).hasRows(APPLES.concat(PEARS));
    assertThat(append(shop, copy, MENDED, Faults.none()).redrive()).foundNothingNew();
  }

  private void rejectOne() {
    shop.land(APPLES.concat(BLANK));
    load(STRICT).run();
  }

  private static Map<String, @Nullable Object> changed(
      Map<String, @Nullable Object> row, String column, @Nullable Object value) {
    Map<String, @Nullable Object> changed = new LinkedHashMap<>(row);

    if (value != null) {
      changed.put(column, value);
    }

    return changed;
  }

  private static Map<String, @Nullable Object> withoutKey(Map<String, @Nullable Object> row) {
    Map<String, @Nullable Object> changed = new LinkedHashMap<>(row);
    changed.put("id", null);
    return changed;
  }

  private IncrementalLoad<Rows> load(Cleaner<Rows> cleaner) {
    return load(cleaner, shop.silver, Faults.none());
  }

  private IncrementalLoad<Rows> load(
      Cleaner<Rows> cleaner, MergeTarget<Rows> target, FaultPlan faults) {
    return IncrementalLoad.named("orders")
        .from(faults.wrap(shop.bronze.newerBy("loaded_at")))
        .cleanedBy(cleaner)
        .into(faults.wrap(target))
        .trackedIn(faults.wrap(shop.store))
        .loggedIn(faults.wrapLog(shop.log))
        .build();
  }

  private static IncrementalLoad<Rows> append(
      Shop shop, FakeAppendTarget copy, Cleaner<Rows> cleaner, FaultPlan faults) {
    return IncrementalLoad.named("orders")
        .from(faults.wrap(shop.bronze.newerBy(Cursor.on("loaded_at").exclusive())))
        .cleanedBy(faults.wrapCleaner(cleaner))
        .into(faults.wrap(copy))
        .trackedIn(faults.wrap(shop.store))
        .loggedIn(faults.wrapLog(shop.log))
        .build();
  }
}
