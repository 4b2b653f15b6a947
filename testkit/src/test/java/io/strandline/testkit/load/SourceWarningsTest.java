package io.strandline.testkit.load;

import static io.strandline.testkit.load.Shop.MONDAY;
import static io.strandline.testkit.load.Shop.orders;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.source.IncrementalSource;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.Faults;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.WatermarkRange;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a source warns of is in the result of every run, whatever the run found. */
class SourceWarningsTest {
  private static final String WARNING = "Numbers commit out of order.";

  private final Shop shop = new Shop();

  @Test
  void warningsOfAPlan_areInTheResult() {
    IncrementalSource<Rows> source = shop.bronze.undisturbed().newerBy("loaded_at");
    IncrementalLoad<Rows> load =
        IncrementalLoad.named("orders")
            .from(Faults.none().wrap(new Warning(source)))
            .into(shop.silver)
            .trackedIn(shop.store)
            .build();
    shop.land(orders().row(1, "apples", MONDAY));

    assertThat(load.plan().warnings()).containsExactly(WARNING);
    assertThat(load.run().notes().warnings()).containsExactly(WARNING);
    assertThat(load.run().notes().warnings()).as("nothing new").containsExactly(WARNING);
    assertThat(load.reload().notes().warnings()).containsExactly(WARNING);
  }

  /** A source with something to say. */
  private record Warning(IncrementalSource<Rows> source) implements IncrementalSource<Rows> {
    @Override
    public String name() {
      return source.name();
    }

    @Override
    public Set<StreamName> streams() {
      return source.streams();
    }

    @Override
    public List<String> watermarkColumns() {
      return source.watermarkColumns();
    }

    @Override
    public String declaration() {
      return source.declaration();
    }

    @Override
    public SourcePlan<Rows> plan(StoredWatermarks stored) {
      return source.plan(stored).warning(List.of(WARNING));
    }

    @Override
    public SourcePlan<Rows> planBackfill(StreamName stream, WatermarkRange range) {
      return source.planBackfill(stream, range).warning(List.of(WARNING));
    }
  }
}
