package io.strandline.testkit.contract;

import static io.strandline.testkit.contract.Orders.MONDAY;
import static io.strandline.testkit.contract.Orders.TUESDAY;
import static io.strandline.testkit.contract.Orders.WEDNESDAY;
import static io.strandline.testkit.contract.Orders.order;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.IncrementalSource;
import io.strandline.source.NullCursors;
import io.strandline.source.ReadCounts;
import io.strandline.source.Reading;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.assertion.LoadAssertions;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.Bound;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoreState;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What every source with watermark columns promises.
 *
 * @param <D> how the engine holds rows
 */
public interface IncrementalSourceContract<D> {
  /** A point in time that no clock has reached yet. */
  Instant FAR_FUTURE = Instant.parse("2999-01-01T00:00:00Z");

  /**
   * Makes a source over an empty table with the columns of {@link Orders}, which no other test
   * knows.
   *
   * @param cursor says which rows are new
   * @return the source
   */
  IncrementalSource<D> newSource(Cursor cursor);

  /**
   * Lands rows in the table of the source that was made last.
   *
   * @param rows the rows
   */
  void land(Rows rows);

  /**
   * Reads rows.
   *
   * @param rows the rows
   * @return the same rows in memory
   */
  Rows collect(D rows);

  /**
   * Returns a point in time that no clock reaches while the test runs, and that the source can
   * hold; {@link #FAR_FUTURE} unless its type ends before.
   */
  default Instant farFuture() {
    return FAR_FUTURE;
  }

  /** Tells whether the source knows which version of it was read. */
  default boolean knowsVersions() {
    return true;
  }

  /** Nothing is new in an empty source, and no watermark comes of it. */
  @Test
  default void plan_ofAnEmptySource_findsNothingNew() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at"));

