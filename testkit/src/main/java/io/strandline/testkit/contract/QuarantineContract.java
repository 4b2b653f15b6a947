package io.strandline.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.source.Reading;
import io.strandline.target.Quarantine;
import io.strandline.target.RejectedRows;
import io.strandline.testkit.assertion.LoadAssertions;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.LoadName;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What every quarantine promises.
 *
 * @param <D> how the engine holds rows
 */
public interface QuarantineContract<D> {

  /** Makes an empty quarantine that no other test knows. */
  Quarantine<D> newQuarantine();

  /**
   * Makes rows for the quarantine.
   *
   * @param rows the rows: the columns of {@link Orders}, the reason, and perhaps {@link
   *     RejectedRows#ORIGIN_COLUMN}
   * @return the same rows, as the engine holds them
   */
  D rows(Rows rows);

  /**
   * Reads what a quarantine keeps.
   *
   * @param quarantine the quarantine
   * @param load the load
   * @return the rows kept of that load that were not redriven: the columns of {@link Orders}, and
   *     the reason
   */
  Rows kept(Quarantine<D> quarantine, LoadName load);

  /** Rows are kept as they came, with their reasons. */
  @Test
  default void put_ofNewRows_keepsThemWithTheirReasons() {
    Quarantine<D> quarantine = newQuarantine();
    Rows rows = rejected(Orders.order(null, "apples", Orders.MONDAY), "no key");

    assertThat(put(quarantine, "orders", 1, rows)).isEqualTo(1);

    LoadAssertions.assertThat(kept(quarantine, new LoadName("orders"))).hasRows(rows);
  }

  /** A row that is kept already is not kept again, whichever run brings it. */
  @Test
  default void put_ofRowsThatAreKept_keepsThemOnce() {
    Quarantine<D> quarantine = newQuarantine();
    Rows apples = rejected(Orders.order(null, "apples", Orders.MONDAY), "no key");
    Rows pears = rejected(Orders.order("", null, null), "no key");
    put(quarantine, "orders", 1, apples);

    assertThat(put(quarantine, "orders", 1, apples)).isZero();
    assertThat(put(quarantine, "orders", 2, apples.concat(pears))).isEqualTo(1);

    LoadAssertions.assertThat(kept(quarantine, new LoadName("orders")))
        .hasRows(apples.concat(pears));
  }

  /** Equal rows of one run are kept once. */
  @Test
  default void put_ofEqualRows_keepsOne() {
    Quarantine<D> quarantine = newQuarantine();
    Rows apples = rejected(Orders.order(null, "apples", Orders.MONDAY), "no key");

    assertThat(put(quarantine, "orders", 1, apples.concat(apples))).isEqualTo(1);

    LoadAssertions.assertThat(kept(quarantine, new LoadName("orders"))).hasRows(apples);
  }

  /** The same row of another load, or for another reason, is another row. */
  @Test
  default void put_ofTheSameRowForAnotherLoadOrReason_keepsBoth() {
    Quarantine<D> quarantine = newQuarantine();
    Rows row = Orders.order("A-17", null, Orders.MONDAY);
    put(quarantine, "orders", 1, rejected(row, "no item"));

    assertThat(put(quarantine, "orders", 2, rejected(row, "bad item"))).isEqualTo(1);
    assertThat(put(quarantine, "returns", 1, rejected(row, "no item"))).isEqualTo(1);

    LoadAssertions.assertThat(kept(quarantine, new LoadName("orders")))
        .hasRows(rejected(row, "no item").concat(rejected(row, "bad item")));
  }

  /** Rows that differ only in a null are different rows. */
  @Test
  default void put_ofRowsThatDifferInANull_keepsBoth() {
    Quarantine<D> quarantine = newQuarantine();
    Rows rows =
        rejected(Orders.order(null, "", null).concat(Orders.order("", null, null)), "no key");

    assertThat(put(quarantine, "orders", 1, rows)).isEqualTo(2);
  }

  private long put(Quarantine<D> quarantine, String load, long number, Rows rows) {
    return quarantine.put(
        new RejectedRows<>(
            new LoadName(load), number, "bronze_orders", List.of(), List.of(rows(rows))));
  }

  private static Rows rejected(Rows rows, String reason) {
    return rows.with(Reading.REASON_COLUMN, row -> reason);
  }
}
