package io.strandline.testkit.load;

import static io.strandline.testkit.load.Shop.MONDAY;
import static io.strandline.testkit.load.Shop.TUESDAY;
import static io.strandline.testkit.load.Shop.WEDNESDAY;
import static io.strandline.testkit.load.Shop.orders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadStep;
import io.strandline.source.Cursor;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ExplainTest {
  private static final String ORDERS =
      "Load 'orders' reads bronze_orders into silver_orders, tracked in the fake store.\n";

  private final Shop shop = new Shop();

  private String explained(IncrementalLoad<Rows> load) {
    int commits = shop.store.commits() + shop.silver.commits().size();
    int entries = shop.log.entries().size();
    String text = load.explain();
    assertThat(shop.store.commits() + shop.silver.commits().size()).isEqualTo(commits);
    assertThat(shop.log.entries()).hasSize(entries);
    return text.replace(shop.store.name(), "the fake store");
  }

  private IncrementalLoad<Rows> load(FakeSource source) {
    return IncrementalLoad.named("orders")
        .from(source)
        .into(shop.silver)
        .trackedIn(shop.store)
        .build();
  }

  @Test
  void explain_ofAFirstRun_saysThatEverythingIsNew() {
    shop.land(orders().row(1, "apples", MONDAY));

    assertThat(explained(shop.load()))
        .isEqualTo(
            ORDERS
                + "No watermark is stored, so everything is new.\n"
                + "bronze_orders, range [the start, 2026-06-01T22:00:00Z].");
  }

  @Test
  void explain_ofAnIdleSource_saysWhyNothingIsNew() {
    IncrementalLoad<Rows> load = load(shop.bronze.undisturbed().newerBy("loaded_at"));
    shop.land(orders().row(1, "apples", MONDAY));
    load.run();

    assertThat(explained(load))
        .isEqualTo(
            ORDERS
                + "The stored watermark is 2026-06-01T22:00:00Z.\n"
                + "Nothing is new. bronze_orders is still at version 1.");
  }

  @Test
  void explain_afterADeathBeforeTheWatermarkMoved_saysWhatTheNextRunDoesFirst() {
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    shop.land(orders().row(2, "pears", TUESDAY));
    assertThatThrownBy(() -> shop.load(Faults.once(LoadStep.MERGE, Moment.AFTER).dies()).run())
        .isInstanceOf(ProcessDeath.class);

    assertThat(explained(shop.load()))
        .isEqualTo(
            ORDERS
                + "The stored watermark is 2026-06-01T22:00:00Z.\n"
                + "Run 2 was committed, and died before its watermark was moved. The next run moves"
                + " it first, and what follows is how it stands until then.\n"
                + "bronze_orders, range [2026-06-01T22:00:00Z, 2026-06-02T22:00:00Z].");
  }

  @Test
  void explain_ofASourceWithRowsThatWait_planHoldsThem() {
    shop.land(orders().row(1, "open", WEDNESDAY));
    IncrementalLoad<Rows> load =
        load(shop.bronze.newerBy(Cursor.on("loaded_at").settledFor(Duration.ofDays(2))));

    assertThat(explained(load))
        .isEqualTo(
            ORDERS
                + "No watermark is stored, so everything is new.\n"
                + "Nothing is new. bronze_orders has no row after the start.");
    assertThat(load.plan().waiting()).isEqualTo(1);
  }
}
