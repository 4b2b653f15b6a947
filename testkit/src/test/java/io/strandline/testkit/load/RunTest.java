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

import io.strandline.load.Aftermath;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadLogEntry;
import io.strandline.load.LoadPhase;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.load.RowCounts;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.fake.FakeMergeTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.watermark.Watermark;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunTest {
  private final Shop shop = new Shop();

  @Test
  void run_withNewRows_mergesThemAndAdvances() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", TUESDAY));

    LoadResult result = shop.load().run();

    assertThat(result).merged(2).read(2).inserted(2).advancedTo(at(TUESDAY)).addsUp();
    assertThat(result).recoveredNothing().warnsOfNothing();
    assertThat(shop.store).holds("orders", at(TUESDAY)).holdsNumber("orders", 1);
    assertThat(shop.silver.rows())
        .hasRows(orders().row(1, "apples", MONDAY).row(2, "pears", TUESDAY));
  }

  @Test
  void run_withNothingNew_writesNothing() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    int storeCommits = shop.store.commits();
    int targetCommits = shop.silver.commits().size();

    LoadResult result = shop.load().run();

    assertThat(result).foundNothingNew().advancedTo(at(MONDAY));
    assertThat(shop.store.commits()).isEqualTo(storeCommits);
    assertThat(shop.silver.commits()).hasSize(targetCommits);
    assertThat(shop.silver.quarantine().commits()).isZero();
  }

  @Test
  void run_overAnEmptySource_storesNothing() {
    LoadResult result = shop.load().run();

    assertThat(result).foundNothingNew().advancedTo(Watermark.start());
    assertThat(shop.store).holdsNothingOf("orders").holdsNumber("orders", 0);
    assertThat(shop.store.commits()).isZero();
    assertThat(shop.silver.commits()).isEmpty();
  }

  @Test
  void run_ofASourceAtTheVersionThatWasRead_readsNothing() {
    FakeSource quiet = shop.bronze.undisturbed().newerBy("loaded_at");
    IncrementalLoad<Rows> load = load(quiet, shop.silver);
    quiet.land(orders().row(1, "apples", MONDAY));
    load.run();

    LoadResult result = load.run();

    assertThat(result).foundNothingNew().read(0);
    assertThat(((LoadResult.NothingNew) result).explanation())
        .isEqualTo("bronze_orders is still at version 1");
  }

  @Test
  void run_ofACompactedSource_readsTheTiesAndChangesNothing() {
    FakeSource quiet = shop.bronze.undisturbed().newerBy("loaded_at");
    IncrementalLoad<Rows> load = load(quiet, shop.silver);
    quiet.land(orders().row(1, "apples", MONDAY).row(2, "pears", TUESDAY));
    load.run();
    quiet.compact();

    LoadResult result = load.run();

    assertThat(result).foundNothingNew().read(1).unchanged(1).addsUp();
    assertThat(((LoadResult.NothingNew) result).explanation())
        .isEqualTo("silver_orders holds all 1 rows of the range already");
    assertThat(shop.silver.commits()).hasSize(1);
  }

  @Test
  void run_afterATieLanded_loadsIt() {
    shop.land(orders().row(1, "apples", TUESDAY));
    shop.load().run();
    shop.land(orders().row(2, "pears", TUESDAY));

    LoadResult result = shop.load().run();

    assertThat(result).merged(1).read(2).unchanged(1).advancedTo(at(TUESDAY)).addsUp();
    assertThat(shop.store).holdsNumber("orders", 2);
  }

  @Test
  void run_ofRowsWithoutSequenceLeftAlone_movesTheWatermarkWithAReceiptAlone() {
    FakeMergeTarget silver = shop.silver.sequencedBy("revision");
    IncrementalLoad<Rows> load =
        load(shop.bronze.newerBy(Cursor.on("loaded_at").exclusive()), silver);
    Rows columns = Rows.columns("id", "revision", "loaded_at");
    shop.land(columns.row(1, 6, MONDAY));
    load.run();
    shop.land(columns.row(1, 5, TUESDAY));

    LoadResult result = load.run();

    assertThat(result).committed().merged(0).stale(1).advancedTo(at(TUESDAY)).addsUp();
    assertThat(silver.rows()).hasRows(columns.row(1, 6, MONDAY));
    assertThat(silver.commits()).hasSize(2);
  }

  @Test
  void run_ofRowsOfEverySort_accountsForEachOfThem() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", TUESDAY));
    shop.load().run();
    shop.land(
        orders()
            .row(1, "figs", WEDNESDAY)
            .row(1, "plums", TUESDAY)
            .row(3, "nuts", WEDNESDAY)
            .row(null, "no key", WEDNESDAY)
            .row(4, "never loaded", null)
            .row(5, "dropped", WEDNESDAY));
    IncrementalLoad<Rows> load =
        IncrementalLoad.named("orders")
            .from(shop.bronze.newerBy("loaded_at"))
            .cleanedBy(rows -> rows.filter(row -> !"dropped".equals(row.get("item"))))
            .into(shop.silver)
            .trackedIn(shop.store)
            .build();

    LoadResult result = load.run();

    assertThat(result.counts()).isEqualTo(new RowCounts(7, 1, 1, 0, 1, 1, 0, 2, 1));
    assertThat(result).addsUp().warnsOfNothing();
    assertThat(shop.silver.quarantine().rows(ORDERS))
        .showing("id", "item", "loaded_at", "_strandline_reason")
        .hasRows(
            Rows.columns("id", "item", "loaded_at", "_strandline_reason")
                .row(null, "no key", WEDNESDAY, "no value in key id")
                .row(4, "never loaded", null, "no value in watermark column loaded_at"));
  }

  @Test
  void run_ofRejectedRowsThatAreKeptAlready_commitsNothing() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "never loaded", null));
    shop.load().run();

    LoadResult result = shop.load().run();

    assertThat(result).foundNothingNew().rejected(1).addsUp();
    assertThat(shop.silver.quarantine().commits()).isEqualTo(1);
    assertThat(shop.silver.commits()).hasSize(1);
  }

  @Test
  void run_withACleanerThatMultipliesRows_namesIt() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY));
    IncrementalLoad<Rows> doubling =
        IncrementalLoad.named("orders")
            .from(shop.bronze.newerBy("loaded_at"))
            .cleanedBy(rows -> rows.concat(rows))
            .into(shop.silver)
            .trackedIn(shop.store)
            .build();

    LoadResult result = doubling.run();

    assertThat(result.counts().difference()).isEqualTo(-2);
    assertThat(result)
        .merged(2)
        .warns(
            "The cleaner made 2 rows more than it read, so the counts do not add up: "
                + result.counts()
                + ".");
    assertThat(shop.load().run()).foundNothingNew();
  }

  @Test
  void run_ofASourceThatCannotCountAfterwards_warnsAndGoesOn() {
    shop.land(orders().row(1, "apples", MONDAY).row(null, "no key", MONDAY));
    IncrementalLoad<Rows> load =
        IncrementalLoad.named("orders")
            .from(new Uncounted(shop.bronze.newerBy("loaded_at")))
            .into(shop.silver)
            .trackedIn(shop.store)
            .build();

    assertThat(load.run())
        .merged(1)
        .read(2)
        .rejected(1)
        .addsUp()
        .advancedTo(at(MONDAY))
        .warns(
            "The source could not tell how many rows it read: java.lang.IllegalStateException: the"
                + " connection is gone");
  }

  @Test
  void run_withACleanerThatFails_saysWhatIsTrue() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    shop.land(orders().row(2, "pears", TUESDAY));
    IncrementalLoad<Rows> load =
        IncrementalLoad.named("orders")
            .from(shop.bronze.newerBy("loaded_at"))
            .cleanedBy(
                rows -> {
                  throw new IllegalArgumentException("no such unit: 'dozen'.\nDetails follow");
                })
            .into(shop.silver)
            .trackedIn(shop.store)
            .loggedIn(shop.log)
            .build();

    assertThatFailureOf(load::run)
        .isAt(LoadStep.CLEAN)
        .isOfKind(ProblemKind.FAILED)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .hasMessage(
            "Cannot clean the rows of bronze_orders for load 'orders': IllegalArgumentException: no"
                + " such unit: 'dozen'. Nothing was merged and the watermark stays at"
                + " 2026-06-01T22:00:00Z; the next run reads the same rows.");
    assertThat(shop.log.last().outcome()).isEqualTo(LoadLogEntry.Outcome.FAILED);
    assertThat(shop.silver.rows()).hasRows(orders().row(1, "apples", MONDAY));
    assertThat(shop.store).holds("orders", at(MONDAY));
  }

  @Test
  void run_withOtherColumnsThanTheTarget_failsBeforeItWrites() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    shop.land(Rows.columns("id", "item", "loaded_at", "color").row(2, "pears", TUESDAY, "green"));

    assertThatFailureOf(() -> shop.load().run())
        .isOfKind(ProblemKind.SCHEMA_MISMATCH)
        .leaves(Aftermath.NOTHING_WRITTEN);

    assertThat(shop.silver.commits()).hasSize(1);
    assertThat(shop.store).holds("orders", at(MONDAY));
  }

  @Test
  void run_whileRowsLandAtAnyMoment_leavesThemToTheNextRun() {
    for (LoadStep step : LoadStep.values()) {
      for (Moment moment : Moment.values()) {
        Shop busy = new Shop();
        busy.land(orders().row(1, "apples", MONDAY));
        busy.load().run();
        Rows meanwhile = orders().row(3, "late", TUESDAY).row(4, "newer", WEDNESDAY);
        busy.land(orders().row(2, "pears", TUESDAY).row(null, "no key", TUESDAY));

        FaultPlan landing = Faults.once(step, moment).runs(() -> busy.land(meanwhile));
        busy.load(landing).run();

        if (landing.fired() == 0) {
          continue;
        }

        busy.load().run();

        assertThat(busy.store).as(moment + " " + step).holds("orders", at(WEDNESDAY));
        assertThat(busy.silver.rows())
            .as(moment + " " + step)
            .hasRows(orders().row(1, "apples", MONDAY).row(2, "pears", TUESDAY).concat(meanwhile));
      }
    }
  }

  @Test
  void run_whileNewerRowsLandBeforeTheMerge_advancesToWhatWasPlanned() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.bronze.landDuringNextRead(orders().row(2, "pears", TUESDAY));

    assertThat(shop.load().run()).merged(1).read(1).advancedTo(at(MONDAY));
    assertThat(shop.load().run()).merged(1).advancedTo(at(TUESDAY));
  }

  @Test
  void run_withALookback_findsLateRowsAndKeepsTheWatermark() {
    FakeSource bronze = shop.bronze.newerBy(Cursor.on("loaded_at").lookback(Duration.ofHours(25)));
    IncrementalLoad<Rows> load = load(bronze, shop.silver);
    shop.land(orders().row(1, "apples", TUESDAY));
    load.run();
    shop.land(orders().row(2, "late", MONDAY));

    LoadResult result = load.run();

    assertThat(result).merged(1).unchanged(1).advancedTo(at(TUESDAY)).addsUp();
    assertThat(result.notes().late()).isEqualTo(1);
    assertThat(result.notes().earliest()).isEqualTo(at(MONDAY));
    assertThat(shop.store).holds("orders", at(TUESDAY));
  }

  @Test
  void run_withARowLimit_goesOnInStepsAndIsNeverIdleBetween() {
    FakeSource bronze =
        shop.bronze.undisturbed().newerBy(Cursor.on("loaded_at").exclusive().atMost(1));
    IncrementalLoad<Rows> load = load(bronze, shop.silver);
    shop.land(
        orders()
            .row(1, "a", MONDAY)
            .row(2, "b", TUESDAY)
            .row(3, "c", TUESDAY)
            .row(4, "d", WEDNESDAY));

    assertThat(load.run()).merged(1).advancedTo(at(MONDAY));
    assertThat(load.run()).merged(2).advancedTo(at(TUESDAY));
    assertThat(load.run()).merged(1).advancedTo(at(WEDNESDAY));
    assertThat(load.run()).foundNothingNew().read(0);
  }

  @Test
  void run_withASettleTime_saysHowManyRowsWait() {
    FakeSource bronze = shop.bronze.newerBy(Cursor.on("loaded_at").settledFor(Duration.ofDays(2)));
    shop.land(orders().row(1, "apples", MONDAY).row(2, "open", WEDNESDAY));

    assertThat(load(bronze, shop.silver).run()).merged(1).waiting(1).advancedTo(at(MONDAY));
    assertThat(load(bronze.timedBy(later()), shop.silver).run()).merged(1).waiting(0);
  }

  private static Clock later() {
    return Clock.offset(Shop.NOON, Duration.ofDays(2));
  }

  @Test
  void plan_ofABusySource_writesNothing() {
    shop.land(orders().row(1, "apples", MONDAY));

    SourcePlan<Rows> plan = shop.load().plan();

    assertThat(plan.explanation())
        .isEqualTo("bronze_orders, range [the start, 2026-06-01T22:00:00Z]");
    assertThat(shop.store.commits()).isZero();
    assertThat(shop.silver.commits()).isEmpty();
    assertThat(shop.log.entries()).isEmpty();
  }

  @Test
  void run_withListeners_tellsEveryStepInOrder() {
    List<String> told = new ArrayList<>();
    shop.land(orders().row(1, "apples", MONDAY).row(null, "no key", MONDAY));

    shop.builder(Faults.none())
        .heardBy(event -> told.add(event.step() + " " + event.phase() + " " + event.detail()))
        .build()
        .run();

    assertThat(told)
        .containsExactly(
            "READ STARTED ",
            "READ FINISHED ",
            "RECOVER STARTED ",
            "RECOVER FINISHED ",
            "PLAN STARTED ",
            "PLAN FINISHED bronze_orders, range [the start, 2026-06-01T22:00:00Z]",
            "CLEAN STARTED ",
            "CLEAN FINISHED 1 rows accepted, 1 rejected",
            "REJECT STARTED ",
            "REJECT FINISHED 1 of 1 rows were not there before",
            "MERGE STARTED run 1",
            "MERGE FINISHED 1 rows merged",
            "ADVANCE STARTED ",
            "ADVANCE FINISHED to 2026-06-01T22:00:00Z",
            "LOG STARTED COMMITTED",
            "LOG FINISHED COMMITTED");
  }

  @Test
  void run_withAFailingListener_warnsAndGoesOn() {
    shop.land(orders().row(1, "apples", MONDAY));

    LoadResult result =
        shop.builder(Faults.none())
            .heardBy(
                event -> {
                  if (event.step() == LoadStep.MERGE && event.phase() == LoadPhase.FINISHED) {
                    throw new IllegalStateException("the bell is broken");
                  }
                })
            .build()
            .run();

    assertThat(result)
        .merged(1)
        .warns(
            "A listener failed at step MERGE: java.lang.IllegalStateException: the bell is broken");
    assertThat(shop.store).holds("orders", at(MONDAY));
    assertThat(shop.log.last().message()).contains("the bell is broken");
  }

  @Test
  void run_withAFailingLog_warnsAndGoesOn() {
    shop.land(orders().row(1, "apples", MONDAY));

    LoadResult result = shop.load(Faults.once(LoadStep.LOG, Moment.BEFORE).fails()).run();

    assertThat(result)
        .merged(1)
        .warns(
            "The load log could not be written: java.lang.IllegalStateException: made to fail before"
                + " step LOG");
  }

  @Test
  void run_ofEveryOutcome_isLogged() {
    shop.load().run();
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();

    assertThat(shop.log.entries())
        .extracting(LoadLogEntry::outcome)
        .containsExactly(LoadLogEntry.Outcome.NOTHING_NEW, LoadLogEntry.Outcome.COMMITTED);
    LoadLogEntry entry = shop.log.last();
    assertThat(entry.number()).isEqualTo(1);
    assertThat(entry.counts().inserted()).isEqualTo(1);
    assertThat(entry.startedAt()).isEqualTo(Shop.NOON.instant());
    assertThat(entry.ranges()).hasSize(1);
  }

  @Test
  void run_ofAnotherLoad_leavesThisOneAlone() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    IncrementalLoad<Rows> returns =
        IncrementalLoad.named("returns")
            .from(shop.bronze.newerBy("loaded_at"))
            .into(FakeMergeTarget.named("silver_returns").matchedOn("id"))
            .trackedIn(shop.store)
            .build();

    assertThat(returns.run()).merged(1);

    assertThat(shop.store).holds("orders", at(MONDAY)).holds("returns", at(MONDAY));
    assertThat(shop.load().run()).foundNothingNew();
  }

  private IncrementalLoad<Rows> load(FakeSource source, FakeMergeTarget target) {
    return IncrementalLoad.named("orders").from(source).into(target).trackedIn(shop.store).build();
  }
}
