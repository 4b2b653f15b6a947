package io.strandline.spark.target;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.target.SchemaPolicy.MissingColumns;
import io.strandline.spark.target.SchemaPolicy.NewColumns;
import io.strandline.spark.target.SchemaPolicy.WiderTypes;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.TableSnapshot;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rows whose columns are not those of the table, on their way into every kind of target. */
@ExtendWith(LakehouseExtension.class)
class SchemaDriftTest {
  private static final SchemaPolicy TOLERANT =
      SchemaPolicy.strict()
          .newColumns(NewColumns.ADD)
          .missingColumns(MissingColumns.KEEP)
          .widerTypes(WiderTypes.WIDEN);

  private final Lakehouse lakehouse;

  SchemaDriftTest(Lakehouse lakehouse) {
    this.lakehouse = lakehouse;
  }

  @Test
  void merge_ofRowsThatDriftInEveryWay_followsThePolicyAndIsQuietAfterwards() {
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), name())
            .matchedOn("id")
            .sequencedBy("seq")
            .createdIfMissing()
            .onSchemaDrift(TOLERANT);
    Loads.merge(
        target,
        sql(
            "SELECT * FROM VALUES (1, 1, 7, 'a', named_struct('city', 'Oslo', 'zip', 150),"
                + " array(named_struct('sku', 'x', 'qty', 1))), (2, 1, 8, 'b',"
                + " named_struct('city', 'Rome', 'zip', 151), null) AS t(id, seq, n, note, address,"
                + " items)"),
        Loads.receipt(1));
    String drifted =
        "SELECT * FROM VALUES (array(named_struct('price', 5, 'SKU', 'x')), named_struct('land',"
            + " 'NO', 'city', 'Oslo'), 3000000000L, 2, 1, 'a@x', true), (null, named_struct('land',"
            + " null, 'city', 'Rome'), 8L, 1, 2, null, null) AS t(items, address, N, seq, id,"
            + " email, vip)";

    MergeOutcome outcome = Loads.merge(target, sql(drifted), Loads.receipt(2));

    // The second row brings nothing new, though its columns are others.
    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 1, 0, 1, 0, 0));
    assertThat(outcome.schemaChanges())
        .containsExactly(
            "Column 'items.element.price' (int) was added to the table.",
            "Column 'address.land' (string) was added to the table.",
            "Column 'n' was widened from int to bigint.",
            "Column 'email' (string) was added to the table.",
            "Column 'vip' (boolean) was added to the table.",
            "Column 'items.element.qty' (int) was missing after cleaning.",
            "Column 'address.zip' (int) was missing after cleaning.",
            "Column 'note' (string) was missing after cleaning.");
    assertThat(lakehouse.spark().table(name()).schema().simpleString())
        .isEqualTo(
            "struct<id:int,seq:int,n:bigint,note:string,address:struct<city:string,zip:int,"
                + "land:string>,items:array<struct<sku:string,qty:int,price:int>>,email:string,"
                + "vip:boolean>");
    assertThat(
            lakehouse
                .spark()
                .table(name())
                .selectExpr("id", "n", "note", "to_json(address) a", "to_json(items) i", "email"))
        .hasRows(
            Rows.columns("id", "n", "note", "a", "i", "email")
                .row(
                    1,
                    3_000_000_000L,
                    "a",
                    "{\"city\":\"Oslo\",\"zip\":150,\"land\":\"NO\"}",
                    "[{\"sku\":\"x\",\"price\":5}]",
                    "a@x")
                .row(2, 8L, "b", "{\"city\":\"Rome\",\"zip\":151}", null, null));
    assertThat(
            target.standing(Loads.ORDERS, new TableSnapshot(table().tableId(), 1)).disturbances())
        .isEmpty();

    long version = table().version();
    MergeOutcome again = Loads.merge(target, sql(drifted), Loads.standingStill(2));
    assertThat(again).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(again.counts()).isEqualTo(new MergeCounts(0, 0, 0, 2, 0, 0));
    assertThat(table().version()).isEqualTo(version);

    // A late row as they were before is cast, and older than what is stored.
    MergeOutcome late =
        Loads.merge(
            target,
            sql("SELECT 1 id, 1 seq, 7 n, 'late' note, null :: string email"),
            Loads.standingStill(2));
    assertThat(late.counts()).isEqualTo(new MergeCounts(0, 0, 0, 0, 0, 1));
    assertThat(late.schemaChanges())
        .contains("Column 'n' was int after cleaning, and was cast to bigint.");
  }

  @Test
  void merge_thatFailsAfterTheTableWasChanged_isDoneByTheNextRun() {
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), name())
            .matchedOn("id")
            .sequencedBy("seq")
            .createdIfMissing()
            .onSchemaDrift(TOLERANT);
    Loads.merge(target, sql("SELECT 1L id, 1L seq, 1 n"), Loads.receipt(1));
    Dataset<Row> rows = sql("SELECT 1L id, 9L seq, 1 n, 'a@x' email");

    // Nothing was asked of the table yet: a run that commits nothing changes nothing.
    long version = table().version();
    Loads.merge(target, sql("SELECT 1L id, 1L seq, 1 n, null :: string email"), still());
    assertThat(table().version()).isEqualTo(version);
    // A number that is used already is found out by the commit of the rows, the second one.
    assertThatThrownBy(() -> Loads.merge(target, rows, Loads.receipt(1)))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN));
    assertThat(lakehouse.spark().table(name()))
        .hasRows(Rows.columns("id", "seq", "n", "email").row(1L, 1L, 1, null));
    assertThat(target.standing(Loads.ORDERS, TableSnapshot.unknown()).number()).isEqualTo(1);

    MergeOutcome outcome = Loads.merge(target, rows, Loads.receipt(2));

    assertThat(outcome.counts().updated()).isEqualTo(1);
    assertThat(outcome.schemaChanges()).isEmpty();
    assertThat(lakehouse.spark().table(name()))
        .hasRows(Rows.columns("id", "seq", "n", "email").row(1L, 9L, 1, "a@x"));
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void merge_intoAHistory_keepsWhatIsMissingAndTracksWhatIsNew() {
    DeltaHistoryTarget target =
        DeltaHistoryTarget.forName(lakehouse.spark(), name())
            .matchedOn("id")
            .effectiveFrom("at")
            .sequencedBy("seq")
            .createdIfMissing()
            .onSchemaDrift(TOLERANT);
    Loads.merge(target, sql("SELECT 1 id, 10 at, 1 seq, 'Oslo' city, 5 visits"), Loads.receipt(1));

    // New and wider columns, with a late row; then rows as they once were.
    Loads.merge(
        target,
        sql(
            "SELECT * FROM VALUES (1, 30L, 2, 'Oslo', 5L, 'gold'), (1, 20L, 3, 'Rome', 6L, null)"
                + " AS t(id, at, seq, city, visits, grade)"),
        Loads.receipt(2));
    MergeOutcome missing =
        Loads.merge(
            target, sql("SELECT 1 id, 40 at, 4 seq, 'Oslo' city, 5 visits"), Loads.receipt(3));

    assertThat(missing.counts()).isEqualTo(new MergeCounts(0, 0, 0, 1, 0, 0));
    assertThat(
            lakehouse
                .spark()
                .table(name())
                .select("id", "city", "visits", "grade", "valid_from", "valid_to", "is_current"))
        .hasRows(
            Rows.columns("id", "city", "visits", "grade", "valid_from", "valid_to", "is_current")
                .row(1, "Oslo", 5L, null, 10L, 20L, false)
                .row(1, "Rome", 6L, null, 20L, 30L, false)
                .row(1, "Oslo", 5L, "gold", 30L, null, true));
    assertThat(target.audit().isSound()).isTrue();
    MergeOutcome again =
        Loads.merge(target, sql("SELECT 1 id, 40 at, 4 seq, 'Oslo' city, 5 visits"), still());
    assertThat(again).isInstanceOf(MergeOutcome.NothingToDo.class);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void merge_byAppendAndByOverwrite_followsThePolicyToo() {
    String folder = lakehouse.path("silver");
    DeltaAppendTarget append =
        DeltaAppendTarget.forPath(lakehouse.spark(), folder)
            .matchedOn("id")
            .changesOnly()
            .sequencedBy("seq")
            .createdIfMissing()
            .onSchemaDrift(TOLERANT);
    Loads.merge(append, sql("SELECT 1 id, 1 seq, 'a' v, 1 w"), Loads.receipt(1));

    MergeOutcome appended =
        Loads.merge(
            append,
            sql("SELECT * FROM VALUES (1, 2, 'a', null), (1, 3, 'a', 'n') AS t(id, seq, v, email)"),
            Loads.receipt(2));

    // What was added is null in the stored version, and what is missing is not compared.
    assertThat(appended.counts()).isEqualTo(new MergeCounts(1, 0, 0, 1, 0, 0));
    assertThat(lakehouse.spark().read().format("delta").load(folder))
        .hasRows(
            Rows.columns("id", "seq", "v", "w", "email")
                .row(1, 1, "a", 1, null)
                .row(1, 3, "a", null, "n"));

    DeltaOverwriteTarget overwrite =
        DeltaOverwriteTarget.forPath(lakehouse.spark(), folder)
            .replacing("id = 1")
            .onSchemaDrift(
                TOLERANT.newColumns(NewColumns.IGNORE).missingColumns(MissingColumns.KEEP));
    MergeOutcome overwritten =
        Loads.merge(overwrite, sql("SELECT 1 id, 9 seq, 'z' v, 1 x"), Loads.receipt(3));
    assertThat(overwritten.schemaChanges())
        .containsExactly(
            "Column 'x' (int) is not in the table, and was left out.",
            "Column 'w' (int) was missing after cleaning.",
            "Column 'email' (string) was missing after cleaning.");
    assertThat(lakehouse.spark().read().format("delta").load(folder))
        .hasRows(Rows.columns("id", "seq", "v", "w", "email").row(1, 9, "z", null, null));
  }

  private static Receipt still() {
    return Loads.standingStill(4);
  }

  private Dataset<Row> sql(String query) {
    return lakehouse.spark().sql(query);
  }

  private String name() {
    return lakehouse.table("silver");
  }

  private DeltaSnapshot table() {
    return DeltaRef.forName(lakehouse.spark(), name()).snapshot();
  }
}
