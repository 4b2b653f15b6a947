package io.strandline.testkit.load;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.load.Shop.MONDAY;
import static io.strandline.testkit.load.Shop.TUESDAY;
import static io.strandline.testkit.load.Shop.at;
import static io.strandline.testkit.load.Shop.orders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.strandline.clean.Cleaned;
import io.strandline.clean.Cleaner;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.load.MergeException;
import io.strandline.problem.ProblemKind;
import io.strandline.target.DeleteSweep;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.CrashVerifier;
import io.strandline.testkit.fault.CrashWorld;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows that go from the source without a word, and sweeps that find them gone. */
class SweepTest {
  private final Shop shop = new Shop();

  @Test
  void run_withoutNewRows_sweepsAndLeavesTheWatermark() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY).row(3, "figs", MONDAY));
    swept().run();
    shop.bronze.delete(row -> row.get("id").equals(2L));

    LoadResult result = sweptExclusively().run();

    assertThat(result).addsUp();
    assertThat(result.counts().swept()).isEqualTo(1);
    assertThat(result.rowsMerged()).isEqualTo(1);
    assertThat(result.watermark()).isEqualTo(at(MONDAY));
    assertThat(shop.silver.rows())
        .hasRows(orders().row(1, "apples", MONDAY).row(3, "figs", MONDAY));
    assertThat(sweptExclusively().run()).foundNothingNew();
  }

  @Test
  void run_withNewRows_sweepsInTheSameCommit() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY));
    swept().run();
    shop.bronze.delete(row -> row.get("id").equals(1L));
    shop.land(orders().row(10, "apples", TUESDAY));

    LoadResult result = swept().run();

    assertThat(result).addsUp();
    assertThat(result.counts().inserted()).isEqualTo(1);
    assertThat(result.counts().swept()).isEqualTo(1);
    assertThat(shop.silver.commits()).hasSize(2);
    assertThat(shop.silver.rows())
        .hasRows(orders().row(2, "pears", MONDAY).row(10, "apples", TUESDAY));
  }

  @Test
  void run_onAnEmptySource_isStoppedAndGoesOnWhenTheRowsAreBack() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY));
    swept().run();
    shop.bronze.delete(row -> true);

    assertThatThrownBy(() -> swept().run())
        .isInstanceOfSatisfying(
            MergeException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(ProblemKind.EMPTY_SOURCE_SWEEP);
              assertThat(e.isRerunUseful()).isFalse();
              assertThat(e)
                  .hasMessage(
                      "Cannot sweep silver_orders for load 'orders': the source is empty, or no row"
                          + " of it has a key, and the sweep would delete all 2 rows. Nothing was"
                          + " merged and the watermark stays at 2026-06-01T22:00:00Z; the next run"
                          + " reads the same rows. Look at the source first. If these rows are really"
                          + " gone, run the load approving(\""
                          + e.approval().orElseThrow()
                          + "\"), which lets exactly this sweep pass.");
            });
    assertThat(shop.silver.rows().size()).isEqualTo(2);

    shop.land(orders().row(1, "apples", MONDAY).row(3, "figs", TUESDAY));
    swept().run();

    assertThat(shop.silver.rows())
        .hasRows(orders().row(1, "apples", MONDAY).row(3, "figs", TUESDAY));
  }

  @Test
  void approving_letsExactlyThatSweepPass() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY).row(3, "figs", MONDAY));
    swept().run();
    shop.bronze.delete(row -> !row.get("id").equals(1L));
    LoadException stopped = catchThrowableOfType(LoadException.class, () -> swept().run());
    String token = stopped.approval().orElseThrow();
    shop.bronze.delete(row -> true);
    shop.land(orders().row(2, "pears", MONDAY));

    assertThat(stopped.kind()).isEqualTo(ProblemKind.SWEEP_TOO_LARGE);
    assertThatThrownBy(() -> swept().approving(token).run()).isInstanceOf(MergeException.class);
    shop.bronze.delete(row -> true);
    shop.land(orders().row(1, "apples", MONDAY));
    swept().approving(token).run();

    assertThat(shop.silver.rows()).hasRows(orders().row(1, "apples", MONDAY));
  }

  @Test
  void run_ofEveryThirdNumber_sweepsThenAlone() {
    DeleteSweep third = DeleteSweep.every(3);

    for (int run = 1; run <= 3; run++) {
      shop.land(orders().row(run, "apples", MONDAY.plusSeconds(run)));
      LoadResult result = load(third).run();
      shop.bronze.delete(row -> row.get("id").equals(1L));

      assertThat(result.counts().swept()).isEqualTo(run == 3 ? 1 : 0);
    }

    shop.bronze.delete(row -> row.get("id").equals(2L));
    assertThat(load(third).run().counts().swept()).isZero();
    assertThat(load(third).sweep().counts().swept()).isEqualTo(1);
    assertThat(shop.silver.rows()).hasRows(orders().row(3, "apples", MONDAY.plusSeconds(3)));
  }

  @Test
  void run_ofARowThatCannotBeCleaned_sweepsNotWhatTheSourceStillHas() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY));
    load(new StrictOnItems()).run();
    shop.bronze.delete(row -> row.get("id").equals(1L));
    shop.land(orders().row(1, null, TUESDAY));

    LoadResult result = load(new StrictOnItems()).run();

    assertThat(result.counts().rejected()).isEqualTo(1);
    assertThat(result.counts().swept()).isZero();
    assertThat(shop.silver.rows().size()).isEqualTo(2);
  }

  @Test
  void run_thatDiedAfterASweep_isFinishedByTheNext() {
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY));
    swept().run();
    shop.bronze.delete(row -> row.get("id").equals(2L));
    FaultPlan dies = Faults.once(LoadStep.MERGE, Moment.AFTER).dies();
    assertThatThrownBy(() -> shop.builder(dies).swept(DeleteSweep.everyRun()).build().run())
        .isInstanceOf(ProcessDeath.class);

    LoadResult result = swept().run();

    assertThat(result.notes().recovered().orElseThrow().number()).isEqualTo(2);
    assertThat(result.watermark()).isEqualTo(at(MONDAY));
    assertThat(result.rowsMerged()).isZero();
    assertThat(shop.silver.rows()).hasRows(orders().row(1, "apples", MONDAY));
  }

  @Test
  void load_killedAnywhere_endsAsIfItHadNotBeen() {
    int crashes = CrashVerifier.of(SweptShop::new).verify();

    assertThat(crashes).isGreaterThan(60);
  }

  @Test
  void sweep_ofALoadThatHasNone_isRefused() {
    assertThatThrownBy(() -> shop.load().sweep())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot call sweep() of load 'orders': it was built without swept(..).");
  }

  private IncrementalLoad<Rows> swept() {
    return load(DeleteSweep.everyRun());
  }

  private IncrementalLoad<Rows> load(DeleteSweep sweep) {
    return shop.builder(Faults.none()).swept(sweep).build();
  }

  private IncrementalLoad<Rows> sweptExclusively() {
    return IncrementalLoad.named("orders")
        .from(shop.bronze.newerBy(io.strandline.source.Cursor.on("loaded_at").exclusive()))
        .into(shop.silver)
        .trackedIn(shop.store)
        .swept(DeleteSweep.everyRun())
        .redeclared()
        .build();
  }

  private IncrementalLoad<Rows> load(Cleaner<Rows> cleaner) {
    return IncrementalLoad.named("orders")
        .from(shop.bronze.newerBy("loaded_at"))
        .cleanedBy(cleaner)
        .into(shop.silver)
        .trackedIn(shop.store)
        .swept(DeleteSweep.everyRun())
        .build();
  }

  /** Rejects orders without an item; their keys are as good as others. */
  private static final class StrictOnItems implements Cleaner<Rows> {
    @Override
    public Rows clean(Rows rows) {
      return rows.filter(row -> row.get("item") != null);
    }

    @Override
    public Cleaned<Rows> separate(Rows rows) {
      Rows rejected =
          rows.filter(row -> row.get("item") == null)
              .with(io.strandline.source.Reading.REASON_COLUMN, row -> "no item");
      return new Cleaned<>(clean(rows), rejected.isEmpty() ? List.of() : List.of(rejected));
    }

    @Override
    public Rows cleanKeys(Rows rows, List<String> keys) {
      return rows.select(keys.toArray(String[]::new));
    }
  }

  /** Two batches come, each with rows that go. */
  private static final class SweptShop implements CrashWorld {
    private final Shop shop = new Shop();

    @Override
    public int batches() {
      return 3;
    }

    @Override
    public void land(int batch) {
      shop.bronze.delete(row -> row.get("id").equals((long) batch));
      shop.land(
          batch == 2
              ? orders()
              : orders()
                  .row(batch + 1, "apples", MONDAY.plusSeconds(batch))
                  .row(batch + 10, "pears", MONDAY.plusSeconds(batch)));
    }

    @Override
    public IncrementalLoad<?> load(FaultPlan faults) {
      return shop.builder(faults).swept(DeleteSweep.everyRun()).build();
    }

    @Override
    public Rows target() {
      return shop.silver.rows();
    }
  }
}
