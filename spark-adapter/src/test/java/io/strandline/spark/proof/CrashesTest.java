package io.strandline.spark.proof;

import static io.strandline.spark.proof.DeltaShop.MONDAY;
import static io.strandline.spark.proof.DeltaShop.TUESDAY;
import static io.strandline.spark.proof.DeltaShop.orders;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadStep;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.CrashVerifier;
import io.strandline.testkit.fault.CrashWorld;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A load on Delta that dies, or fails, at every moment of the steps that write. */
@ExtendWith(LakehouseExtension.class)
@Tag(MergeTargetContract.THOROUGH)
class CrashesTest {
  @Test
  void load_killedWhereItWrites_endsAsOneThatWasNeverKilled(Lakehouse lakehouse) {
    AtomicInteger shops = new AtomicInteger();

    int crashes =
        CrashVerifier.of(() -> new TwoNights(DeltaShop.in(lakehouse, shops.incrementAndGet())))
            .at(LoadStep.REJECT, LoadStep.MERGE, LoadStep.ADVANCE)
            .verify();

    assertThat(crashes).isGreaterThanOrEqualTo(30);
  }

  /** Two nights, the second with a correction, a twin, a late version and a row without a key. */
  private record TwoNights(DeltaShop shop) implements CrashWorld {
    @Override
    public int batches() {
      return 2;
    }

    @Override
    public void land(int batch) {
      shop.land(
          batch == 0
              ? orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY).row(null, "x", MONDAY)
              : orders()
                  .row(1, "more apples", TUESDAY)
                  .row(1, "some apples", MONDAY)
                  .row(3, "figs", TUESDAY)
                  .row(3, "figs", TUESDAY)
                  .row(null, "no key", TUESDAY));
    }

    @Override
    public IncrementalLoad<Dataset<Row>> load(FaultPlan faults) {
      return shop.load(faults);
    }

    @Override
    public Rows target() {
      return Lakehouse.collect(shop.silver());
    }
  }
}
