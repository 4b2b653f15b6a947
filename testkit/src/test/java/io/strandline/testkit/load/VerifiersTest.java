package io.strandline.testkit.load;

import static io.strandline.testkit.load.Shop.MONDAY;
import static io.strandline.testkit.load.Shop.TUESDAY;
import static io.strandline.testkit.load.Shop.orders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadStep;
import io.strandline.source.Cursor;
import io.strandline.testkit.fake.FakeMergeTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.CrashVerifier;
import io.strandline.testkit.fault.CrashWorld;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.HistoryVerifier;
import io.strandline.testkit.fault.HistoryWorld;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The testkit's verifiers find loads that lose rows, and say after which crash or seed. */
class VerifiersTest {
  @Test
  void crashVerifier_ofALoadThatIsSafe_countsItsCrashes() {
    assertThat(CrashVerifier.of(Nights::new).at(LoadStep.MERGE).verify()).isEqualTo(12);
    assertThat(CrashVerifier.of(Nights::new).at(LoadStep.MERGE, LoadStep.ADVANCE).verify())
        .isEqualTo(24);
  }

  @Test
  void crashVerifier_ofALoadThatLosesRows_namesTheCrashAndShowsTheRows() {
    assertThatThrownBy(() -> CrashVerifier.of(Forgetful::new).at(LoadStep.MERGE).verify())
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("12 of 12 crashes did harm.")
        .hasMessageContaining("DEATH before step MERGE of run 1: the target differs")
        .hasMessageContaining("EXCEPTION after step MERGE of run 2: the target differs")
        .hasMessageContaining("2, pears, " + TUESDAY)
        .hasMessageContaining("(missing)");
  }

  @Test
  void historyVerifier_ofALoadThatDoesNotLookBack_namesTheSeedAndWhatHappened() {
    assertThatThrownBy(() -> HistoryVerifier.of(seed -> new Hasty()).verify(50))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("replay it with -Dstrandline.seed=")
        .hasMessageContaining("land late")
        .cause()
        .hasMessageContaining("The target differs from a full load.");
  }

  /** Two nights of orders. */
  private static class Nights implements CrashWorld {
    private final Shop shop = new Shop();

    @Override
    public int batches() {
      return 2;
    }

    @Override
    public void land(int batch) {
      shop.land(batch == 0 ? orders().row(1, "apples", MONDAY) : orders().row(2, "pears", TUESDAY));
    }

    @Override
    public IncrementalLoad<Rows> load(FaultPlan faults) {
      return shop.load(faults);
    }

    @Override
    public Rows target() {
      return shop.silver.rows();
    }
  }

  /** A world that loses a row as soon as something goes wrong. */
  private static final class Forgetful extends Nights {
    private int loads;

    @Override
    public IncrementalLoad<Rows> load(FaultPlan faults) {
      loads++;
      return super.load(faults);
    }

    @Override
    public Rows target() {
      return loads > batches()
          ? super.target().filter(row -> !row.get("item").equals("pears"))
          : super.target();
    }
  }

  /** A load that misses rows which come late. */
  private static final class Hasty implements HistoryWorld {
    private static final LoadName ORDERS = new LoadName("orders");

    private final FakeSource source =
        FakeSource.named("bronze").newerBy(Cursor.on("landed").lookback(1));
    private final FakeMergeTarget target =
        FakeMergeTarget.named("silver").matchedOn("id").sequencedBy("revision");
    private final FakeWatermarkStore store = FakeWatermarkStore.empty();

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
      // Nobody edits it.
    }
  }
}
