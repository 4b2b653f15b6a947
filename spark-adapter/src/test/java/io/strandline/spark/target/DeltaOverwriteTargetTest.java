package io.strandline.spark.target;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.StageRequest;
import io.strandline.target.Verb;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Watermark;
import java.time.Instant;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeltaOverwriteTargetTest {
  /** New York's clock shows the hour from one to two twice on the first of November. */
  @RegisterExtension
  static final LakehouseExtension LAKEHOUSE =
      LakehouseExtension.local().with("spark.sql.session.timeZone", "America/New_York");

  private static final String COLUMNS = "day DATE, at TIMESTAMP, amount INT";
  private static final Instant FIRST_ONE_THIRTY = Instant.parse("2026-11-01T05:30:00Z");
  private static final Instant SECOND_ONE_THIRTY = Instant.parse("2026-11-01T06:30:00Z");

  @Test
  void merge_ofTheWholeTable_leavesTheRowsOfTheRunAlone() {
    DeltaOverwriteTarget target = target().createdIfMissing();
    Loads.merge(target, rows(row(1), row(2)), whole(1));
    String id = table().snapshot().tableId();

    MergeOutcome outcome = Loads.merge(target, rows(row(3)), whole(2));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 0, 0, 0, 0, 0));
    assertThat(amounts()).containsExactly(3L);
    assertThat(table().snapshot().tableId()).isEqualTo(id);
    assertThat(table().snapshot().transaction(Loads.ORDERS.toString())).isEqualTo(2);
    assertThatThrownBy(() -> Loads.merge(target, rows(row(4)), whole(2)))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN));
    assertThatThrownBy(() -> Loads.merge(target, rows(row(4)), Loads.receipt(3)))
        .hasMessage(
            "Cannot overwrite the whole of "
                + LAKEHOUSE.table("sales")
                + ": the run read only the range [2, 3], so the rest would be lost. Let the cursor"
                + " read everything, by readingAll(); or say what a range replaces, as by"
                + " replacingRangeOf(..).");
    assertThat(amounts()).containsExactly(3L);
  }

  @Test
  void merge_ofTheSameRowsThatMoveNothing_commitsNothing() {
    DeltaOverwriteTarget target = target().createdIfMissing();
    Loads.merge(target, rows(row(1), row(2), row(2)), whole(1));
    long version = table().snapshot().version();

    MergeOutcome same = Loads.merge(target, rows(row(2), row(1), row(2)), still(2));
    assertThat(same).isInstanceOf(MergeOutcome.NothingToDo.class);
    assertThat(same.counts().unchanged()).isEqualTo(3);
    assertThat(table().snapshot().version()).isEqualTo(version);

    assertThat(Loads.merge(target, rows(row(1), row(1), row(2)), still(2)))
        .isInstanceOf(MergeOutcome.Committed.class);
    assertThat(amounts()).containsExactly(1L, 1L, 2L);
  }

  @Test
  void merge_ofARange_replacesExactlyTheRowsInIt() {
    DeltaOverwriteTarget target = target().replacingRangeOf("at").createdIfMissing();
    Loads.merge(
        target,
        rows(
            row("2026-10-31", FIRST_ONE_THIRTY.minusSeconds(1), 1),
            row("2026-11-01", FIRST_ONE_THIRTY, 2),
            row("2026-11-01", SECOND_ONE_THIRTY, 3)),
        Loads.receiptOf(1, Watermark.start(), Bound.INCLUSIVE, Watermark.at(SECOND_ONE_THIRTY)));

    Loads.merge(
        target,
        rows(
            row("2026-11-01", SECOND_ONE_THIRTY, 4),
            row("2026-11-02", SECOND_ONE_THIRTY.plusSeconds(9), 5)),
        Loads.receiptOf(
            2,
            Watermark.at(SECOND_ONE_THIRTY),
            Bound.INCLUSIVE,
            Watermark.at(SECOND_ONE_THIRTY.plusSeconds(9))));

    assertThat(amounts()).containsExactly(1L, 2L, 4L, 5L);
    assertThatThrownBy(
            () ->
                Loads.merge(
                    target,
                    rows(row("2026-11-02", SECOND_ONE_THIRTY, 6)),
                    Loads.receiptOf(
                        3,
                        Watermark.at(SECOND_ONE_THIRTY),
                        Bound.EXCLUSIVE,
                        Watermark.at(SECOND_ONE_THIRTY.plusSeconds(99)))))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION))
        .hasMessage(
            "Cannot overwrite rows of "
                + LAKEHOUSE.table("sales")
                + ": 1 rows of the run are none of those that it replaces (the range of at is"
                + " overwritten). Keep them out in the cleaner, or say otherwise what a range"
                + " replaces.");
    assertThat(amounts()).containsExactly(1L, 2L, 4L, 5L);
  }

  @Test
  void merge_ofPartitions_replacesThoseOfTheRows() {
    DeltaOverwriteTarget target =
        target().replacingPartitions().createdIfMissing(TableLayout.plain().partitionedBy("day"));
    Loads.merge(
        target,
        rows(row("2026-11-01", SECOND_ONE_THIRTY, 1), row("2026-11-02", SECOND_ONE_THIRTY, 2)),
        Loads.receipt(1));

    Loads.merge(target, rows(row("2026-11-02", SECOND_ONE_THIRTY, 3)), Loads.receipt(2));
    Loads.merge(target, rows(), Loads.receipt(3));

    assertThat(amounts()).containsExactly(1L, 3L);
    assertThat(table().snapshot().transaction(Loads.ORDERS.toString())).isEqualTo(3);
  }

  @Test
  void stage_ofWhatWouldLoseRows_isRefused() {
    DeltaOverwriteTarget target = target().createdIfMissing();

    assertThatThrownBy(
            () ->
                target.stage(
                    new StageRequest<>(
                        Loads.ORDERS.load(),
                        rows(row(1)),
                        List.of(),
                        List.of(),
                        Verb.BACKFILL,
                        Instant.EPOCH)))
        .hasMessageContaining("so the rest of it would be lost");
    assertThatThrownBy(() -> Loads.stage(target.replacingPartitions(), rows(row(1))))
        .hasMessage(
            "Cannot replace partitions of "
                + LAKEHOUSE.table("sales")
                + ": the table is not partitioned. Say otherwise what a range replaces, as by"
                + " replacingRangeOf(..).");
    assertThatThrownBy(() -> Loads.stage(target.replacing("amont > 1"), rows(row(1))))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION))
        .hasMessageContaining("amont");
    assertThatThrownBy(() -> target.replacingPartitions().replacing("amount > 1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot say that rows with amount > 1 are overwritten: it was said before that"
                + " partitions are overwritten.");
  }

  private static DeltaOverwriteTarget target() {
    return DeltaOverwriteTarget.forName(LAKEHOUSE.spark(), LAKEHOUSE.table("sales"));
  }

  private static DeltaRef table() {
    return DeltaRef.forName(LAKEHOUSE.spark(), LAKEHOUSE.table("sales"));
  }

  private static List<Object> amounts() {
    Rows held = Lakehouse.collect(table().newest().orderBy("amount").select("amount"));
    return held.stream().<Object>map(row -> row.get("amount")).toList();
  }

  private static Receipt whole(long number) {
    return Loads.receiptOf(
        number, Watermark.start(), Bound.INCLUSIVE, Watermark.at(SECOND_ONE_THIRTY));
  }

  /** A run that read everything and moves nothing. */
  private static Receipt still(long number) {
    Watermark stays = Watermark.at(SECOND_ONE_THIRTY);
    return Loads.receipt(Loads.ORDERS, Verb.RUN, number, stays, Watermark.start(), stays);
  }

  private static Row row(int amount) {
    return row("2026-11-01", SECOND_ONE_THIRTY, amount);
  }

  private static Row row(String day, Instant at, int amount) {
    return RowFactory.create(day, at, amount);
  }

  private static Dataset<Row> rows(Row... rows) {
    return LAKEHOUSE.lakehouse().dataset(COLUMNS, rows);
  }
}
