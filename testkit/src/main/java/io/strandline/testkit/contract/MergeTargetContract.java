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
import io.strandline.target.DeleteSweep;
import io.strandline.target.Deletes;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.MergeTarget;
import io.strandline.target.Receipt;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.SweepRequest;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every target promises: first the keyed ones, and, where the capabilities below say so, those
 * that append or overwrite.
 *
 * @param <D> how the engine holds rows
 */
public interface MergeTargetContract<D> {
  /**
   * The tag of the tests that say more about what another test says already. A build that has
   * little time may leave them out, where another build runs them.
   */
  String THOROUGH = "thorough";

  /**
   * Makes a target that no other test knows, for the columns of {@link Orders}, matched on {@code
   * order_id}, without a sequence of its own. Its table is empty or does not exist yet.
   */
  MergeTarget<D> newTarget();

  /**
   * Makes a target like {@link #newTarget()} that knows deletes. The rows merged into it have the
   * column named deleted too, text.
   *
   * @param deletes which rows are deletes, and what they do
   * @return the target; empty if such targets know no deletes
   */
  default Optional<MergeTarget<D>> newTarget(Deletes deletes) {
    return Optional.empty();
  }

  /**
   * Makes a target like {@link #newTarget()}, with a clause of the merge declared.
   *
   * @param clause the clause
   * @return the target; empty if such targets know no such clause
   */
  default Optional<MergeTarget<D>> newTarget(Clause clause) {
    return Optional.empty();
  }

  /** A clause of a merge, as a target may declare it. */
  enum Clause {
    /** Rows that are stored stay as they are. */
    INSERTING_ONLY,
    /** No row is inserted. */
    UPDATING_ONLY,
    /** A row of a new key is inserted only if its item is {@code apples}. */
    INSERTING_APPLES,
    /** A stored row is updated only by one whose item is {@code apples}. */
    UPDATING_APPLES,
    /** Of a stored row only the item is updated; the rows have a column named note too, text. */
    UPDATING_ITEM,
    /** A null leaves the stored value; the rows have a column named note too, text. */
    KEEPING_WHERE_NULL,
    /** The column named changed_at says when a row was changed last. */
    STAMPING_CHANGES
  }

