package io.strandline.spark.target;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.target.DeleteSweep;
import io.strandline.target.Deletes;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.SweepRequest;
import io.strandline.target.Verb;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.time.Instant;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class DeltaDeletesTest {
  private static final String COLUMNS = "`order.id` STRING, v STRING, op STRING, seq BIGINT";

  @Test
  void merge_ofHardDeletes_keepsTombstonesUntilTheyArePurged(Lakehouse lakehouse) {
    DeltaMergeTarget target =
        target(lakehouse).deletedWhen(Deletes.hardWhere("op = 'D'").notStoring("op"));
    DeltaRef tombstones = DeltaRef.forName(lakehouse.spark(), target.tombstones().name());
    assertThat(target.tombstones().name()).isEqualTo(lakehouse.table("silver_tombstones"));
    assertThat(target.tombstones().purge(Instant.MAX.minusSeconds(1))).isZero();

    MergeOutcome first =
        Loads.merge(
            target,
            rows(lakehouse, row("A-17", "x", null, 1), row("A-18", null, "D", 4)),
            Loads.receipt(1));

    assertThat(first.counts()).isEqualTo(new MergeCounts(1, 0, 0, 1, 0, 0));
    assertThat(lakehouse.spark().table(target.name()))
        .hasRows(Rows.columns("order.id", "v", "seq").row("A-17", "x", 1));
    assertThat(tombstones.newest().drop("_deleted_at"))
        .hasRows(Rows.columns("order.id", "seq").row("A-18", 4));
    long version = tombstones.snapshot().version();

    MergeOutcome second =
        Loads.merge(
            target,
            rows(lakehouse, row("A-18", null, "D", 3), row("A-17", null, "D", 1)),
            Loads.receipt(2));

    assertThat(second.counts()).isEqualTo(new MergeCounts(0, 0, 1, 1, 0, 0));
    assertThat(tombstones.newest().drop("_deleted_at"))
        .hasRows(Rows.columns("order.id", "seq").row("A-18", 4).row("A-17", 1));
    Loads.merge(target, rows(lakehouse, row("A-18", null, "D", 4)), Loads.standingStill(2));
    assertThat(tombstones.snapshot().version()).isEqualTo(version + 1);
    assertThat(target.tombstones().purge(Instant.parse("2100-01-01T00:00:00Z"))).isEqualTo(2);

    Loads.merge(target, rows(lakehouse, row("A-18", "late", "U", 2)), Loads.receipt(3));

    assertThat(lakehouse.spark().table(target.name()))
        .hasRows(Rows.columns("order.id", "v", "seq").row("A-18", "late", 2));
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void merge_afterAReloadThatDiedWhenItWasCommitted_forgetsWhatTheReloadForgets(
      Lakehouse lakehouse) {
    DeltaMergeTarget target = target(lakehouse).deletedWhen(Deletes.hardWhere("op = 'D'"));
    String tombstones = target.tombstones().name();
    Receipt reload = Loads.receipt(2, Verb.RELOAD);
    Loads.merge(target, rows(lakehouse, row("A-18", null, "D", 9)), Loads.receipt(1));
    Loads.stage(target, rows(lakehouse, row("A-17", null, "D", 3)), Verb.RELOAD).merge(reload);
    assertThat(lakehouse.spark().table(tombstones).select("seq"))
        .hasRows(Rows.columns("seq").row(3L));
    assertThat(DeltaRef.forName(lakehouse.spark(), tombstones).snapshot().properties())
        .doesNotContainKey("strandline.reload");

    // What a death between the commit and the end of the reload leaves.
    lakehouse
        .spark()
        .sql("INSERT INTO " + tombstones + " VALUES ('A-18', 9, TIMESTAMP '2020-01-01 00:00:00Z')");
    lakehouse
        .spark()
        .sql(
            "ALTER TABLE "
                + tombstones
                + " SET TBLPROPERTIES ('strandline.reload' = '1600000000000000 "
                + reload.attempt()
                + "')");
    MergeOutcome outcome =
        Loads.merge(
            target,
            rows(lakehouse, row("A-18", "x", "U", 5), row("A-17", "late", "U", 2)),
            Loads.receipt(3));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 0, 0, 0, 0, 1));
    assertThat(lakehouse.spark().table(tombstones).select("seq"))
        .hasRows(Rows.columns("seq").row(3L));
  }

  @Test
  void merge_ofSoftDeletesByCondition_makesTheFlagAndFillsWithinTheRange(Lakehouse lakehouse) {
    DeltaMergeTarget target =
        target(lakehouse).deletedWhen(Deletes.softWhere("op = 'D'", "is_deleted").notStoring("op"));
    Loads.merge(
        target,
        rows(lakehouse, row("A-17", "old", "U", 1), row("A-18", "kept", "U", 5)),
        Loads.receipt(1));

    Loads.merge(
        target,
        rows(
            lakehouse,
            row("A-17", "newer", "U", 2),
            row("A-17", null, "D", 3),
            row("A-18", "older", "U", 4),
            row("A-18", null, "D", 6)),
        Loads.receipt(2));

    assertThat(lakehouse.spark().table(target.name()))
        .hasRows(
            Rows.columns("order.id", "v", "seq", "is_deleted")
                .row("A-17", "newer", 3, true)
                .row("A-18", "kept", 6, true));
  }

  @Test
  void stage_ofAConditionThatDoesNotFit_saysSo(Lakehouse lakehouse) {
    Dataset<Row> rows = rows(lakehouse, row("A-17", "x", "U", 1));

    assertRefused(lakehouse, rows, Deletes.hard("opp", "D"), "Did you mean 'op'?");
    assertRefused(lakehouse, rows, Deletes.hard("op", 1), "column 'op' is string");
    assertRefused(lakehouse, rows, Deletes.hardWhere("seq + 1"), "it is bigint, no condition");
    assertRefused(lakehouse, rows, Deletes.hardWhere("nonsense = 1"), "nonsense");
    assertThatThrownBy(
            () ->
                Loads.stage(
                    target(lakehouse),
                    lakehouse.dataset("`order.id` STRING, seq BIGINT, _change_type STRING")))
        .hasMessageContaining("deletedWhen(Deletes.ofChangeFeed())");
  }

  @Test
  void stage_ofASweep_readsKeysOnlyAndKeepsToAScopeInSql(Lakehouse lakehouse) {
    DeltaMergeTarget target = target(lakehouse);
    Loads.merge(
        target,
        rows(
            lakehouse,
            row("A-17", "x", "U", 1),
            row("A-18", "x", "U", 1),
            row("A-19", "y", "U", 1)),
        Loads.receipt(1));
    String bronze = lakehouse.append("bronze", rows(lakehouse, row("A-17", "x", "U", 1)));
    Dataset<Row> source =
        lakehouse
            .spark()
            .table(bronze)
            .withColumn("v", raise_error(lit("more than the keys is read")));

    MergeOutcome outcome =
        target
            .stage(
                new SweepRequest<>(
                    Loads.ORDERS,
                    DeleteSweep.everyRun().within("v <> 'y'"),
                    source,
                    List.of("_loaded_at"),
                    Instant.EPOCH))
            .merge(Loads.standingStill(2));

    assertThat(outcome.counts().swept()).isEqualTo(1);
    assertThat(lakehouse.spark().table(target.name()).select("v"))
        .hasRows(Rows.columns("v").row("x").row("y"));
  }

  private static void assertRefused(
      Lakehouse lakehouse, Dataset<Row> rows, Deletes deletes, String words) {
    assertThatThrownBy(() -> Loads.stage(target(lakehouse).deletedWhen(deletes), rows))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION))
        .hasMessageContaining(words);
  }

  private static DeltaMergeTarget target(Lakehouse lakehouse) {
    return DeltaMergeTarget.forName(lakehouse.spark(), lakehouse.table("silver"))
        .matchedOn("order.id")
        .sequencedBy("seq")
        .createdIfMissing();
  }

  private static Dataset<Row> rows(Lakehouse lakehouse, Row... rows) {
    return lakehouse.dataset(COLUMNS, rows);
  }

  private static Row row(@Nullable Object... values) {
    return RowFactory.create(values);
  }
}
