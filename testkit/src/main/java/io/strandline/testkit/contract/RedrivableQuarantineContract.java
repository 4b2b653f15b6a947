package io.strandline.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.clean.Cleaned;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Reading;
import io.strandline.target.RedrivableQuarantine;
import io.strandline.target.Redrive;
import io.strandline.target.RejectedRows;
import io.strandline.testkit.assertion.LoadAssertions;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.LoadName;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every quarantine promises that gives rows back.
 *
 * @param <D> how the engine holds rows
 */
public interface RedrivableQuarantineContract<D> extends QuarantineContract<D> {
  /** The load of the tests. */
  LoadName LOAD = new LoadName("orders");

  @Override
  RedrivableQuarantine<D> newQuarantine();

  /**
   * Reads rows.
   *
   * @param rows rows that the quarantine gave back
   * @return the same rows in memory
   */
  Rows collect(D rows);

  /**
   * Makes rows that were rejected again.
   *
   * @param rows rows that the quarantine gave back: the columns of {@link Orders}, and {@code
   *     _strandline_raw}
   * @param orderId which of them
   * @param reason why
   * @return these rows as a target rejects them: the raw columns, the entry, and the reason
   */
  D rejectedAgain(D rows, String orderId, String reason);

  /** What waits comes back as it came, and nothing of other loads or of what the source refused. */
  @Test
  default void redrive_ofWhatWaits_givesItAsItCame() {
    RedrivableQuarantine<D> quarantine = newQuarantine();
    Rows apples = Orders.order("A-17", "apples", Orders.MONDAY);
    Rows pears = Orders.order("A-18", null, Orders.MONDAY);
    put(quarantine, LOAD, rejected(apples.concat(pears)));
    put(quarantine, new LoadName("returns"), rejected(Orders.order("R-1", null, Orders.MONDAY)));
    put(
        quarantine,
        LOAD,
        rejected(Orders.order("A-19", "figs", null))
            .with(RejectedRows.ORIGIN_COLUMN, row -> RejectedRows.BY_SOURCE));

    Redrive<D> redrive = quarantine.redrive(LOAD);

    assertThat(redrive.rows()).isEqualTo(2);
    assertThat(redrive.isBegun()).isFalse();
    assertThat(redrive.cleaned()).isEmpty();
    Rows raw = raw(redrive);
    LoadAssertions.assertThat(raw)
        .showing("order_id", "item", "loaded_at")
        .hasRows(apples.concat(pears));
    assertThat(raw.maps()).allSatisfy(row -> assertThat(row.get(Cleaned.RAW_COLUMN)).isNotNull());
  }

  /** A row that the target has rejected as it was cleaned comes back apart. */
  @Test
  @Tag(MergeTargetContract.THOROUGH)
  default void redrive_ofACleanedRow_givesItApart() {
    RedrivableQuarantine<D> quarantine = newQuarantine();
    Rows apples = Orders.order("A-17", "apples", Orders.MONDAY);
    put(
        quarantine,
        LOAD,
        rejected(apples).with(RejectedRows.ORIGIN_COLUMN, row -> RejectedRows.BY_TARGET));

    Redrive<D> redrive = quarantine.redrive(LOAD);

    assertThat(redrive.raw()).isEmpty();
    LoadAssertions.assertThat(
            redrive.cleaned().stream().map(this::collect).reduce(Rows.none(), Rows::concat))
        .showing("order_id", "item", "loaded_at")
        .hasRows(apples);
  }

  /** What is redriven waits no more, and is known when it is seen again. */
  @Test
  default void finish_ofARedrive_letsNothingWaitAndKnowsTheRows() {
    RedrivableQuarantine<D> quarantine = newQuarantine();
    Rows rows = rejected(Orders.order("A-17", "apples", Orders.MONDAY));
    put(quarantine, LOAD, rows);
    Redrive<D> redrive = quarantine.redrive(LOAD);

    redrive.begin(List.of());
    redrive.finish("attempt-1");
    redrive.finish("attempt-1");

    assertThat(quarantine.redrive(LOAD).rows()).isZero();
    assertThat(put(quarantine, LOAD, rows)).isZero();
  }

