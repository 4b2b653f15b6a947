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
import io.strandline.source.Reading;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.MergeTarget;
import io.strandline.target.Receipt;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.TargetStanding;
import io.strandline.target.Verb;
import io.strandline.testkit.assertion.LoadAssertions;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.Bound;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What every target promises: first the keyed ones, and, where the capabilities below say so, those
 * that append or overwrite.
 *
 * @param <D> how the engine holds rows
 */
public interface MergeTargetContract<D> {

  /**
   * Makes a target that no other test knows, for the columns of {@link Orders}, matched on {@code
   * order_id}, without a sequence of its own. Its table is empty or does not exist yet.
   */
  MergeTarget<D> newTarget();

  /**
   * Makes rows to merge.
   *
   * @param rows the rows: text, and points in time where the column is {@code loaded_at}
   * @return the same rows, as the engine holds them
   */
  D rows(Rows rows);

  /**
   * Reads rows, such as rejected ones.
   *
   * @param rows the rows
   * @return the same rows in memory
   */
  Rows collect(D rows);

  /**
   * Reads what a target holds.
   *
   * @param target the target
   * @return its rows, with the columns of {@link Orders} alone
   */
  Rows held(MergeTarget<D> target);

  /**
   * Counts the commits of a target's table.
   *
   * @param target the target
   * @return the number; zero if the table does not exist yet
   */
  long commits(MergeTarget<D> target);

  /** Tells whether a run that asks for it overwrites the whole target. */
  default boolean reloads() {
    return true;
  }

  /** Tells whether the target recognizes rows by their key; those that do not take every row in. */
  default boolean recognizesKeys() {
    return true;
  }

  /** Tells whether a run leaves the rows that earlier runs have brought. */
  default boolean keepsEarlierRows() {
    return true;
  }

  /** A target that never took a load's rows knows no run of it. */
  @Test
  default void standing_ofALoadThatNeverRan_isWithoutReceipt() {
    TargetStanding standing = standing(newTarget());

    assertThat(standing.number()).isZero();
    assertThat(standing.receipt()).isEmpty();
    assertThat(standing.disturbances()).isEmpty();
  }

  /** Rows and receipt come together: after a merge the target holds both. */
  @Test
  default void merge_ofNewRows_insertsThemAndKeepsTheReceipt() {
    MergeTarget<D> target = newTarget();
    Rows orders = order("A-17", "apples", MONDAY).concat(order("A-18", null, TUESDAY));
    Receipt receipt = receipt(1, Watermark.start(), TUESDAY);

    MergeOutcome outcome = merge(target, receipt, orders);

    assertThat(outcome).isInstanceOf(MergeOutcome.Committed.class);
    assertThat(outcome.counts()).isEqualTo(new MergeCounts(2, 0, 0, 0, 0, 0));
    LoadAssertions.assertThat(held(target)).hasRows(orders);
    assertThat(standing(target).number()).isEqualTo(1);
    assertThat(standing(target).receipt()).contains(receipt);
    assertThat(standing(target).snapshot()).isEqualTo(outcome.snapshot());
  }

  /** A run's number is taken once; the second merge with it fails and writes nothing. */
  @Test
  default void merge_withANumberThatWasUsed_failsAndWritesNothing() {
    MergeTarget<D> target = newTarget();
    merge(target, receipt(2, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));
    long commits = commits(target);

    for (long number = 1; number <= 2; number++) {
      Receipt used = receipt(number, Watermark.at(MONDAY), TUESDAY);
      assertThatThrownBy(() -> merge(target, used, order("A-18", "pears", TUESDAY)))
          .isInstanceOfSatisfying(
              Problem.class,
              problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN));
    }

