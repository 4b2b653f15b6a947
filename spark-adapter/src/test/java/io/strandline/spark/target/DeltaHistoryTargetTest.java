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
import io.strandline.target.DeleteSweep;
import io.strandline.target.Deletes;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.StagedMerge;
import io.strandline.target.SweepRequest;
import io.strandline.target.Verb;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class DeltaHistoryTargetTest {
  private static final String COLUMNS =
      "id BIGINT, city STRING, visits BIGINT, at BIGINT, seq BIGINT";

  private final Lakehouse lakehouse;

  DeltaHistoryTargetTest(Lakehouse lakehouse) {
    this.lakehouse = lakehouse;
  }

  @Test
  void merge_ofEventsOfEverySort_keepsTheHistoryAndCountsThem() {
    Receipt receipt = Loads.receipt(1);

    MergeOutcome first =
        merge(
            receipt,
            event(1, "Oslo", 1, 10, 1),
            event(1, "Rome", 1, 20, 2),
            event(1, "Bern", 1, 20, 1),
            event(2, "Oslo", 1, 10, 1),
            event(3, null, 1, 10, 1),
            event(4, "Kiel", 1, 10, 1));

    assertThat(first.counts()).isEqualTo(new MergeCounts(5, 0, 0, 0, 1, 0));
    assertThat(metadata()).isEqualTo(Receipts.toJson(receipt));

    MergeOutcome second =
        merge(
            Loads.receipt(2),
            event(1, "Paris", 2, 15, 3), // between the two
            event(1, "Rome", 1, 20, 2), // known
            event(2, "Oslo", 5, 30, 3), // in place
            event(3, null, 1, 40, 3), // a touch
            event(4, "Old", 1, 10, 0), // older than what is known of the instant
            event(5, "Lyon", 1, 5, 3));

    assertThat(second.counts()).isEqualTo(new MergeCounts(2, 1, 0, 2, 0, 1));
    assertThat(table())
        .hasRows(
            versions()
                .row(1L, "Oslo", 1L, 10L, 15L, false)
                .row(1L, "Paris", 2L, 15L, 20L, false)
                .row(1L, "Rome", 1L, 20L, null, true)
                .row(2L, "Oslo", 5L, 10L, null, true)
                .row(3L, null, 1L, 10L, null, true)
                .row(4L, "Kiel", 1L, 10L, null, true)
                .row(5L, "Lyon", 1L, 5L, null, true));
    // One version ends, one is changed in place, one keeps an instant; two are new.
    assertThat(metrics())
        .containsEntry("numTargetRowsUpdated", "3")
        .containsEntry("numTargetRowsInserted", "2")
        .containsEntry("numTargetRowsDeleted", "0");

    // The touch of key 3 is remembered: a change before it ends there.
    merge(Loads.receipt(3), event(3, "Nice", 7, 30, 9));
    assertThat(table().where("id = 3"))
        .hasRows(
            versions()
                .row(3L, null, 1L, 10L, 30L, false)
                .row(3L, "Nice", 7L, 30L, 40L, false)
                .row(3L, null, 1L, 40L, null, true));
    assertThat(target().audit().isSound()).isTrue();
    assertThat(target().audit())
        .hasToString(name() + " has 9 versions of 5 keys, 5 of them current.");
  }

  @Test
  void merge_ofASweep_closesVersionsInTheCommitOfTheRowsOrItsOwn() {
    DeltaHistoryTarget dates =
        DeltaHistoryTarget.forName(lakehouse.spark(), name())
            .matchedOn("id")
            .effectiveFrom("day")
            .deletedWhen(Deletes.hardWhere("city = 'gone'"))
            .createdIfMissing();
    String columns = "id BIGINT, city STRING, day DATE, seq BIGINT";
    LocalDate first = LocalDate.of(2026, 1, 1);
    LocalDate tenth = LocalDate.of(2026, 1, 10);
    Instant at = Instant.parse("2026-01-05T23:00:00Z");
    Loads.stage(
            dates,
            lakehouse.dataset(
                columns,
                RowFactory.create(1L, "Oslo", first, 1L),
                RowFactory.create(2L, "Rome", first, 1L),
                RowFactory.create(3L, "Bern", tenth, 1L),
                RowFactory.create(4L, "Kiel", first, 1L)),
            List.of("seq"))
        .merge(Loads.receipt(1));

    MergeOutcome withRows =
        dates
            .stage(
                Loads.request(
                    lakehouse.dataset(columns, RowFactory.create(4L, "Nice", tenth, 2L)),
                    List.of("seq")),
                sweep(at, 1L, 3L, 5L))
            .merge(Loads.receipt(2));
    MergeOutcome alone = dates.stage(sweep(at, 1L, 4L)).merge(Loads.standingStill(3));
    MergeOutcome again =
        dates.stage(sweep(at.plusSeconds(86_400), 1L, 4L)).merge(Loads.standingStill(3));

    assertThat(withRows.counts()).isEqualTo(new MergeCounts(1, 0, 0, 0, 0, 0).sweeping(1));
    assertThat(alone.counts()).isEqualTo(MergeCounts.none().sweeping(1));
    assertThat(again).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(
            lakehouse
                .spark()
                .table(name())
                .select("id", "city", "valid_from", "valid_to", "is_current"))
        .hasRows(
            Rows.columns("id", "city", "valid_from", "valid_to", "is_current")
                .row(1L, "Oslo", first, null, true)
                .row(2L, "Rome", first, LocalDate.of(2026, 1, 5), false)
                .row(3L, "Bern", tenth, LocalDate.of(2026, 1, 11), false)
                .row(4L, "Kiel", first, tenth, false)
                .row(4L, "Nice", tenth, null, true));
    assertThat(dates.audit().isSound()).isTrue();
  }

  private SweepRequest<Dataset<Row>> sweep(Instant at, Long... ids) {
    return new SweepRequest<>(
        Loads.ORDERS,
        DeleteSweep.everyRun(),
        lakehouse.dataset(
            "id BIGINT", Arrays.stream(ids).map(RowFactory::create).toArray(Row[]::new)),
        List.of("seq"),
        at);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void merge_ofAnEarlierBeginning_movesTheVersion() {
    merge(Loads.receipt(1), event(1, "Oslo", 1, 30, 1));

    MergeOutcome outcome = merge(Loads.receipt(2), event(1, "Oslo", 2, 10, 2));

    assertThat(outcome.counts().inserted()).isEqualTo(1);
    assertThat(table()).hasRows(versions().row(1L, "Oslo", 1L, 10L, null, true));
    assertThatThrownBy(() -> target().stage(sweep(Instant.EPOCH, 2L)))
        .hasMessageContaining("all that a sweep knows is the time");
    merge(Loads.receipt(3), event(1, "Rome", 3, 20, 3));
    assertThat(table())
        .hasRows(
            versions()
                .row(1L, "Oslo", 2L, 10L, 20L, false)
                .row(1L, "Rome", 3L, 20L, 30L, false)
                .row(1L, "Oslo", 1L, 30L, null, true));
  }

  @Test
  void merge_ofWhatIsKnown_commitsNothingUnlessTheWatermarkMoves() {
    merge(Loads.receipt(1), event(1, "Oslo", 1, 10, 1), event(2, "Rome", 1, 10, 1));
    long version = version();

    MergeOutcome still = merge(Loads.standingStill(2), event(1, "Oslo", 1, 10, 1));
    assertThat(still).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(still.counts()).isEqualTo(new MergeCounts(0, 0, 0, 1, 0, 0));
    assertThat(version()).isEqualTo(version);

    merge(Loads.receipt(2), event(1, "Oslo", 1, 10, 1));
    assertThat(metrics())
        .containsEntry("numTargetFilesAdded", "0")
        .containsEntry("numTargetFilesRemoved", "0");
    MergeOutcome empty = Loads.merge(target(), events(), Loads.receipt(3));
    assertThat(empty).isInstanceOf(MergeOutcome.Committed.class);
    assertThatThrownBy(() -> merge(Loads.receipt(3), event(9, "Bern", 1, 10, 1)))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN));
    assertThat(version()).isEqualTo(version + 2);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void merge_ofAReload_isTheHistoryOfItsRowsAlone() {
    merge(Loads.receipt(1), event(1, "Oslo", 1, 10, 1));

    MergeOutcome outcome =
        Loads.merge(
            target(),
            events(event(2, "Oslo", 1, 10, 1), event(2, "Rome", 1, 20, 2)),
            Loads.receipt(2, Verb.RELOAD));

    assertThat(outcome.counts().inserted()).isEqualTo(2);
    assertThat(table())
        .hasRows(
            versions().row(2L, "Oslo", 1L, 10L, 20L, false).row(2L, "Rome", 1L, 20L, null, true));
  }

  @Test
  void merge_readsNoFileThatCannotHoldItsKeys() throws IOException {
    merge(Loads.receipt(1), event(1, "Oslo", 1, 10, 1));
    String unread = table().inputFiles()[0];
    merge(Loads.receipt(2), event(1000, "Oslo", 1, 10, 1));
    Files.delete(Path.of(URI.create(unread)));

    MergeOutcome late = merge(Loads.receipt(3), event(1000, "Rome", 1, 5, 2));

    assertThat(late.counts().inserted()).isEqualTo(1);
  }

  @Test
  void stage_ofRowsThatCannotBePlaced_rejectsThem() {
    StagedMerge<Dataset<Row>> staged =
        Loads.stage(
            target(),
            events(
                RowFactory.create(1L, "Oslo", 1L, null, 1L),
                RowFactory.create(null, "Oslo", 1L, 10L, 1L),
                event(2, "Oslo", 1, 10, 1)));

    assertThat(staged.accepted()).isEqualTo(1);
    assertThat(staged.rejected().get(0).select("id", Reading.REASON_COLUMN))
        .hasRows(
            Rows.columns("id", Reading.REASON_COLUMN)
                .row(1L, "column 'at' is null")
                .row(null, "key column 'id' is null"));
  }

  @Test
  void stage_ofADeclarationThatCannotWork_saysWhy() {
    Dataset<Row> rows = events(event(1, "Oslo", 1, 10, 1));

    assertThatThrownBy(() -> Loads.stage(target().tracking("town"), rows))
        .hasMessage(
            "Cannot keep the history of rows in "
                + name()
                + ": tracking(..) names column 'town', which the cleaned rows do not have. Their"
                + " columns are: id, city, visits, at, seq.");
    assertThatThrownBy(() -> Loads.stage(target().tracking("at"), rows))
        .hasMessageContaining("is a key, stamped, or says from when on a row holds");
    assertThatThrownBy(() -> Loads.stage(target().named("visits", "until", "now"), rows))
        .hasMessageContaining("a column 'visits', which the history makes itself");
    assertThatThrownBy(
            () ->
                Loads.stage(
                    DeltaHistoryTarget.forName(lakehouse.spark(), name())
                        .matchedOn("id")
                        .sequencedBy("seq")
                        .createdIfMissing(),
                    rows,
                    List.of("at", "seq")))
        .hasMessageContaining("the source has 2 watermark columns");
    lakehouse.append("flat", rows);
    assertThatThrownBy(
            () ->
                Loads.stage(
                    DeltaHistoryTarget.forName(lakehouse.spark(), lakehouse.table("flat"))
                        .matchedOn("id")
                        .effectiveFrom("at")
                        .sequencedBy("seq"),
                    rows))
        .hasMessage(
            "Cannot keep the history of rows in "
                + lakehouse.table("flat")
                + ": column 'valid_from' of the history is missing in the table, and must be"
                + " bigint. Name the columns of the history by named(..), or add them to the"
                + " table.");
  }

  @Test
  void audit_ofABrokenHistory_namesEveryFault() {
    String columns = "id INT, valid_from INT, valid_to INT, is_current BOOLEAN";
    lakehouse.append(
        "broken",
        lakehouse.dataset(
            columns,
            RowFactory.create(1, 10, null, true),
            RowFactory.create(1, 20, null, true),
            RowFactory.create(2, 10, 10, false),
            RowFactory.create(3, 10, 20, true),
            RowFactory.create(4, null, 20, false),
            RowFactory.create(5, 10, 20, false),
            RowFactory.create(5, 20, null, true)));

    HistoryAudit audit =
        HistoryAudit.of(
            lakehouse.spark(),
            lakehouse.table("broken"),
            List.of("id"),
            "valid_from",
            "valid_to",
            "is_current");

    assertThat(audit.isSound()).isFalse();
    assertThat(audit.faults())
        .containsExactly(
            new HistoryAudit.Fault(HistoryAudit.Kind.SEVERAL_CURRENT, 2, List.of("{\"id\":1}")),
            new HistoryAudit.Fault(HistoryAudit.Kind.OVERLAP, 1, List.of("{\"id\":1}")),
            new HistoryAudit.Fault(HistoryAudit.Kind.NO_LENGTH, 1, List.of("{\"id\":2}")),
            new HistoryAudit.Fault(HistoryAudit.Kind.WRONG_FLAG, 1, List.of("{\"id\":3}")),
            new HistoryAudit.Fault(HistoryAudit.Kind.NO_BEGINNING, 1, List.of("{\"id\":4}")));
    assertThat(audit.toString())
        .startsWith(lakehouse.table("broken") + " has 7 versions of 5 keys, 4 of them current;");
  }

  private MergeOutcome merge(Receipt receipt, Row... events) {
    return Loads.merge(target(), events(events), receipt);
  }

  private DeltaHistoryTarget target() {
    return DeltaHistoryTarget.forName(lakehouse.spark(), name())
        .matchedOn("id")
        .effectiveFrom("at")
        .sequencedBy("seq")
        .tracking("city")
        .createdIfMissing();
  }

  private String name() {
    return lakehouse.table("dim_customer");
  }

  private Dataset<Row> table() {
    return lakehouse
        .spark()
        .table(name())
        .select("id", "city", "visits", "valid_from", "valid_to", "is_current");
  }

  private long version() {
    return DeltaRef.forName(lakehouse.spark(), name()).snapshot().version();
  }

  private String metadata() {
    return DeltaTable.forName(lakehouse.spark(), name())
        .history(1)
        .select("userMetadata")
        .head()
        .getString(0);
  }

  private Map<String, String> metrics() {
    return DeltaTable.forName(lakehouse.spark(), name())
        .history(1)
        .select("operationMetrics")
        .head()
        .getJavaMap(0);
  }

  private static Row event(long id, @Nullable String city, long visits, long at, long seq) {
    return RowFactory.create(id, city, visits, at, seq);
  }

  private Dataset<Row> events(Row... events) {
    return lakehouse.dataset(COLUMNS, events);
  }

  private static Rows versions() {
    return Rows.columns("id", "city", "visits", "valid_from", "valid_to", "is_current");
  }
}