    assertThat(source.plan(firstRun())).isInstanceOf(SourcePlan.NothingNew.class);
  }

  /** A first run reads every row, up to the greatest watermark. */
  @Test
  default void plan_ofAFirstRun_readsEverything() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at"));
    Rows orders = order("A-17", "apples", MONDAY).concat(order("A-18", null, TUESDAY));
    land(orders);

    SourcePlan.Planned<D> plan = planned(source, firstRun());

    assertThat(range(plan).stored()).isEqualTo(Watermark.start());
    assertThat(range(plan).range().upTo()).isEqualTo(Watermark.at(TUESDAY));
    assertThat(range(plan).next()).isEqualTo(Watermark.at(TUESDAY));
    assertThat(plan.remainder()).isEqualTo(Remainder.NONE);
    LoadAssertions.assertThat(read(plan)).hasRows(orders);
  }

  /** Rows that land after the plan are not read, whatever their watermark. */
  @Test
  default void read_afterMoreRowsLanded_readsWhatWasPlanned() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at"));
    Rows orders = order("A-17", "apples", MONDAY).concat(order("A-18", "pears", TUESDAY));
    land(orders);
    SourcePlan.Planned<D> plan = planned(source, firstRun());

    land(order("A-19", "newer", WEDNESDAY));

    if (knowsVersions()) {
      land(order("A-20", "as new", TUESDAY).concat(order("A-21", "older", MONDAY)));
    }

    LoadAssertions.assertThat(read(plan)).hasRows(orders);
  }

  /** Reading a plan twice reads the same rows, and counts them. */
  @Test
  default void read_twice_readsTheSameRowsAndCountsThem() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at"));
    land(order("A-17", "apples", MONDAY).concat(order("A-17", "apples", MONDAY)));
    SourcePlan.Planned<D> plan = planned(source, firstRun());

    Rows first = read(plan);
    Reading<D> second = plan.read();

    LoadAssertions.assertThat(collect(second.rows())).hasRows(first);
    assertThat(second.counts().get()).isEqualTo(ReadCounts.of(2));
  }

  /** By default rows that share the stored watermark are read again. */
  @Test
  default void plan_withAnInclusiveBound_readsTheTiesAgain() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at"));
    Rows ties = order("A-18", "pears", TUESDAY).concat(order("A-19", "late tie", TUESDAY));
    land(order("A-17", "apples", MONDAY).concat(ties));

    SourcePlan.Planned<D> plan = planned(source, stored(TUESDAY));

    assertThat(plan.moves()).isFalse();
    LoadAssertions.assertThat(read(plan)).hasRows(ties);
  }

  /** With an exclusive bound they are not, and without newer rows nothing is new. */
  @Test
  default void plan_withAnExclusiveBound_readsNewerRowsOnly() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at").exclusive());
    land(order("A-17", "apples", MONDAY).concat(order("A-18", "pears", TUESDAY)));

    LoadAssertions.assertThat(read(planned(source, stored(MONDAY))))
        .hasRows(order("A-18", "pears", TUESDAY));
    assertThat(source.plan(stored(TUESDAY))).isInstanceOf(SourcePlan.NothingNew.class);
  }

  /** A microsecond is enough to be newer. */
  @Test
  default void plan_ofARowOneMicrosecondLater_readsIt() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at").exclusive());
    land(order("A-17", "apples", TUESDAY).concat(order("A-18", "pears", TUESDAY.plusNanos(1000))));

    SourcePlan.Planned<D> plan = planned(source, stored(TUESDAY));

    assertThat(range(plan).next()).isEqualTo(Watermark.at(TUESDAY.plusNanos(1000)));
    LoadAssertions.assertThat(read(plan)).hasRows(order("A-18", "pears", TUESDAY.plusNanos(1000)));
  }

  /** A lookback reads below the stored watermark, counts what it finds, and lowers nothing. */
  @Test
  default void plan_withALookback_readsLateRowsAndKeepsTheWatermark() {
    IncrementalSource<D> source =
        newSource(Cursor.on("loaded_at").exclusive().lookback(Duration.ofHours(30)));
    Rows late = order("A-18", "late", MONDAY);
    land(order("A-17", "too late", MONDAY.minusSeconds(86_400)).concat(late));

    SourcePlan.Planned<D> plan = planned(source, stored(TUESDAY));
    Reading<D> reading = plan.read();

    assertThat(range(plan).next()).isEqualTo(Watermark.at(TUESDAY));
    assertThat(plan.moves()).isFalse();
    LoadAssertions.assertThat(collect(reading.rows())).hasRows(late);
    assertThat(reading.counts().get()).isEqualTo(new ReadCounts(1, 1, Watermark.at(MONDAY)));
  }

  /** Rows below the floor are never read, not even on the first run. */
  @Test
  default void plan_withAFloor_readsNothingBelow() {
    IncrementalSource<D> source =
        newSource(Cursor.on("loaded_at").exclusive().notBefore(Watermark.at(TUESDAY)));
    Rows above = order("A-18", "at the floor", TUESDAY).concat(order("A-19", "x", WEDNESDAY));
    land(order("A-17", "below", MONDAY).concat(above));

    LoadAssertions.assertThat(read(planned(source, firstRun()))).hasRows(above);
  }

  /** Rows without a watermark are rejected with the reason, and move nothing. */
  @Test
  default void plan_ofRowsWithoutWatermark_rejectsThem() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at"));
    land(order("A-17", "apples", MONDAY).concat(order("A-18", "never", null)));

    SourcePlan.Planned<D> plan = planned(source, firstRun());
    Reading<D> reading = plan.read();

    assertThat(range(plan).next()).isEqualTo(Watermark.at(MONDAY));
    LoadAssertions.assertThat(collect(reading.rows())).hasRows(order("A-17", "apples", MONDAY));
    Rows rejected =
        reading.rejected().stream().map(this::collect).reduce(Rows.none(), Rows::concat);
    LoadAssertions.assertThat(rejected)
        .showing("order_id", "item", "loaded_at")
        .hasRows(order("A-18", "never", null));
    assertThat(rejected.maps())
        .allSatisfy(row -> assertThat(row.get(Reading.REASON_COLUMN)).asString().isNotBlank());
    assertThat(reading.counts().get().rows()).isEqualTo(2);
  }

  /** Or they are read on every run, if that is chosen. */
  @Test
  default void plan_loadingRowsWithoutWatermark_readsThemEveryTime() {
    IncrementalSource<D> source =
        newSource(Cursor.on("loaded_at").exclusive().nulls(NullCursors.LOAD));
    land(order("A-17", "apples", MONDAY).concat(order("A-18", "never", null)));

    SourcePlan.Planned<D> plan = planned(source, stored(MONDAY));

    assertThat(plan.moves()).isFalse();
    assertThat(plan.read().rejected()).isEmpty();
    LoadAssertions.assertThat(read(plan)).hasRows(order("A-18", "never", null));
  }

  /** Rows without a watermark alone never make one. */
  @Test
  default void plan_ofNothingButRowsWithoutWatermark_movesNothing() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at").nulls(NullCursors.LOAD));
    land(order("A-18", "never", null));

    SourcePlan.Planned<D> plan = planned(source, firstRun());

    assertThat(range(plan).next()).isEqualTo(Watermark.start());
    LoadAssertions.assertThat(read(plan)).hasRows(order("A-18", "never", null));
  }

  /** Or the run fails, if that is chosen. */
  @Test
  default void plan_refusingRowsWithoutWatermark_fails() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at").nulls(NullCursors.REFUSE));
    land(order("A-17", "apples", MONDAY).concat(order("A-18", "never", null)));

    assertThatThrownBy(() -> read(planned(source, firstRun())))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.NULL_CURSOR));
  }

  /** A sentinel counts as no watermark. */
  @Test
  default void plan_withASentinel_takesItForNone() {
    IncrementalSource<D> source =
        newSource(
            Cursor.on("loaded_at")
                .exclusive()
                .sentinel(Watermark.at(farFuture()))
                .nulls(NullCursors.LOAD));
    land(order("A-17", "apples", MONDAY).concat(order("A-18", "never", farFuture())));

    SourcePlan.Planned<D> plan = planned(source, firstRun());

    assertThat(range(plan).next()).isEqualTo(Watermark.at(MONDAY));
    LoadAssertions.assertThat(read(plan))
        .hasRows(order("A-17", "apples", MONDAY).concat(order("A-18", "never", farFuture())));
  }

  /** A future row is loaded, but the watermark stops before it where it is capped. */
  @Test
  default void plan_withCappedFuture_loadsTheRowAndStopsTheWatermark() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at").future(FutureCursors.CAP));
    Rows orders = order("A-17", "apples", MONDAY).concat(order("A-18", "future", farFuture()));
    land(orders);

    SourcePlan.Planned<D> plan = planned(source, firstRun());

    assertThat(range(plan).next()).isEqualTo(Watermark.at(MONDAY));
    LoadAssertions.assertThat(read(plan)).hasRows(orders);
  }

  /** Rows that have not settled wait for a later run. */
  @Test
  default void plan_withASettleTime_holdsBackWhatIsTooNew() {
    IncrementalSource<D> source =
        newSource(Cursor.on("loaded_at").exclusive().settledFor(Duration.ofMinutes(5)));
    land(order("A-17", "apples", MONDAY).concat(order("A-18", "open", farFuture())));

    SourcePlan.Planned<D> plan = planned(source, firstRun());

    assertThat(plan.waiting()).isEqualTo(1);
    assertThat(plan.remainder()).isEqualTo(Remainder.WAITING);
    assertThat(range(plan).next()).isEqualTo(Watermark.at(MONDAY));
    LoadAssertions.assertThat(read(plan)).hasRows(order("A-17", "apples", MONDAY));
    assertThat(source.plan(stored(MONDAY)))
        .isInstanceOfSatisfying(
            SourcePlan.NothingNew.class, nothing -> assertThat(nothing.waiting()).isEqualTo(1));
  }

  /** A row limit cuts a run short, after whole ties only, and never stops all headway. */
  @Test
  default void plan_withARowLimit_readsWholeTies() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at").atMost(2));
    Rows monday = order("A-17", "apples", MONDAY);
    Rows tuesday =
        order("A-18", "pears", TUESDAY)
            .concat(order("A-19", "figs", TUESDAY))
            .concat(order("A-20", "nuts", TUESDAY));
    Rows wednesday = order("A-21", "plums", WEDNESDAY);
    land(monday.concat(tuesday).concat(wednesday));

    SourcePlan.Planned<D> first = planned(source, firstRun());
    SourcePlan.Planned<D> second = planned(source, stored(TUESDAY));

    assertThat(range(first).next()).isEqualTo(Watermark.at(TUESDAY));
    assertThat(first.remainder()).isEqualTo(Remainder.WAITING);
    LoadAssertions.assertThat(read(first)).hasRows(monday.concat(tuesday));
    assertThat(range(second).next()).isEqualTo(Watermark.at(WEDNESDAY));
    assertThat(second.remainder()).isEqualTo(Remainder.NONE);
    LoadAssertions.assertThat(read(second)).hasRows(tuesday.concat(wednesday));
  }

  /** Several columns are compared left to right; an exclusive bound reads what comes after both. */
  @Test
  default void plan_withTwoColumns_comparesThemLeftToRight() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at", "order_id").exclusive());
    Rows after = order("A-19", "x", TUESDAY).concat(order("A-01", "x", WEDNESDAY));
    land(order("A-99", "x", MONDAY).concat(order("A-18", "x", TUESDAY)).concat(after));

    SourcePlan.Planned<D> plan =
        planned(source, stored(Watermark.of(List.of(Watermark.at(TUESDAY), Watermark.of("A-18")))));

    assertThat(range(plan).next())
        .isEqualTo(Watermark.of(List.of(Watermark.at(WEDNESDAY), Watermark.of("A-01"))));
    LoadAssertions.assertThat(read(plan)).hasRows(after);
  }

  /** Of several columns, an inclusive bound reads everything again that shares the first. */
  @Test
  default void plan_withTwoColumnsInclusive_readsAgainWhatSharesTheFirst() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at", "order_id"));
    Rows ties = order("A-01", "x", TUESDAY).concat(order("A-18", "x", TUESDAY));
    land(order("A-99", "x", MONDAY).concat(ties));

    SourcePlan.Planned<D> plan =
        planned(source, stored(Watermark.of(List.of(Watermark.at(TUESDAY), Watermark.of("A-18")))));

    LoadAssertions.assertThat(read(plan)).hasRows(ties);
  }

  /** A full read takes every row on every run, and moves the watermark all the same. */
  @Test
  default void plan_readingAll_readsEveryRow() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at").readingAll());
    Rows orders = order("A-17", "apples", MONDAY).concat(order("A-18", "pears", WEDNESDAY));
    land(orders);

    SourcePlan.Planned<D> plan = planned(source, stored(TUESDAY));

    assertThat(range(plan).next()).isEqualTo(Watermark.at(WEDNESDAY));
    LoadAssertions.assertThat(read(plan)).hasRows(orders);
  }

  /** A watermark never moves back, even if the source has lost its newest rows. */
  @Test
  default void plan_ofASourceThatLostRows_neverMovesBack() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at").lookback(Duration.ofDays(9)));
    land(order("A-17", "apples", MONDAY));

    SourcePlan.Planned<D> plan = planned(source, stored(WEDNESDAY));

    assertThat(range(plan).next()).isEqualTo(Watermark.at(WEDNESDAY));
    assertThat(plan.moves()).isFalse();
  }

  /** A backfill reads exactly the range it was given. */
  @Test
  default void planBackfill_ofARange_readsThatRange() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at").exclusive());
    land(
        order("A-17", "apples", MONDAY)
            .concat(order("A-18", "pears", TUESDAY))
            .concat(order("A-19", "figs", WEDNESDAY)));

    SourcePlan<D> plan =
        source.planBackfill(
            StreamName.only(),
            new WatermarkRange(Watermark.at(MONDAY), Bound.EXCLUSIVE, Watermark.at(TUESDAY)));

    assertThat(plan).isInstanceOf(SourcePlan.Planned.class);
    LoadAssertions.assertThat(read(requirePlanned(plan))).hasRows(order("A-18", "pears", TUESDAY));
  }

  /** A source that is still at the version that was read to its end has nothing new. */
  @Test
  default void plan_ofTheVersionThatWasReadToItsEnd_findsNothingNew() {
    assumeTrue(knowsVersions(), "knows versions");
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at"));
    land(order("A-17", "apples", MONDAY));
    SourcePlan.Planned<D> plan = planned(source, firstRun());
    TableSnapshot seen = plan.snapshot(StreamName.only());

    assertThat(seen.isKnown()).isTrue();
    assertThat(source.plan(left(MONDAY, seen, Remainder.NONE)))
        .isInstanceOf(SourcePlan.NothingNew.class);
    assertThat(source.plan(left(MONDAY, seen, Remainder.WAITING)))
        .as("rows were left behind")
        .isInstanceOf(SourcePlan.Planned.class);
  }

  /** A source that was dropped and made anew is noticed. */
  @Test
  default void plan_ofAnotherTableThanTheLastRunSaw_fails() {
    assumeTrue(knowsVersions(), "knows versions");
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at"));
    land(order("A-17", "apples", MONDAY));

    assertThatThrownBy(
            () -> source.plan(left(MONDAY, new TableSnapshot("another table", 7), Remainder.NONE)))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.SOURCE_RECREATED));
  }

  /** A stored watermark of another kind than the column's is refused, not converted. */
  @Test
  default void plan_fromAWatermarkOfAnotherKind_fails() {
    IncrementalSource<D> source = newSource(Cursor.on("loaded_at"));
    land(order("A-17", "apples", MONDAY));

    assertThatThrownBy(() -> source.plan(stored(Watermark.of(17))))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION));
  }

  /** A watermark column that is not there is named. */
  @Test
  default void plan_ofAColumnThatIsNotThere_fails() {
    assertThatThrownBy(
            () -> {
              IncrementalSource<D> source = newSource(Cursor.on("loadedat"));
              land(order("A-17", "apples", MONDAY));
              source.plan(firstRun());
            })
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> {
              assertThat(problem.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION);
              assertThat(problem).hasMessageContaining("'loadedat'");
            });
  }

  private Rows read(SourcePlan.Planned<D> plan) {
    return collect(plan.read().rows());
  }

  private static <D> SourcePlan.Planned<D> planned(
      IncrementalSource<D> source, StoredWatermarks stored) {
    return requirePlanned(source.plan(stored));
  }

  private static <D> SourcePlan.Planned<D> requirePlanned(SourcePlan<D> plan) {
    if (plan instanceof SourcePlan.Planned<D> planned) {
      return planned;
    }

    throw new AssertionError("Expecting rows to read but found: " + plan.explanation());
  }

  private static StreamRange range(SourcePlan.Planned<?> plan) {
    assertThat(plan.ranges()).hasSize(1);
    return plan.ranges().get(0);
  }

  private static StoredWatermarks firstRun() {
    return StoredWatermarks.of(new LoadName("orders"), 0, StoredStream.none());
  }

  private static StoredWatermarks stored(Instant value) {
    return stored(Watermark.at(value));
  }

  /** A row as a person wrote it, with nothing beside the watermark. */
  private static StoredWatermarks stored(Watermark value) {
    return StoredWatermarks.of(
        new LoadName("orders"), 0, new StoredStream(value, Instant.EPOCH, StoreState.none()));
  }

  /** A row as a run left it. */
  private static StoredWatermarks left(Instant value, TableSnapshot source, Remainder remainder) {
    Watermark watermark = Watermark.at(value);
    return StoredWatermarks.of(
        new LoadName("orders"),
        1,
        new StoredStream(
            watermark,
            Instant.EPOCH,
            new StoreState(1, watermark, source, remainder, TableSnapshot.unknown(), "")));
  }
}