  /** What is rejected again goes on to wait, is not stored again, and has its new reason. */
  @Test
  default void begin_withRowsThatAreRejectedAgain_letsThemWait() {
    RedrivableQuarantine<D> quarantine = newQuarantine();
    Rows apples = Orders.order("A-17", "apples", Orders.MONDAY);
    Rows pears = Orders.order("A-18", null, Orders.MONDAY);
    put(quarantine, LOAD, rejected(apples.concat(pears)));
    Redrive<D> redrive = quarantine.redrive(LOAD);

    redrive.begin(List.of(rejectedAgain(redrive.raw().get(0), "A-18", "still no item")));
    redrive.finish("attempt-1");

    assertThat(quarantine.redrive(LOAD).rows()).isEqualTo(1);
    LoadAssertions.assertThat(kept(quarantine, LOAD))
        .hasRows(pears.with(Reading.REASON_COLUMN, row -> "still no item"));
  }

  /** A redrive that has begun and died is taken up under its own id, and no other entry with it. */
  @Test
  default void redrive_afterOneThatDied_goesOnWithIt() {
    RedrivableQuarantine<D> quarantine = newQuarantine();
    Rows apples = Orders.order("A-17", "apples", Orders.MONDAY);
    put(quarantine, LOAD, rejected(apples));
    Redrive<D> died = quarantine.redrive(LOAD);
    died.begin(List.of());
    put(quarantine, LOAD, rejected(Orders.order("A-18", "pears", Orders.MONDAY)));

    Redrive<D> next = quarantine.redrive(LOAD);

    assertThat(next.isBegun()).isTrue();
    assertThat(next.id()).isEqualTo(died.id());
    LoadAssertions.assertThat(raw(next)).showing("order_id", "item", "loaded_at").hasRows(apples);
    next.begin(List.of(rejectedAgain(next.raw().get(0), "A-17", "no stock")));
    next.finish("attempt-2");
    assertThat(quarantine.redrive(LOAD).rows()).isEqualTo(2);
  }

  /** Of two redrives at once the second one to begin is refused. */
  @Test
  @Tag(MergeTargetContract.THOROUGH)
  default void begin_afterAnotherHasBegun_isRefused() {
    RedrivableQuarantine<D> quarantine = newQuarantine();
    put(quarantine, LOAD, rejected(Orders.order("A-17", "apples", Orders.MONDAY)));
    Redrive<D> first = quarantine.redrive(LOAD);
    Redrive<D> second = quarantine.redrive(LOAD);
    first.begin(List.of());

    assertThatThrownBy(() -> second.begin(List.of()))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.TARGET_CONFLICT));
  }

  /** A row that does not tell its entry is refused, since its entry would pass for redriven. */
  @Test
  @Tag(MergeTargetContract.THOROUGH)
  default void begin_withARowOfNoEntry_isRefused() {
    RedrivableQuarantine<D> quarantine = newQuarantine();
    Rows row = rejected(Orders.order("A-17", "apples", Orders.MONDAY));
    put(quarantine, LOAD, row);
    Redrive<D> redrive = quarantine.redrive(LOAD);

    assertThatThrownBy(() -> redrive.begin(List.of(rows(row))))
        .isInstanceOf(Problem.class)
        .hasMessageContaining(Cleaned.RAW_COLUMN);
    assertThat(quarantine.redrive(LOAD).isBegun()).isFalse();
  }

  private Rows raw(Redrive<D> redrive) {
    return redrive.raw().stream().map(this::collect).reduce(Rows.none(), Rows::concat);
  }

  private long put(RedrivableQuarantine<D> quarantine, LoadName load, Rows rows) {
    return quarantine.put(
        new RejectedRows<>(load, 1, "bronze_orders", List.of(), List.of(rows(rows))));
  }

  private static Rows rejected(Rows rows) {
    return rows.with(Reading.REASON_COLUMN, row -> "no stock");
  }
}
