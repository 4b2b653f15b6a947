package io.strandline.spark.target;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delta.tables.DeltaTable;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Reading;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.Receipts;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.StagedMerge;
import io.strandline.target.TargetStanding;
import io.strandline.target.Verb;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Watermark;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class DeltaMergeTargetTest {
  private static final String DELETION_VECTORS = "delta.enableDeletionVectors";
  private static final String COLUMNS = "order_id STRING, amount DECIMAL(18, 2), seq BIGINT";

  @Test
  void merge_ofNewOlderNewerAndEqualRows_tellsThemApart(Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    Dataset<Row> rows =
        lakehouse.dataset(
            COLUMNS,
            RowFactory.create("A-17", "20.00", 5),
            RowFactory.create("A-17", "19.00", 4),
            RowFactory.create("A-18", "8.00", 1),
            RowFactory.create("A-19", "9.00", 2),
            RowFactory.create("A-20", "1.00", 1));

    MergeOutcome outcome = Loads.merge(target(lakehouse, silver), rows, Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 1, 0, 1, 1, 1));
    assertThat(lakehouse.spark().table(silver))
        .hasRows(
            Rows.columns("order_id", "amount", "seq")
                .row("A-17", new BigDecimal("20.00"), 5L)
                .row("A-18", new BigDecimal("8.00"), 2L)
                .row("A-19", new BigDecimal("9.00"), 2L)
                .row("A-20", new BigDecimal("1.00"), 1L));
  }

  @Test
  void merge_commitsReceiptAndNumberWithTheRows(Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    Receipt receipt = Loads.receipt(1);

    MergeOutcome outcome =
        Loads.merge(
            target(lakehouse, silver),
            lakehouse.dataset(COLUMNS, RowFactory.create("A-20", "1.00", 1)),
            receipt);

    DeltaRef table = DeltaRef.forName(lakehouse.spark(), silver);
    assertThat(outcome.snapshot()).isEqualTo(table.snapshot().asTableSnapshot());
    assertThat(table.snapshot().transaction(Loads.ORDERS.toString())).isEqualTo(1);
    assertThat(metadata(lakehouse, silver)).isEqualTo(Receipts.toJson(receipt));
    TargetStanding standing = target(lakehouse, silver).standing(Loads.ORDERS, outcome.snapshot());
    assertThat(standing.number()).isEqualTo(1);
    assertThat(standing.receipt()).contains(receipt);
    assertThat(standing.disturbances()).isEmpty();
  }

  @Test
  void merge_ofANumberUsedBefore_isAConcurrentRunAndWritesNothing(Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    DeltaMergeTarget target = target(lakehouse, silver);
    Loads.merge(
        target, lakehouse.dataset(COLUMNS, RowFactory.create("A-20", "1.00", 1)), Loads.receipt(1));
    Dataset<Row> other = lakehouse.dataset(COLUMNS, RowFactory.create("A-21", "1.00", 1));

    assertThatThrownBy(() -> Loads.merge(target, other, Loads.receipt(1)))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN))
        .hasMessage(
            "Cannot merge rows into "
                + silver
                + ": the table holds run 1 already, so another run has committed it. Run the load"
                + " again, and let only one run at a time be scheduled.");
    assertThat(lakehouse.spark().table(silver).where("order_id = 'A-21'").count()).isZero();
  }

  @Test
  void merge_thatChangesNothingAndMovesNothing_commitsNothing(Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    long before = version(lakehouse, silver);

    MergeOutcome outcome =
        Loads.merge(
            target(lakehouse, silver),
            lakehouse.dataset(
                COLUMNS,
                RowFactory.create("A-19", "9.00", 2),
                RowFactory.create("A-18", "9.00", 1)),
            Loads.standingStill(1));

    assertThat(outcome).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 0, 0, 1, 0, 1));
    assertThat(version(lakehouse, silver)).isEqualTo(before);
  }

  @Test
  void merge_thatMovesWithoutRows_commitsTheReceiptAlone(Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    long before = version(lakehouse, silver);
    Receipt receipt = Loads.receipt(1);

    MergeOutcome outcome =
        Loads.merge(target(lakehouse, silver), lakehouse.dataset(COLUMNS), receipt);

    assertThat(outcome).isInstanceOf(MergeOutcome.Committed.class);
    assertThat(outcome.snapshot().version()).isEqualTo(before + 1);
    assertThat(metadata(lakehouse, silver)).isEqualTo(Receipts.toJson(receipt));
    assertThat(metrics(lakehouse, silver)).containsEntry("numTargetFilesAdded", "0");
  }

  @Test
  void merge_ofStaleAndUnchangedRowsOnly_rewritesNothing(Lakehouse lakehouse) {
    String silver = existing(lakehouse);

    MergeOutcome outcome =
        Loads.merge(
            target(lakehouse, silver),
            lakehouse.dataset(
                COLUMNS,
                RowFactory.create("A-19", "9.00", 2),
                RowFactory.create("A-18", "9.00", 1)),
            Loads.receipt(1));

    assertThat(outcome).isInstanceOf(MergeOutcome.Committed.class);
    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 0, 0, 1, 0, 1));
    assertThat(metrics(lakehouse, silver))
        .containsEntry("numTargetFilesAdded", "0")
        .containsEntry("numTargetFilesRemoved", "0")
        .containsEntry("numTargetRowsCopied", "0");
  }

  @Test
  void stage_ofNullAndBlankKeys_rejectsThemWithTheReason(Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    Dataset<Row> rows =
        lakehouse.dataset(
            COLUMNS,
            RowFactory.create(null, "1.00", 1),
            RowFactory.create(null, "1.00", 1),
            RowFactory.create(" \t", "2.00", 1),
            RowFactory.create("A-20", "1.00", 1));

    StagedMerge<Dataset<Row>> staged = Loads.stage(target(lakehouse, silver), rows);

    assertThat(staged.accepted()).isEqualTo(1);
    assertThat(staged.rejectedRows()).isEqualTo(3);
    assertThat(staged.rejected()).hasSize(1);
    assertThat(staged.rejected().get(0).select("amount", Reading.REASON_COLUMN))
        .hasRows(
            Rows.columns("amount", Reading.REASON_COLUMN)
                .row(new BigDecimal("1.00"), "key column 'order_id' is null")
                .row(new BigDecimal("1.00"), "key column 'order_id' is null")
                .row(new BigDecimal("2.00"), "key column 'order_id' is blank"));
  }

  @Test
  void merge_ofKeysOfSeveralColumnsWithNulls_matchesNullsOnlyByChoice(Lakehouse lakehouse) {
    String columns = "shop STRING, line INT, note STRING, seq BIGINT";
    String table =
        lakehouse.append(
            "lines",
            lakehouse.dataset(
                columns,
                RowFactory.create("A", 1, "old", 1),
                RowFactory.create("A", null, "old", 1)));
    Dataset<Row> rows =
        lakehouse.dataset(
            columns,
            RowFactory.create("A", 1, "new", 2),
            RowFactory.create("A", null, "new", 2),
            RowFactory.create(" ", 1, "blank", 2),
            RowFactory.create(null, 1, "null", 1));

    MergeOutcome outcome =
        Loads.merge(
            DeltaMergeTarget.forName(lakehouse.spark(), table)
                .matchedOn("shop", "line")
                .sequencedBy("seq")
                .nullKeysMatch(),
            rows,
            Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 2, 0, 0, 1, 0));
    assertThat(lakehouse.spark().table(table))
        .hasRows(
            Rows.columns("shop", "line", "note", "seq")
                .row("A", 1, "new", 2L)
                .row("A", null, "new", 2L)
                .row(null, 1, "blank", 2L));
  }

  @Test
  void merge_ofRowsThatDifferOnlyInStampedColumns_leavesThemUnchanged(Lakehouse lakehouse) {
    Dataset<Row> before =
        lakehouse
            .spark()
            .sql(
                "SELECT 1L id, double('NaN') ratio, 0.0D zero, map('a', '1', 'b', '2') tags, 1L"
                    + " seq, 7L run UNION ALL SELECT 2L, 1.5D, 0.0D, map('a', '1'), 1L, 7L");
    String table = lakehouse.append("stamped", before);
    Dataset<Row> rows =
        lakehouse
            .spark()
            .sql(
                "SELECT 1L id, double('NaN') ratio, -0.0D zero, map('b', '2', 'a', '1') tags, 1L"
                    + " seq, 8L run UNION ALL SELECT 2L, 1.5D, 0.0D, map('a', '2'), 1L, 8L");

    MergeOutcome outcome =
        Loads.merge(
            DeltaMergeTarget.forName(lakehouse.spark(), table)
                .matchedOn("id")
                .sequencedBy("seq")
                .stamped("run"),
            rows,
            Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 1, 0, 1, 0, 0));
    assertThat(lakehouse.spark().table(table).select("id", "run"))
        .hasRows(Rows.columns("id", "run").row(1L, 7L).row(2L, 8L));
  }

  @Test
  void merge_intoAMissingTable_createsItWhateverTheNamesAre(Lakehouse lakehouse) {
    SparkSession spark = lakehouse.spark();
    DeltaMergeTarget target =
        DeltaMergeTarget.forPath(spark, lakehouse.path("odd names"))
            .matchedOn("order.id", "sub-key")
            .sequencedBy("seq no")
            .createdIfMissing(
                TableLayout.plain()
                    .partitionedBy("sub-key")
                    .property("delta.logRetentionDuration", "interval 7 days"));
    Dataset<Row> monday =
        spark.sql(
            "SELECT 'A' `order.id`, 1 `sub-key`, 1L `seq no`, 'x' `a``b`, 'y' `select`"
                + " UNION ALL SELECT 'A', 1, 0L, 'older', 'older'");
    Dataset<Row> tuesday =
        spark.sql(
            "SELECT 'y2' `SELECT`, 'A' `order.id`, 1 `sub-key`, 2L `seq no`, 'x2' `a``b`"
                + " UNION ALL SELECT 'z', 'B', 2, 1L, 'z'");

    MergeOutcome first = Loads.merge(target, monday, Loads.receipt(1));
    MergeOutcome second = Loads.merge(target, tuesday, Loads.receipt(2));

    assertThat(first.counts()).isEqualTo(new MergeCounts(1, 0, 0, 0, 1, 0));
    assertThat(second.counts()).isEqualTo(new MergeCounts(1, 1, 0, 0, 0, 0));
    DeltaRef table = DeltaRef.forPath(spark, lakehouse.path("odd names"));
    assertThat(table.newest())
        .hasRows(
            Rows.columns("order.id", "sub-key", "seq no", "a`b", "select")
                .row("A", 1, 2L, "x2", "y2")
                .row("B", 2, 1L, "z", "z"));
    assertThat(table.snapshot().partitionColumns()).containsExactly("sub-key");
    assertThat(table.snapshot().properties())
        .containsEntry("delta.enableDeletionVectors", "true")
        .containsEntry("delta.columnMapping.mode", "name")
        .containsEntry("delta.logRetentionDuration", "interval 7 days");
  }

  @Test
  void merge_intoAMissingWideTable_keepsStatisticsOfKeyAndSequence(Lakehouse lakehouse) {
    StringBuilder columns = new StringBuilder();

    for (int i = 0; i < 40; i++) {
      columns.append("c").append(i).append(" STRING, ");
    }

    Dataset<Row> none =
        lakehouse.dataset(columns + "`order.id` BIGINT, seq BIGINT, tags MAP<STRING, STRING>");

    MergeOutcome outcome =
        Loads.merge(
            DeltaMergeTarget.forName(lakehouse.spark(), lakehouse.table("wide"))
                .matchedOn("order.id")
                .sequencedBy("seq")
                .createdIfMissing(TableLayout.plain().clusteredBy("order.id", "c39")),
            none,
            Loads.receipt(1));

    DeltaRef table = DeltaRef.forName(lakehouse.spark(), lakehouse.table("wide"));
    assertThat(outcome.snapshot()).isEqualTo(table.snapshot().asTableSnapshot());
    assertThat(table.snapshot().properties().get("delta.dataSkippingStatsColumns"))
        .startsWith("`c0`,`c1`,")
        .endsWith(",`c31`,`order.id`,`seq`,`c39`");
    assertThat(table.snapshot().properties().get("clusteringColumns")).isNull();
  }

  @Test
  void merge_afterAForeignWriterCameFirst_neverPutsOlderOverNewer(Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    StagedMerge<Dataset<Row>> staged =
        Loads.stage(
            target(lakehouse, silver),
            lakehouse.dataset(
                COLUMNS,
                RowFactory.create("A-17", "20.00", 5),
                RowFactory.create("A-30", "1.00", 1)));
    lakehouse.spark().sql("UPDATE " + silver + " SET seq = 6 WHERE order_id = 'A-17'");
    lakehouse.append(
        "silver_orders", lakehouse.dataset(COLUMNS, RowFactory.create("A-30", "3.00", 1)));

    MergeOutcome outcome = staged.merge(Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 1, 0, 0, 0, 1));
    assertThat(lakehouse.spark().table(silver).where("order_id IN ('A-17', 'A-30')"))
        .hasRows(
            Rows.columns("order_id", "amount", "seq")
                .row("A-17", new BigDecimal("17.00"), 6L)
                .row("A-30", new BigDecimal("1.00"), 1L));
  }

  @Test
  void merge_whereTheRowReadLastWins_replacesANewerRow(Lakehouse lakehouse) {
    String silver = existing(lakehouse);

    MergeOutcome outcome =
        Loads.merge(
            DeltaMergeTarget.forName(lakehouse.spark(), silver)
                .matchedOn("order_id")
                .lastReadWins(),
            lakehouse.dataset(
                COLUMNS,
                RowFactory.create("A-17", "1.00", 1),
                RowFactory.create("A-18", "8.00", 2)),
            Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 1, 0, 1, 0, 0));
  }

  /** Its clauses decide, so that the stored rows are not looked up before. */
  @Test
  void merge_intoATableWithDeletionVectors_writesWhatChangesAndTellsTheRestApart(
      Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    lakehouse
        .spark()
        .sql("ALTER TABLE " + silver + " SET TBLPROPERTIES (" + DELETION_VECTORS + " = 'true')");
    DeltaMergeTarget target = target(lakehouse, silver).updatingWhen("amount < 100");
    Dataset<Row> rows =
        lakehouse.dataset(
            COLUMNS,
            RowFactory.create("A-17", "20.00", 5),
            RowFactory.create("A-18", "8.00", 1),
            RowFactory.create("A-19", "9.00", 2),
            RowFactory.create("A-20", "1.00", 1));

    MergeOutcome outcome = Loads.merge(target, rows, Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 1, 0, 1, 0, 1));
    assertThat(metrics(lakehouse, silver))
        .containsEntry("numTargetRowsInserted", "1")
        .containsEntry("numTargetRowsUpdated", "1")
        .containsEntry("numTargetRowsCopied", "0")
        .containsEntry("numSourceRows", "4");

    MergeOutcome unchanged =
        Loads.merge(
            target,
            lakehouse.dataset(
                COLUMNS,
                RowFactory.create("A-17", "200.00", 6),
                RowFactory.create("A-19", "9.00", 2)),
            Loads.receipt(2));

    assertThat(unchanged.counts()).isEqualTo(new MergeCounts(0, 0, 0, 2, 0, 0));
    assertThat(metrics(lakehouse, silver))
        .containsEntry("numTargetFilesAdded", "0")
        .containsEntry("numTargetDeletionVectorsAdded", "0")
        .containsEntry("numTargetDeletionVectorsUpdated", "0");
  }

  @Test
  void merge_ofRowsThatAreReadAgain_looksThemUpSoThatMergeSeesOnlyTheOthers(Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    lakehouse
        .spark()
        .sql("ALTER TABLE " + silver + " SET TBLPROPERTIES (" + DELETION_VECTORS + " = 'true')");
    Receipt lookingBack =
        Loads.receipt(Loads.ORDERS, Verb.RUN, 1, Watermark.of(5), Watermark.of(1), Watermark.of(6));

    MergeOutcome outcome =
        Loads.merge(
            target(lakehouse, silver),
            lakehouse.dataset(
                COLUMNS,
                RowFactory.create("A-19", "9.00", 2),
                RowFactory.create("A-20", "1.00", 6)),
            lookingBack);

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 0, 0, 1, 0, 0));
    assertThat(metrics(lakehouse, silver)).containsEntry("numSourceRows", "1");
  }

  @Test
  void advice_namesWhatMakesAMergeReadOrCopyMoreThanItMust(Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    assertThat(target(lakehouse, silver).advice())
        .containsExactly(
            "Of the files of "
                + silver
                + ", now 1, the merge reads those that can hold a key of the range by their"
                + " statistics of order_id",
            silver
                + " has no deletion vectors, so the merge copies every file in which a row changes."
                + " The table property 'delta.enableDeletionVectors' spares that, for readers that"
                + " know them");

    lakehouse
        .spark()
        .sql(
            "ALTER TABLE "
                + silver
                + " SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'amount, seq', '"
                + DELETION_VECTORS
                + "' = 'true')");

    assertThat(target(lakehouse, silver).advice())
        .containsExactly(
            silver
                + " keeps no statistics of order_id, so the merge reads all of its files. The table"
                + " property 'delta.dataSkippingStatsColumns' names columns that have them, in"
                + " files that are written from then on");
    assertThat(target(lakehouse, lakehouse.table("missing")).advice()).isEmpty();
  }

  @Test
  void merge_readsNoFileThatCannotHoldItsKeys(Lakehouse lakehouse) throws IOException {
    String columns = "id INT, amount DECIMAL(18, 2), seq BIGINT";
    String path = lakehouse.path("pruned");
    lakehouse.dataset(columns, RowFactory.create(1, "1.00", 1)).write().format("delta").save(path);
    String unread = lakehouse.spark().read().format("delta").load(path).inputFiles()[0];
    lakehouse
        .dataset(columns, RowFactory.create(1000, "1.00", 1))
        .write()
        .format("delta")
        .mode("append")
        .save(path);
    Files.delete(Path.of(URI.create(unread)));
    DeltaMergeTarget byNumber =
        DeltaMergeTarget.forPath(lakehouse.spark(), path).matchedOn("id").sequencedBy("seq");

    MergeOutcome outcome =
        Loads.merge(
            byNumber,
            lakehouse.dataset(
                columns, RowFactory.create(1000, "2.00", 2), RowFactory.create(1001, "2.00", 2)),
            Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 1, 0, 0, 0, 0));
  }

  @Test
  void merge_ofAReload_putsTheRowsInThePlaceOfAll(Lakehouse lakehouse) {
    String silver = existing(lakehouse);
    Receipt reload = Loads.receipt(1, Verb.RELOAD);
    Dataset<Row> rows =
        lakehouse.dataset(
            COLUMNS, RowFactory.create("A-17", "1.00", 1), RowFactory.create("A-17", "2.00", 2));

    MergeOutcome outcome = Loads.merge(target(lakehouse, silver), rows, reload);

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 0, 0, 0, 1, 0));
    assertThat(lakehouse.spark().table(silver))
        .hasRows(Rows.columns("order_id", "amount", "seq").row("A-17", new BigDecimal("2.00"), 2L));
    assertThat(metadata(lakehouse, silver)).isEqualTo(Receipts.toJson(reload));
    assertThatThrownBy(() -> Loads.merge(target(lakehouse, silver), rows, reloadAgain()))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN));
  }

  private static Receipt reloadAgain() {
    return Loads.receipt(1, Verb.RELOAD);
  }

  @Test
  void merge_ofTwoLoadsAtOnce_keepsTheNewestRowWhoeverIsFirst(Lakehouse lakehouse)
      throws Exception {
    keepsTheNewest(lakehouse, existing(lakehouse));
  }

  @Test
  void merge_ofTwoFirstLoadsAtOnce_keepsOneRowOfAKey(Lakehouse lakehouse) throws Exception {
    keepsTheNewest(lakehouse, lakehouse.append("empty_orders", lakehouse.dataset(COLUMNS)));
  }

  private static void keepsTheNewest(Lakehouse lakehouse, String silver) throws Exception {
    StagedMerge<Dataset<Row>> newer =
        Loads.stage(
            target(lakehouse, silver),
            lakehouse.dataset(COLUMNS, RowFactory.create("A-17", "6.00", 6)));
    StagedMerge<Dataset<Row>> older =
        Loads.stage(
            target(lakehouse, silver),
            lakehouse.dataset(COLUMNS, RowFactory.create("A-17", "5.00", 5)));
    ExecutorService threads = Executors.newFixedThreadPool(2);

    try {
      Future<Boolean> one = threads.submit(() -> isMerged(newer, Loads.receiptOf("newer")));
      Future<Boolean> other = threads.submit(() -> isMerged(older, Loads.receiptOf("older")));

      if (!one.get()) {
        newer.merge(Loads.receiptOf("newer"));
      }

      if (!other.get()) {
        older.merge(Loads.receiptOf("older"));
      }
    } finally {
      threads.shutdown();
    }

    assertThat(lakehouse.spark().table(silver).where("order_id = 'A-17'"))
        .hasRows(Rows.columns("order_id", "amount", "seq").row("A-17", new BigDecimal("6.00"), 6L));
  }

  private static boolean isMerged(StagedMerge<Dataset<Row>> staged, Receipt receipt) {
    try {
      staged.merge(receipt);
      return true;
    } catch (Problem conflict) {
      assertThat(conflict.kind()).isEqualTo(ProblemKind.TARGET_CONFLICT);
      return false;
    }
  }

  private static String existing(Lakehouse lakehouse) {
    return lakehouse.append(
        "silver_orders",
        lakehouse.dataset(
            COLUMNS,
            RowFactory.create("A-17", "17.00", 3),
            RowFactory.create("A-18", "8.00", 2),
            RowFactory.create("A-19", "9.00", 2)));
  }

  private static DeltaMergeTarget target(Lakehouse lakehouse, String table) {
    return DeltaMergeTarget.forName(lakehouse.spark(), table)
        .matchedOn("order_id")
        .sequencedBy("seq");
  }

  private static long version(Lakehouse lakehouse, String table) {
    return DeltaRef.forName(lakehouse.spark(), table).snapshot().version();
  }

  private static String metadata(Lakehouse lakehouse, String table) {
    return DeltaTable.forName(lakehouse.spark(), table)
        .history(1)
        .select("userMetadata")
        .head()
        .getString(0);
  }

  private static Map<String, String> metrics(Lakehouse lakehouse, String table) {
    return DeltaTable.forName(lakehouse.spark(), table)
        .history(1)
        .select("operationMetrics")
        .head()
        .getJavaMap(0);
  }
}
