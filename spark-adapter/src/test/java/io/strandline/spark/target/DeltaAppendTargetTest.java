package io.strandline.spark.target;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadStep;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.Receipts;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.Repeats;
import io.strandline.target.StagedMerge;
import io.strandline.target.Verb;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class DeltaAppendTargetTest {
  private static final String COLUMNS = "id BIGINT, price INT, seq BIGINT";

  @Test
  void merge_ofEqualRows_keepsThemAllAndCommitsTheReceiptWithThem(Lakehouse lakehouse) {
    DeltaAppendTarget target = target(lakehouse).createdIfMissing();
    Receipt receipt = Loads.receipt(1);

    MergeOutcome outcome =
        Loads.merge(target, rows(lakehouse, row(1, 10, 1), row(1, 10, 1)), receipt);

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(2, 0, 0, 0, 0, 0));
    DeltaRef table = DeltaRef.forName(lakehouse.spark(), lakehouse.table("bronze"));
    assertThat(table.snapshot().transaction(Loads.ORDERS.toString())).isEqualTo(1);
    assertThat(
            lakehouse
                .spark()
                .sql("DESCRIBE HISTORY " + lakehouse.table("bronze") + " LIMIT 1")
                .select("userMetadata")
                .head()
                .getString(0))
        .isEqualTo(Receipts.toJson(receipt));
    assertThat(table.newest()).hasRows(held().row(1L, 10, 1L).row(1L, 10, 1L));
  }

  @Test
  void merge_thatDeltaLeavesOut_isNoSuccess(Lakehouse lakehouse) {
    DeltaAppendTarget target = target(lakehouse).createdIfMissing();
    Loads.merge(target, rows(lakehouse, row(1, 10, 1)), Loads.receipt(2));

    for (long number : List.of(1L, 2L)) {
      assertThatThrownBy(
              () -> Loads.merge(target, rows(lakehouse, row(2, 20, 2)), Loads.receipt(number)))
          .isInstanceOfSatisfying(
              Problem.class,
              problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN));
    }

    assertThat(lakehouse.spark().table(lakehouse.table("bronze")).count()).isEqualTo(1);
  }

  @Test
  void merge_withAKey_appendsOnlyNewKeysAndReadsThemInsideTheCommit(Lakehouse lakehouse) {
    lakehouse.append("bronze", rows(lakehouse, row(1, 10, 1)));
    DeltaAppendTarget target = target(lakehouse).matchedOn("id");
    StagedMerge<Dataset<Row>> staged =
        Loads.stage(
            target,
            rows(lakehouse, row(1, 11, 2), row(2, 20, 1), row(3, 30, 1), row(3, 31, 2)),
            List.of("seq"));
    lakehouse.append("bronze", rows(lakehouse, row(2, 22, 9)));

    MergeOutcome outcome = staged.merge(Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 0, 0, 2, 1, 0));
    assertThat(lakehouse.spark().table(lakehouse.table("bronze")))
        .hasRows(held().row(1L, 10, 1L).row(2L, 22, 9L).row(3L, 31, 2L));
    MergeOutcome again =
        Loads.merge(target, rows(lakehouse, row(3, 32, 3)), Loads.standingStill(2));
    assertThat(again).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(again.counts().unchanged()).isEqualTo(1);
  }

  @Test
  void merge_ofChangesOnly_appendsWhatDiffersFromTheVersionBefore(Lakehouse lakehouse) {
    DeltaAppendTarget target =
        target(lakehouse).matchedOn("id").sequencedBy("seq").changesOnly().createdIfMissing();
    Dataset<Row> first =
        rows(lakehouse, row(1, 10, 1), row(1, 10, 2), row(1, 11, 3), row(1, 10, 4), row(2, 5, 1));
    assertThat(Loads.merge(target, first, Loads.receipt(1)).counts())
        .isEqualTo(new MergeCounts(4, 0, 0, 1, 0, 0));

    // The same again, a version that changes nothing, a late one that does, and a new change.
    MergeOutcome outcome =
        Loads.merge(
            target,
            first.union(rows(lakehouse, row(2, 5, 2), row(2, 7, 3), row(1, 12, 0), row(2, 7, 4))),
            Loads.receipt(2));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(2, 0, 0, 7, 0, 0));
    assertThat(lakehouse.spark().table(lakehouse.table("bronze")))
        .hasRows(
            held()
                .row(1L, 12, 0L)
                .row(1L, 10, 1L)
                .row(1L, 11, 3L)
                .row(1L, 10, 4L)
                .row(2L, 5, 1L)
                .row(2L, 7, 3L));
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void merge_ofAReload_putsTheRowsInThePlaceOfAllButOtherLoads(Lakehouse lakehouse) {
    DeltaAppendTarget target = target(lakehouse).createdIfMissing();
    Loads.merge(target, rows(lakehouse, row(1, 10, 1)), Loads.receipt(1));

    Loads.merge(target, rows(lakehouse, row(2, 20, 2)), Loads.receipt(2, Verb.RELOAD));

    assertThat(lakehouse.spark().table(lakehouse.table("bronze"))).hasRows(held().row(2L, 20, 2L));
    Loads.merge(target, rows(lakehouse, row(3, 30, 3)), Loads.receiptOf("returns"));
    assertThatThrownBy(
            () ->
                Loads.merge(target, rows(lakehouse, row(4, 40, 4)), Loads.receipt(3, Verb.RELOAD)))
        .hasMessage(
            "Cannot overwrite the whole of "
                + lakehouse.table("bronze")
                + ": other loads write into it too (strandline/store-1/returns). Overwrite only"
                + " this load's part of it, with a DeltaOverwriteTarget that says what is replaced,"
                + " or delete its rows by hand and rewind(..) the load.");
  }

  @Test
  void load_thatDiesAtTheMerge_appendsEachRowOnce(Lakehouse lakehouse) {
    lakehouse.append("landing", rows(lakehouse, row(1, 10, 1)));
    IncrementalLoad<Dataset<Row>> load = load(lakehouse, Faults.none());
    load.run();
    lakehouse.append("landing", rows(lakehouse, row(2, 20, 2)));

    for (Moment moment : List.of(Moment.BEFORE, Moment.AFTER)) {
      assertThatThrownBy(() -> load(lakehouse, Faults.once(LoadStep.MERGE, moment).dies()).run())
          .isInstanceOf(ProcessDeath.class);
    }

    assertThat(load.run().notes().recovered()).isPresent();
    assertThat(lakehouse.spark().table(lakehouse.table("bronze")))
        .hasRows(held().row(1L, 10, 1L).row(2L, 20, 2L));
  }

  @Test
  void declaration_saysWhatIsAppended(Lakehouse lakehouse) {
    DeltaAppendTarget all = target(lakehouse);

    assertThat(all.declaration()).isEqualTo("appended");
    assertThat(all.repeats()).isEqualTo(Repeats.APPENDED);
    assertThat(all.matchedOn("id").declaration()).isEqualTo("appended once per id");
    assertThat(all.matchedOn("id").repeats()).isEqualTo(Repeats.ABSORBED);
    assertThat(all.matchedOn("id").changesOnly().declaration())
        .isEqualTo("changes appended, merged on id; sequenced by the watermark");
    assertThatThrownBy(all::changesOnly)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot call changesOnly(): call matchedOn(..) before, to say what tells rows apart.");
  }

  private static IncrementalLoad<Dataset<Row>> load(Lakehouse lakehouse, FaultPlan faults) {
    return IncrementalLoad.named("orders")
        .from(
            faults.wrap(
                DeltaTableSource.forName(lakehouse.spark(), lakehouse.table("landing"))
                    .newerBy(Cursor.on("seq").exclusive())))
        .into(faults.wrap(target(lakehouse).createdIfMissing()))
        .trackedIn(
            faults.wrap(
                DeltaWatermarkStore.forName(lakehouse.spark(), lakehouse.table("watermark"))))
        .build();
  }

  private static DeltaAppendTarget target(Lakehouse lakehouse) {
    return DeltaAppendTarget.forName(lakehouse.spark(), lakehouse.table("bronze"));
  }

  private static Row row(long id, int price, long seq) {
    return RowFactory.create(id, price, seq);
  }

  private static Dataset<Row> rows(Lakehouse lakehouse, Row... rows) {
    return lakehouse.dataset(COLUMNS, rows);
  }

  private static Rows held() {
    return Rows.columns("id", "price", "seq");
  }
}