  /** When the runs of these tests begin, by the clock of their load. */
  Instant NOW = WEDNESDAY.plusSeconds(60);

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
   * Reads what holds now of what a target holds.
   *
   * @param target the target
   * @return of a history the open versions; else all rows
   */
  default Rows current(MergeTarget<D> target) {
    return held(target);
  }

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
  @Tag(THOROUGH)
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
  @Tag(THOROUGH)
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
  @Tag(THOROUGH)
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
                    Verb.RUN,
                    NOW));

    assertThat(staged.rejectedRows()).isEqualTo(1);
    LoadAssertions.assertThat(
            staged.rejected().stream().map(this::collect).reduce(Rows.none(), Rows::concat))
        .hasRows(rejected);
  }

  /** Keys are compared exactly: case and blanks count. */
  @Test
  @Tag(THOROUGH)
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
  @Tag(THOROUGH)
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
  @Tag(THOROUGH)
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
  @Tag(THOROUGH)
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
                Verb.RELOAD,
                NOW))
        .merge(reload);

    LoadAssertions.assertThat(held(target)).hasRows(order("A-18", "pears", MONDAY));
    assertThat(standing(target).receipt()).contains(reload);
  }

  /** Hard deletes guard against what arrives late like rows do, also where no row is left. */
  @Test
  default void merge_ofHardDeletes_removesRowsThatNoLateVersionBringsBack() {
    MergeTarget<D> target = deleting(Deletes.hard("deleted", "yes"));
    merge(
        target,
        receipt(1, Watermark.start(), TUESDAY),
        kept("A-17", "apples", MONDAY)
            .concat(kept("A-18", "pears", TUESDAY))
            .concat(kept("A-19", "figs", MONDAY)));
    Rows range =
        gone("A-17", null, TUESDAY)
            .concat(gone("A-18", "pears", MONDAY))
            .concat(gone("A-20", null, TUESDAY))
            .concat(kept("A-19", "zucchini", TUESDAY))
            .concat(gone("A-19", "figs", TUESDAY));

    MergeOutcome deleted = merge(target, receipt(2, Watermark.at(TUESDAY), WEDNESDAY), range);
    Rows left = held(target);
    MergeOutcome again = merge(target, receipt(3, Watermark.at(WEDNESDAY), WEDNESDAY), range);
    MergeOutcome late =
        merge(
            target,
            receipt(3, Watermark.at(WEDNESDAY), WEDNESDAY),
            kept("A-17", "late", MONDAY)
                .concat(kept("A-20", "late", MONDAY))
                .concat(kept("A-19", "again", WEDNESDAY)));

    assertThat(deleted.counts()).isEqualTo(new MergeCounts(0, 0, 2, 1, 1, 1));
    LoadAssertions.assertThat(left).hasRows(kept("A-18", "pears", TUESDAY));
    assertThat(again).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(again.counts()).isEqualTo(new MergeCounts(0, 0, 0, 3, 1, 1));
    assertThat(late.counts()).isEqualTo(new MergeCounts(1, 0, 0, 0, 0, 2));
    LoadAssertions.assertThat(held(target))
        .hasRows(kept("A-18", "pears", TUESDAY).concat(kept("A-19", "again", WEDNESDAY)));
  }

  /** A soft delete sets the flag, and takes from a row only what it brings anew. */
  @Test
  @Tag(THOROUGH)
  default void merge_ofSoftDeletes_keepsTheRowsWithTheirFlag() {
    MergeTarget<D> target = deleting(Deletes.soft("deleted", "yes"));
    merge(
        target,
        receipt(1, Watermark.start(), MONDAY),
        kept("A-17", "apples", MONDAY).concat(kept("A-18", "pears", MONDAY)));

    MergeOutcome deleted =
        merge(
            target,
            receipt(2, Watermark.at(MONDAY), TUESDAY),
            gone("A-17", null, TUESDAY)
                .concat(gone("A-18", "plums", TUESDAY))
                .concat(gone("A-19", null, TUESDAY))
                .concat(gone("A-20", null, TUESDAY))
                .concat(kept("A-20", "figs", MONDAY)));
    Rows flagged = held(target);
    MergeOutcome later =
        merge(
            target,
            receipt(3, Watermark.at(TUESDAY), WEDNESDAY),
            kept("A-17", "late", MONDAY)
                .concat(kept("A-18", "again", WEDNESDAY))
                .concat(gone("A-19", null, TUESDAY)));

    assertThat(deleted.counts()).isEqualTo(new MergeCounts(2, 0, 2, 0, 1, 0));
    LoadAssertions.assertThat(flagged)
        .hasRows(
            gone("A-17", "apples", TUESDAY)
                .concat(gone("A-18", "plums", TUESDAY))
                .concat(gone("A-19", null, TUESDAY))
                .concat(gone("A-20", "figs", TUESDAY)));
    assertThat(later.counts()).isEqualTo(new MergeCounts(0, 1, 0, 1, 0, 1));
    LoadAssertions.assertThat(held(target))
        .hasRows(
            gone("A-17", "apples", TUESDAY)
                .concat(kept("A-18", "again", WEDNESDAY))
                .concat(gone("A-19", null, TUESDAY))
                .concat(gone("A-20", "figs", TUESDAY)));
  }

  /** A delete that did not reach its commit has left a trace, which does no harm. */
  @Test
  @Tag(THOROUGH)
  default void merge_ofADeleteThatDidNotCommit_isMadeWhenItComesAgain() {
    MergeTarget<D> target = deleting(Deletes.hard("deleted", "yes"));
    merge(target, receipt(1, Watermark.start(), MONDAY), kept("A-17", "apples", MONDAY));
    Rows range = gone("A-17", null, TUESDAY);

    assertThatThrownBy(() -> merge(target, receipt(1, Watermark.start(), TUESDAY), range))
        .isInstanceOf(Problem.class);
    Rows before = held(target);
    MergeOutcome again = merge(target, receipt(2, Watermark.at(MONDAY), TUESDAY), range);

    LoadAssertions.assertThat(before).hasRows(kept("A-17", "apples", MONDAY));
    assertThat(again.counts().deleted()).isEqualTo(1);
    assertThat(held(target).size()).isZero();
  }

  /** A reload that did not reach its commit has made nothing forgotten. */
  @Test
  @Tag(THOROUGH)
  default void merge_ofAReloadThatDidNotCommit_remembersWhatWasDeletedBefore() {
    assumeTrue(reloads(), "reloads");
    MergeTarget<D> target = deleting(Deletes.hard("deleted", "yes"));
    merge(
        target,
        receipt(1, Watermark.start(), TUESDAY),
        kept("A-17", "apples", MONDAY).concat(gone("A-18", null, TUESDAY)));

    assertThatThrownBy(
            () ->
                target
                    .stage(
                        new StageRequest<>(
                            new LoadName("orders"),
                            rows(gone("A-17", null, TUESDAY)),
                            List.of(),
                            List.of("loaded_at"),
                            Verb.RELOAD,
                            NOW))
                    .merge(receipt(Verb.RELOAD, identity(), 1, Watermark.at(TUESDAY), MONDAY)))
        .isInstanceOf(Problem.class);
    MergeOutcome late =
        merge(
            target,
            receipt(2, Watermark.at(TUESDAY), WEDNESDAY),
            kept("A-18", "late", MONDAY).concat(kept("A-17", "apples", WEDNESDAY)));

    assertThat(late.counts()).isEqualTo(new MergeCounts(0, 1, 0, 0, 0, 1));
    LoadAssertions.assertThat(held(target)).hasRows(kept("A-17", "apples", WEDNESDAY));
  }

  /** A reload begins anew, so that what was deleted before says nothing about its rows. */
  @Test
  @Tag(THOROUGH)
  default void merge_ofAReload_forgetsWhatWasDeletedBefore() {
    assumeTrue(reloads(), "reloads");
    MergeTarget<D> target = deleting(Deletes.hard("deleted", "yes"));
    merge(target, receipt(1, Watermark.start(), TUESDAY), gone("A-17", null, TUESDAY));

    target
        .stage(
            new StageRequest<>(
                new LoadName("orders"),
                rows(kept("A-17", "apples", MONDAY).concat(gone("A-18", "pears", MONDAY))),
                List.of(),
                List.of("loaded_at"),
                Verb.RELOAD,
                NOW))
        .merge(receipt(Verb.RELOAD, identity(), 2, Watermark.at(TUESDAY), MONDAY));

    LoadAssertions.assertThat(held(target)).hasRows(kept("A-17", "apples", MONDAY));
  }

  /** An insert-only merge leaves what is there, and still knows which rows are stale. */
  @Test
  @Tag(THOROUGH)
  default void merge_insertingOnly_leavesStoredRows() {
    MergeTarget<D> target = with(Clause.INSERTING_ONLY);
    merge(target, receipt(1, Watermark.start(), TUESDAY), order("A-17", "apples", TUESDAY));

    MergeOutcome outcome =
        merge(
            target,
            receipt(2, Watermark.at(TUESDAY), WEDNESDAY),
            order("A-17", "pears", WEDNESDAY).concat(order("A-18", "figs", WEDNESDAY)));
    MergeOutcome quiet =
        merge(
            target,
            receipt(3, Watermark.at(WEDNESDAY), WEDNESDAY),
            order("A-17", "pears", WEDNESDAY).concat(order("A-18", "old", MONDAY)));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 0, 0, 1, 0, 0));
    assertThat(quiet).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(quiet.counts()).isEqualTo(new MergeCounts(0, 0, 0, 1, 0, 1));
    LoadAssertions.assertThat(held(target))
        .hasRows(order("A-17", "apples", TUESDAY).concat(order("A-18", "figs", WEDNESDAY)));
  }

  /**
   * An update-only merge inserts nothing, also into an empty target, and refuses to be reloaded.
   */
  @Test
  @Tag(THOROUGH)
  default void merge_updatingOnly_insertsNothing() {
    MergeTarget<D> target = with(Clause.UPDATING_ONLY);

    MergeOutcome outcome =
        merge(target, receipt(1, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 0, 0, 1, 0, 0));
    assertThat(held(target).size()).isZero();
    assertThat(standing(target).number()).isEqualTo(1);
    assertThatThrownBy(
            () ->
                target.stage(
                    new StageRequest<>(
                        new LoadName("orders"),
                        rows(order("A-17", "apples", MONDAY)),
                        List.of(),
                        List.of("loaded_at"),
                        Verb.RELOAD,
                        NOW)))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION));
  }

  /** Conditions are asked of the newest row of the range. */
  @Test
  @Tag(THOROUGH)
  default void merge_withConditions_insertsAndUpdatesWhatFulfillsThem() {
    MergeTarget<D> inserting = with(Clause.INSERTING_APPLES);
    MergeTarget<D> updating = with(Clause.UPDATING_APPLES);
    Rows first =
        order("A-17", "apples", MONDAY)
            .concat(order("A-18", "apples", MONDAY))
            .concat(order("A-18", "pears", TUESDAY));
    Rows second = order("A-17", "figs", WEDNESDAY).concat(order("A-18", "apples", WEDNESDAY));

    MergeOutcome inserted = merge(inserting, receipt(1, Watermark.start(), TUESDAY), first);
    merge(updating, receipt(1, Watermark.start(), TUESDAY), first);
    MergeOutcome updated = merge(updating, receipt(2, Watermark.at(TUESDAY), WEDNESDAY), second);

    assertThat(inserted.counts()).isEqualTo(new MergeCounts(1, 0, 0, 1, 1, 0));
    LoadAssertions.assertThat(held(inserting)).hasRows(order("A-17", "apples", MONDAY));
    assertThat(updated.counts()).isEqualTo(new MergeCounts(0, 1, 0, 1, 0, 0));
    LoadAssertions.assertThat(held(updating))
        .hasRows(order("A-17", "apples", MONDAY).concat(order("A-18", "apples", WEDNESDAY)));
  }

  /** Where only some columns are updated, others keep what they had when the row was inserted. */
  @Test
  default void merge_updatingSomeColumns_leavesTheOthers() {
    MergeTarget<D> target = with(Clause.UPDATING_ITEM);
    merge(target, receipt(1, Watermark.start(), MONDAY), noted("A-17", "apples", "mine", MONDAY));

    MergeOutcome other =
        merge(
            target,
            receipt(2, Watermark.at(MONDAY), MONDAY),
            noted("A-17", "apples", "yours", MONDAY));
    MergeOutcome outcome =
        merge(
            target,
            receipt(2, Watermark.at(MONDAY), TUESDAY),
            noted("A-17", "pears", "yours", TUESDAY));

    assertThat(other).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(other.counts().unchanged()).isEqualTo(1);
    assertThat(outcome.counts().updated()).isEqualTo(1);
    LoadAssertions.assertThat(held(target)).hasRows(noted("A-17", "pears", "mine", TUESDAY));
  }

  /** Where nulls say nothing, one range does what its versions would do one after the other. */
  @Test
  @Tag(THOROUGH)
  default void merge_keepingWhereNull_takesTheNewestValueOfEachColumn() {
    MergeTarget<D> target = with(Clause.KEEPING_WHERE_NULL);
    Instant thursday = WEDNESDAY.plusSeconds(86_400);

    MergeOutcome first =
        merge(
            target,
            receipt(1, Watermark.start(), TUESDAY),
            noted("A-17", "apples", null, MONDAY)
                .concat(noted("A-17", null, "b", TUESDAY))
                .concat(noted("A-18", "figs", "x", TUESDAY)));
    Rows filled = held(target);
    MergeOutcome second =
        merge(
            target,
            receipt(2, Watermark.at(TUESDAY), thursday),
            noted("A-17", null, "c", WEDNESDAY)
                .concat(noted("A-17", null, null, thursday))
                .concat(noted("A-18", "old", null, MONDAY))
                .concat(noted("A-18", null, null, WEDNESDAY)));
    MergeOutcome quiet =
        merge(
            target,
            receipt(3, Watermark.at(thursday), thursday),
            noted("A-17", null, null, thursday).concat(noted("A-18", "late", null, TUESDAY)));

    assertThat(first.counts()).isEqualTo(new MergeCounts(2, 0, 0, 0, 1, 0));
    LoadAssertions.assertThat(filled)
        .hasRows(noted("A-17", "apples", "b", TUESDAY).concat(noted("A-18", "figs", "x", TUESDAY)));
    assertThat(second.counts()).isEqualTo(new MergeCounts(0, 2, 0, 0, 2, 0));
    assertThat(quiet).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(quiet.counts()).isEqualTo(new MergeCounts(0, 0, 0, 1, 0, 1));
    LoadAssertions.assertThat(held(target))
        .hasRows(
            noted("A-17", "apples", "c", thursday).concat(noted("A-18", "figs", "x", WEDNESDAY)));
  }

  /** The stamp of a change is that of the last run that changed the row, and changes nothing. */
  @Test
  @Tag(THOROUGH)
  default void merge_stampingChanges_stampsWhatChangesAlone() {
    MergeTarget<D> target = with(Clause.STAMPING_CHANGES);
    Rows orders = order("A-17", "apples", MONDAY).concat(order("A-18", "pears", MONDAY));
    merge(target, receipt(1, Watermark.start(), MONDAY), orders);
    Instant later = NOW.plusSeconds(60);

    MergeOutcome quiet =
        target.stage(request(orders, later)).merge(receipt(2, Watermark.at(MONDAY), MONDAY));
    MergeOutcome outcome =
        target
            .stage(request(orders.concat(order("A-18", "figs", TUESDAY)), later))
            .merge(receipt(2, Watermark.at(MONDAY), TUESDAY));

    assertThat(quiet).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 1, 0, 1, 1, 0));
    LoadAssertions.assertThat(held(target))
        .hasRows(
            order("A-17", "apples", MONDAY)
                .with("changed_at", row -> NOW)
                .concat(order("A-18", "figs", TUESDAY).with("changed_at", row -> later)));
  }

  private MergeTarget<D> with(Clause clause) {
    Optional<MergeTarget<D>> target = newTarget(clause);
    assumeTrue(target.isPresent(), clause.name());
    return target.orElseThrow();
  }

  private static Rows noted(
      String id, @Nullable String item, @Nullable String note, Instant loadedAt) {
    return order(id, item, loadedAt).with("note", row -> note);
  }

  /** A sweep deletes what the source no longer has, in the commit of the rows or in its own. */
  @Test
  default void merge_ofASweep_deletesWhatIsGoneFromTheSource() {
    MergeTarget<D> target = swept();
    merge(
        target,
        receipt(1, Watermark.start(), MONDAY),
        order("A-17", "apples", MONDAY)
            .concat(order("A-18", "pears", MONDAY))
            .concat(order("A-19", "figs", MONDAY)));

    MergeOutcome withRows =
        target
            .stage(
                request(order("A-18", "plums", TUESDAY).concat(order("A-20", "new", TUESDAY))),
                sweep(DeleteSweep.everyRun(), "A-17", "A-20"))
            .merge(receipt(2, Watermark.at(MONDAY), TUESDAY));
    Rows after = current(target);
    MergeOutcome idle =
        target
            .stage(sweep(DeleteSweep.everyRun(), "A-17", "A-18", "A-20", "A-21"))
            .merge(receipt(3, Watermark.at(TUESDAY), TUESDAY));
    MergeOutcome alone =
        target
            .stage(sweep(DeleteSweep.everyRun(), "A-17", "A-20"))
            .merge(receipt(3, Watermark.at(TUESDAY), TUESDAY));

    assertThat(withRows.counts().total()).isEqualTo(2);
    assertThat(withRows.counts().swept()).isEqualTo(1);
    LoadAssertions.assertThat(after)
        .hasRows(
            order("A-17", "apples", MONDAY)
                .concat(order("A-18", "plums", TUESDAY))
                .concat(order("A-20", "new", TUESDAY)));
    assertThat(idle).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(alone).isInstanceOf(MergeOutcome.Committed.class);
    assertThat(alone.counts()).isEqualTo(MergeCounts.none().sweeping(1));
    LoadAssertions.assertThat(current(target))
        .hasRows(order("A-17", "apples", MONDAY).concat(order("A-20", "new", TUESDAY)));
    assertThat(standing(target).number()).isEqualTo(3);
  }

  /** A sweep of a history closes versions, once, so that what comes later goes on from there. */
  @Test
  default void merge_ofASweepOfAHistory_closesVersions() {
    MergeTarget<D> target = swept();
    assumeTrue(!recognizesKeys(), "keeps a history");
    Instant later = WEDNESDAY.plusSeconds(3600);
    merge(
        target,
        receipt(1, Watermark.start(), later),
        order("A-17", "apples", MONDAY)
            .concat(order("A-18", "pears", MONDAY))
            .concat(order("A-19", "figs", later)));

    MergeOutcome closed =
        target
            .stage(sweep(DeleteSweep.everyRun().atMostShare(1), "A-17"))
            .merge(receipt(2, Watermark.at(later), later));
    Rows versions = held(target);
    Rows open = current(target);
    MergeOutcome again =
        target
            .stage(sweep(DeleteSweep.everyRun().atMostShare(1), "A-17"))
            .merge(receipt(3, Watermark.at(later), later));
    MergeOutcome back =
        merge(
            target,
            receipt(3, Watermark.at(later), later),
            order("A-18", "late", TUESDAY)
                .concat(order("A-18", "back", later))
                .concat(order("A-19", "back", later.plusSeconds(1))));

    assertThat(closed.counts()).isEqualTo(MergeCounts.none().sweeping(2));
    assertThat(versions.size()).isEqualTo(3);
    LoadAssertions.assertThat(open).hasRows(order("A-17", "apples", MONDAY));
    assertThat(again).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(back.counts().inserted()).isEqualTo(3);
    LoadAssertions.assertThat(current(target))
        .hasRows(
            order("A-17", "apples", MONDAY)
                .concat(order("A-18", "back", later))
                .concat(order("A-19", "back", later.plusSeconds(1))));
    assertThat(held(target).size()).isEqualTo(6);
  }

  /** A sweep that goes too far is stopped with its figures; approval is of exactly that sweep. */
  @Test
  default void stage_ofASweepThatGoesTooFar_isStoppedUntilItIsApproved() {
    MergeTarget<D> target = swept();
    merge(
        target,
        receipt(1, Watermark.start(), MONDAY),
        order("A-17", "apples", MONDAY)
            .concat(order("A-18", "pears", MONDAY))
            .concat(order("A-19", "figs", MONDAY)));
    long commits = commits(target);
    DeleteSweep third = DeleteSweep.everyRun().atMostShare(0.3);

    Problem empty = stopped(target, sweep(third));
    Problem unkeyed = stopped(target, sweep(third, "", " "));
    Problem share = stopped(target, sweep(third, "A-17", "A-18"));
    Problem rows = stopped(target, sweep(DeleteSweep.everyRun().atMostRows(0), "A-17", "A-18"));
    String token = share.approval().orElseThrow();
    Problem other = stopped(target, sweep(third.approvedBy(token), "A-17", "A-19"));

    assertThat(empty.kind()).isEqualTo(ProblemKind.EMPTY_SOURCE_SWEEP);
    assertThat(empty).hasMessageContaining("all 3 rows");
    assertThat(unkeyed.kind()).isEqualTo(ProblemKind.EMPTY_SOURCE_SWEEP);
    assertThat(share.kind()).isEqualTo(ProblemKind.SWEEP_TOO_LARGE);
    assertThat(share).hasMessageContaining("1 of 3 rows, which is 33.3 %, and at most 30.0 %");
    assertThat(rows.kind()).isEqualTo(ProblemKind.SWEEP_TOO_LARGE);
    assertThat(rows).hasMessageContaining("1 of 3 rows, and at most 0 are allowed");
    assertThat(other.kind()).isEqualTo(ProblemKind.SWEEP_TOO_LARGE);
    assertThat(commits(target)).isEqualTo(commits);
    target
        .stage(sweep(third.approvedBy(token), "A-17", "A-18"))
        .merge(receipt(2, Watermark.at(MONDAY), MONDAY));
    LoadAssertions.assertThat(current(target))
        .hasRows(order("A-17", "apples", MONDAY).concat(order("A-18", "pears", MONDAY)));
  }

  /** Where other loads write too, a sweep needs a scope and keeps to it. */
  @Test
  @Tag(THOROUGH)
  default void stage_ofASweepBesideAnotherLoad_needsAScope() {
    MergeTarget<D> target = swept();
    merge(target, receipt(1, Watermark.start(), MONDAY), order("A-17", "apples", MONDAY));
    merge(
        target,
        receipt(
            Verb.RUN,
            LoadIdentity.of("etl_watermark", new LoadName("returns")),
            1,
            Watermark.start(),
            MONDAY),
        order("R-1", "returned", MONDAY).concat(order("A-18", "apples", MONDAY)));

    Problem unscoped = stopped(target, sweep(DeleteSweep.everyRun(), "A-17"));
    target
        .stage(sweep(DeleteSweep.everyRun().within("item", "apples"), "A-17"))
        .merge(receipt(2, Watermark.at(MONDAY), MONDAY));

    assertThat(unscoped.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION);
    LoadAssertions.assertThat(current(target))
        .hasRows(order("A-17", "apples", MONDAY).concat(order("R-1", "returned", MONDAY)));
  }

  /** A soft sweep sets the flag, once; a row that is there again loses it. */
  @Test
  @Tag(THOROUGH)
  default void merge_ofASoftSweep_setsTheFlag() {
    MergeTarget<D> target = deleting(Deletes.softBySweep("gone"));
    assumeTrue(!target.keys().isEmpty(), "sweeps");
    Rows orders = order("A-17", "apples", MONDAY).concat(order("A-18", "pears", MONDAY));
    merge(target, receipt(1, Watermark.start(), MONDAY), orders);

    MergeOutcome swept =
        target
            .stage(sweep(DeleteSweep.everyRun(), "A-17"))
            .merge(receipt(2, Watermark.at(MONDAY), MONDAY));
    Rows flagged = current(target);
    MergeOutcome again =
        target
            .stage(sweep(DeleteSweep.everyRun(), "A-17"))
            .merge(receipt(3, Watermark.at(MONDAY), MONDAY));
    MergeOutcome back =
        merge(target, receipt(3, Watermark.at(MONDAY), MONDAY), order("A-18", "pears", MONDAY));

    assertThat(swept.counts()).isEqualTo(MergeCounts.none().sweeping(1));
    LoadAssertions.assertThat(flagged)
        .hasRows(orders.with("gone", row -> "A-18".equals(row.get("order_id"))));
    assertThat(again).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(back.counts().updated()).isEqualTo(1);
    LoadAssertions.assertThat(current(target)).hasRows(orders.with("gone", row -> false));
  }

  private MergeTarget<D> swept() {
    MergeTarget<D> target = newTarget();
    assumeTrue(!target.keys().isEmpty(), "sweeps");
    return target;
  }

  private SweepRequest<D> sweep(DeleteSweep sweep, String... ids) {
    Rows source = Orders.none();

    for (String id : ids) {
      source = source.concat(order(id, "in the source", MONDAY));
    }

    return new SweepRequest<>(identity(), sweep, rows(source), List.of("loaded_at"), NOW);
  }

  private static <D> Problem stopped(MergeTarget<D> target, SweepRequest<D> sweep) {
    try {
      target.stage(sweep);
    } catch (Problem e) {
      return e;
    }

    throw new AssertionError("The sweep was not stopped.");
  }

  private MergeTarget<D> deleting(Deletes deletes) {
    Optional<MergeTarget<D>> target = newTarget(deletes);
    assumeTrue(target.isPresent(), "deletes");
    return target.orElseThrow();
  }

  private static Rows kept(String id, @Nullable String item, Instant loadedAt) {
    return order(id, item, loadedAt).with("deleted", row -> "no");
  }

  private static Rows gone(String id, @Nullable String item, Instant loadedAt) {
    return order(id, item, loadedAt).with("deleted", row -> "yes");
  }

  private StagedMerge<D> stage(MergeTarget<D> target, Rows rows) {
    return target.stage(request(rows));
  }

  private StageRequest<D> request(Rows rows) {
    return request(rows, NOW);
  }

  private StageRequest<D> request(Rows rows, Instant at) {
    return new StageRequest<>(
        new LoadName("orders"), rows(rows), List.of(), List.of("loaded_at"), Verb.RUN, at);
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