    LoadAssertions.assertThat(held(target)).hasRows(order("A-17", "apples", MONDAY));
    assertThat(commits(target)).isEqualTo(commits);
  }

  /** Of two merges with one number at once, exactly one is made. */
  @Test
  default void merge_ofTwoRunsAtOnce_isMadeOnce() {
    MergeTarget<D> target = newTarget();
    merge(target, receipt(1, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));
    StagedMerge<D> one = stage(target, order("A-18", "pears", TUESDAY));
    StagedMerge<D> other = stage(target, order("A-19", "figs", TUESDAY));

    List<Optional<RuntimeException>> outcomes =
        Together.run(
            List.of(
                () -> one.merge(receipt(2, Watermark.at(MONDAY), TUESDAY)),
                () -> other.merge(receipt(2, Watermark.at(MONDAY), TUESDAY))));

    assertThat(outcomes).filteredOn(Optional::isEmpty).as("the winner").hasSize(1);
    assertThat(held(target).size()).isEqualTo(keepsEarlierRows() ? 2 : 1);
  }

  /** The loads that write into a target have numbers of their own. */
  @Test
  default void merge_ofAnotherLoad_hasItsOwnNumbers() {
    MergeTarget<D> target = newTarget();
    merge(target, receipt(3, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));
    LoadIdentity returns = LoadIdentity.of("another store", new LoadName("orders"));

    merge(
        target,
        receipt(Verb.RUN, returns, 1, Watermark.start(), TUESDAY),
        order("A-18", "pears", TUESDAY));

    assertThat(standing(target).number()).isEqualTo(3);
    assertThat(target.standing(returns, TableSnapshot.unknown()).number()).isEqualTo(1);
  }

  /** Making rows ready writes nothing. */
  @Test
  default void stage_ofRows_writesNothing() {
    MergeTarget<D> target = newTarget();
    merge(target, receipt(1, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));
    long commits = commits(target);

    StagedMerge<D> staged = stage(target, order("A-18", "pears", TUESDAY));

    assertThat(staged.accepted()).isEqualTo(1);
    assertThat(staged.rejectedRows()).isZero();
    assertThat(commits(target)).isEqualTo(commits);
  }

  /** A newer version of a row replaces the older one. */
  @Test
  default void merge_ofANewerVersion_updatesTheRow() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    MergeTarget<D> target = newTarget();
    merge(target, receipt(1, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));

    MergeOutcome outcome =
        merge(target, receipt(2, Watermark.at(MONDAY), TUESDAY), order("A-17", null, TUESDAY));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 1, 0, 0, 0, 0));
    LoadAssertions.assertThat(held(target)).hasRows(order("A-17", null, TUESDAY));
  }

  /** An older version of a row never replaces a newer one; the receipt is kept all the same. */
  @Test
  default void merge_ofAnOlderVersion_leavesTheRow() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    MergeTarget<D> target = newTarget();
    merge(target, receipt(1, Watermark.start(), TUESDAY), order("A-17", "apples", TUESDAY));

    MergeOutcome outcome =
        merge(target, receipt(2, Watermark.at(TUESDAY), WEDNESDAY), order("A-17", "old", MONDAY));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 0, 0, 0, 0, 1));
    LoadAssertions.assertThat(held(target)).hasRows(order("A-17", "apples", TUESDAY));
    assertThat(standing(target).number()).isEqualTo(2);
  }

  /** Of two versions of equal sequence, the one that is read later stands. */
  @Test
  default void merge_ofAnotherVersionOfEqualSequence_updatesTheRow() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    MergeTarget<D> target = newTarget();
    merge(target, receipt(1, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));

    MergeOutcome outcome =
        merge(target, receipt(2, Watermark.at(MONDAY), MONDAY), order("A-17", "pears", MONDAY));

    assertThat(outcome.counts().updated()).isEqualTo(1);
    LoadAssertions.assertThat(held(target)).hasRows(order("A-17", "pears", MONDAY));
  }

  /** Of several versions in one range the newest is merged, whatever order they come in. */
  @Test
  default void merge_ofSeveralVersionsInOneRange_takesTheNewest() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    Rows old = order("A-17", "apples", MONDAY);
    Rows newest = order("A-17", "figs", WEDNESDAY);
    Rows middle = order("A-17", "pears", TUESDAY);

    for (Rows orders :
        List.of(
            old.concat(middle).concat(newest),
            newest.concat(middle).concat(old),
            middle.concat(newest).concat(old))) {
      MergeTarget<D> target = newTarget();

      MergeOutcome outcome = merge(target, receipt(1, Watermark.start(), WEDNESDAY), orders);

      assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 0, 0, 0, 2, 0));
      LoadAssertions.assertThat(held(target)).hasRows(newest);
    }
  }

  /** Versions that tie are decided the same way, whatever order they come in. */
  @Test
  default void merge_ofVersionsThatTie_decidesTheSameWayAlways() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    Rows apples = order("A-17", "apples", MONDAY);
    Rows pears = order("A-17", "pears", MONDAY);
    Rows nothing = order("A-17", null, MONDAY);
    MergeTarget<D> one = newTarget();
    MergeTarget<D> other = newTarget();

    merge(one, receipt(1, Watermark.start(), MONDAY), apples.concat(pears).concat(nothing));
    merge(other, receipt(1, Watermark.start(), MONDAY), nothing.concat(pears).concat(apples));

    LoadAssertions.assertThat(held(other)).hasRows(held(one));
  }

  /** A row without a sequence is older than every other, in the range and in the target. */
  @Test
  default void merge_ofARowWithoutSequence_takesItForTheOldest() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    MergeTarget<D> target = newTarget();
    merge(
        target,
        receipt(1, Watermark.start(), MONDAY),
        order("A-17", "unknown", null).concat(order("A-17", "apples", MONDAY)));

    MergeOutcome outcome =
        merge(target, receipt(2, Watermark.at(MONDAY), MONDAY), order("A-17", "later", null));

    assertThat(outcome.counts().stale()).isEqualTo(1);
    LoadAssertions.assertThat(held(target)).hasRows(order("A-17", "apples", MONDAY));
  }

  /** A row that changes nothing is not written; without a moving watermark there is no commit. */
  @Test
  default void merge_ofRowsItHolds_commitsNothing() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    MergeTarget<D> target = newTarget();
    Rows orders = order("A-17", "apples", MONDAY).concat(order("A-18", null, MONDAY));
    merge(target, receipt(1, Watermark.start(), MONDAY), orders);
    long commits = commits(target);

    MergeOutcome outcome = merge(target, receipt(2, Watermark.at(MONDAY), MONDAY), orders);

    assertThat(outcome).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 0, 0, 2, 0, 0));
    assertThat(commits(target)).isEqualTo(commits);
    assertThat(standing(target).number()).isEqualTo(1);
  }

  /** A receipt that moves a watermark is committed, even without a row. */
  @Test
  default void merge_ofNoRowsThatMovesAWatermark_commitsTheReceipt() {
    assumeTrue(keepsEarlierRows(), "keeps earlier rows");
    MergeTarget<D> target = newTarget();
    merge(target, receipt(1, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));

    MergeOutcome outcome = merge(target, receipt(2, Watermark.at(MONDAY), TUESDAY), Orders.none());

    assertThat(outcome).isInstanceOf(MergeOutcome.Committed.class);
    assertThat(outcome.counts()).isEqualTo(MergeCounts.none());
    assertThat(standing(target).number()).isEqualTo(2);
    LoadAssertions.assertThat(held(target)).hasRows(order("A-17", "apples", MONDAY));
  }

  /**
   * Rows without a key, or with a blank one, are rejected with the reason, and the others merged.
   */
  @Test
  default void stage_ofRowsWithoutKey_rejectsThem() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    MergeTarget<D> target = newTarget();
    Rows unplaced = order(null, "apples", MONDAY).concat(order("  ", "pears", MONDAY));

    StagedMerge<D> staged = stage(target, unplaced.concat(order("A-17", "figs", MONDAY)));

    assertThat(staged.accepted()).isEqualTo(1);
    assertThat(staged.rejectedRows()).isEqualTo(2);
    Rows rejected = staged.rejected().stream().map(this::collect).reduce(Rows.none(), Rows::concat);
    LoadAssertions.assertThat(rejected).showing("order_id", "item", "loaded_at").hasRows(unplaced);
    assertThat(rejected.maps())
        .allSatisfy(row -> assertThat(row.get(Reading.REASON_COLUMN)).asString().isNotBlank());
    staged.merge(receipt(1, Watermark.start(), MONDAY));
    LoadAssertions.assertThat(held(target)).hasRows(order("A-17", "figs", MONDAY));
  }

  /** What others have rejected before is counted and handed on. */
  @Test
  default void stage_ofRowsThatWereRejectedBefore_handsThemOn() {
    Rows rejected = order("A-18", null, MONDAY).with(Reading.REASON_COLUMN, row -> "no item");

    StagedMerge<D> staged =
        newTarget()
            .stage(
                new StageRequest<>(
                    new LoadName("orders"),
                    rows(order("A-17", "apples", MONDAY)),
                    List.of(rows(rejected)),
                    List.of("loaded_at"),
                    Verb.RUN));

    assertThat(staged.rejectedRows()).isEqualTo(1);
    LoadAssertions.assertThat(
            staged.rejected().stream().map(this::collect).reduce(Rows.none(), Rows::concat))
        .hasRows(rejected);
  }

  /** Keys are compared exactly: case and blanks count. */
  @Test
  default void merge_ofKeysThatDifferInCaseOrBlanks_keepsThemApart() {
    MergeTarget<D> target = newTarget();
    Rows orders =
        order("a-17", "x", MONDAY)
            .concat(order("A-17", "x", MONDAY))
            .concat(order("A-17 ", "x", MONDAY));

    merge(target, receipt(1, Watermark.start(), MONDAY), orders);

    LoadAssertions.assertThat(held(target)).hasRows(orders);
  }

  /** Values are data: quotes and the like change nothing. */
  @Test
  default void merge_ofValuesWithQuotes_keepsThemExactly() {
    MergeTarget<D> target = newTarget();
    Rows orders = order("O'Neill\"`;--", "\\ % _ ${x} \uD83D\uDE00", MONDAY);
    merge(target, receipt(1, Watermark.start(), MONDAY), orders);

    if (recognizesKeys()) {
      MergeOutcome outcome = merge(target, receipt(2, Watermark.at(MONDAY), MONDAY), orders);
      assertThat(outcome.counts().unchanged()).isEqualTo(1);
    }

    LoadAssertions.assertThat(held(target)).hasRows(orders);
  }

  /** Columns are matched by name, not by position. */
  @Test
  default void merge_ofColumnsInAnotherOrder_matchesThemByName() {
    assumeTrue(keepsEarlierRows(), "keeps earlier rows");
    MergeTarget<D> target = newTarget();
    merge(target, receipt(1, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));

    merge(
        target,
        receipt(2, Watermark.at(MONDAY), TUESDAY),
        order("A-18", "pears", TUESDAY).select("loaded_at", "item", "order_id"));

    LoadAssertions.assertThat(held(target))
        .hasRows(order("A-17", "apples", MONDAY).concat(order("A-18", "pears", TUESDAY)));
  }

  /** Rows that lack one of the target's columns, or have another, are refused before any write. */
  @Test
  default void stage_ofRowsWithOtherColumns_fails() {
    MergeTarget<D> target = newTarget();
    merge(target, receipt(1, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));
    Rows more = order("A-18", "pears", TUESDAY).with("color", row -> "green");
    Rows fewer = order("A-18", "pears", TUESDAY).select("order_id", "loaded_at");

    for (Rows orders : List.of(more, fewer)) {
      assertThatThrownBy(() -> stage(target, orders))
          .isInstanceOfSatisfying(
              Problem.class,
              problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.SCHEMA_MISMATCH));
    }
  }

  /** Rows without the key column are refused before any write. */
  @Test
  default void stage_ofRowsWithoutTheKeyColumn_fails() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    assertThatThrownBy(
            () -> stage(newTarget(), order("A-17", "apples", MONDAY).select("item", "loaded_at")))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> {
              assertThat(problem.kind())
                  .isIn(ProblemKind.BAD_CONFIGURATION, ProblemKind.SCHEMA_MISMATCH);
              assertThat(problem).hasMessageContaining("order_id");
            });
  }

  /** Without a sequence of its own, a target refuses rows that have lost the watermark column. */
  @Test
  default void stage_ofRowsWithoutAnySequence_fails() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    assertThatThrownBy(
            () -> stage(newTarget(), order("A-17", "apples", MONDAY).select("order_id", "item")))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> {
              assertThat(problem.kind())
                  .isIn(ProblemKind.BAD_CONFIGURATION, ProblemKind.SCHEMA_MISMATCH);
              assertThat(problem).hasMessageContaining("loaded_at");
            });
  }

  /** What becomes of the rows adds up to what was accepted. */
  @Test
  default void merge_ofRowsOfEverySort_countsEachOnce() {
    assumeTrue(recognizesKeys(), "recognizes keys");
    MergeTarget<D> target = newTarget();
    merge(
        target,
        receipt(1, Watermark.start(), TUESDAY),
        order("A-17", "apples", TUESDAY)
            .concat(order("A-18", "pears", TUESDAY))
            .concat(order("A-19", "figs", TUESDAY)));

    StagedMerge<D> staged =
        stage(
            target,
            order("A-17", "apples", TUESDAY)
                .concat(order("A-18", "stale", MONDAY))
                .concat(order("A-19", "updated", WEDNESDAY))
                .concat(order("A-19", "superseded", TUESDAY))
                .concat(order("A-20", "inserted", WEDNESDAY)));
    MergeOutcome outcome = staged.merge(receipt(2, Watermark.at(TUESDAY), WEDNESDAY));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 1, 0, 1, 1, 1));
    assertThat(outcome.counts().total()).isEqualTo(staged.accepted());
  }

  /** A reload leaves exactly the rows of its range, and keeps its receipt. */
  @Test
  default void merge_ofAReload_overwritesTheTarget() {
    assumeTrue(reloads(), "reloads");
    MergeTarget<D> target = newTarget();
    merge(target, receipt(1, Watermark.start(), TUESDAY), order("A-17", "apples", TUESDAY));
    Receipt reload = receipt(Verb.RELOAD, identity(), 2, Watermark.at(TUESDAY), MONDAY);

    target
        .stage(
            new StageRequest<>(
                new LoadName("orders"),
                rows(order("A-18", "pears", MONDAY)),
                List.of(),
                List.of("loaded_at"),
                Verb.RELOAD))
        .merge(reload);

    LoadAssertions.assertThat(held(target)).hasRows(order("A-18", "pears", MONDAY));
    assertThat(standing(target).receipt()).contains(reload);
  }

  private StagedMerge<D> stage(MergeTarget<D> target, Rows rows) {
    return target.stage(
        new StageRequest<>(
            new LoadName("orders"), rows(rows), List.of(), List.of("loaded_at"), Verb.RUN));
  }

  private MergeOutcome merge(MergeTarget<D> target, Receipt receipt, Rows rows) {
    return stage(target, rows).merge(receipt);
  }

  private static TargetStanding standing(MergeTarget<?> target) {
    return target.standing(identity(), TableSnapshot.unknown());
  }

  private static LoadIdentity identity() {
    return LoadIdentity.of("etl_watermark", new LoadName("orders"));
  }

  private static Receipt receipt(long number, Watermark stored, Instant upTo) {
    return receipt(Verb.RUN, identity(), number, stored, upTo);
  }

  private static Receipt receipt(
      Verb verb, LoadIdentity identity, long number, Watermark stored, Instant upTo) {
    Watermark next = Watermark.at(upTo);
    return new Receipt(
        verb,
        identity,
        number,
        "attempt " + number,
        List.of(
            new StreamRange(
                StreamName.only(),
                stored,
                new WatermarkRange(stored, Bound.INCLUSIVE, next),
                next)),
        Map.of(StreamName.only(), new TableSnapshot("bronze", number)),
        Remainder.NONE,
        "matched on 'order_id'");
  }
}
