package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.NullCursors;
import io.strandline.source.ReadCounts;
import io.strandline.source.Reading;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.Watermark;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The options that all cursors share. */
@ExtendWith(LakehouseExtension.class)
class CursorOptionsTest {
  private static final String NOON = "2026-06-01T12:00:00Z";

  private Lakehouse tables;
  private final Follower follower = new Follower();

  @BeforeEach
  void remember(Lakehouse lakehouse) {
    tables = lakehouse;
  }

  private void land(Row... rows) {
    tables.append("orders", tables.dataset("id BIGINT, no INT, at TIMESTAMP", rows));
  }

  private static Row row(long id, @Nullable Integer no, @Nullable String at) {
    return RowFactory.create(id, no, at);
  }

  private DeltaTableSource newerBy(Cursor cursor) {
    return DeltaTableSource.forName(tables.spark(), "orders")
        .newerBy(cursor)
        .timedBy(Clock.fixed(Instant.parse(NOON), ZoneOffset.UTC));
  }

  private static Watermark at(String instant) {
    return Watermark.at(Instant.parse(instant));
  }

  @Test
  void lookback_ofATime_findsLateRowsAndMeasuresThem() {
    land(row(1, 1, "2026-06-01T10:00:00Z"), row(2, 2, "2026-06-01T10:30:00Z"));
    DeltaTableSource source = newerBy(Cursor.on("at").lookback(Duration.ofMinutes(10)).exclusive());
    follower.run(source);
    land(row(3, 3, "2026-06-01T10:29:59Z"), row(4, 4, "2026-06-01T10:20:00Z"));

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(source);

    assertThat(Follower.ids(planned.read().rows())).containsExactly(2L, 3L, 4L);
    assertThat(planned.read().counts().get())
        .isEqualTo(new ReadCounts(3, 2, at("2026-06-01T10:20:00Z")));
    assertThat(planned.moves()).isFalse();
    assertThat(planned.remainder()).isEqualTo(Remainder.NONE);
    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 3 rows of orders at version 1 with at in [2026-06-01T10:20:00Z,"
                + " 2026-06-01T10:30:00Z] and leaves the watermark at 2026-06-01T10:30:00Z. 2 rows"
                + " lie below the stored watermark, the earliest at 2026-06-01T10:20:00Z.");
  }

  @Test
  void lookback_ofANumber_lowersTheFirstOfSeveralColumns() {
    land(row(1, 10, null), row(2, 20, null));
    DeltaTableSource source = newerBy(Cursor.on("no", "id").lookback(5).exclusive());
    follower.run(source);
    land(row(3, 15, null), row(4, 14, null));

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(source);

    assertThat(Follower.ids(planned.read().rows())).containsExactly(2L, 3L);
    assertThat(planned.read().counts().get())
        .isEqualTo(new ReadCounts(2, 1, Watermark.of(List.of(Watermark.of(15), Watermark.of(3)))));
    assertThat(planned.ranges().get(0).next())
        .isEqualTo(Watermark.of(List.of(Watermark.of(20), Watermark.of(2))));
  }

  @Test
  void floor_onEveryRun_isNeverReadBelow() {
    land(row(1, 1, null), row(2, 5, null), row(3, 6, null));
    Cursor simple = Cursor.on("no").notBefore(Watermark.of(5)).lookback(100);
    Cursor composite =
        Cursor.on("no", "id")
            .notBefore(Watermark.of(List.of(Watermark.of(5), Watermark.of(2))))
            .lookback(100);

    assertThat(follower.run(newerBy(simple))).containsExactly(2L, 3L);
    land(row(0, 5, null), row(4, 4, null));
    assertThat(follower.run(newerBy(simple))).containsExactly(0L, 2L, 3L);
    assertThat(new Follower().run(newerBy(composite))).containsExactly(2L, 3L);
  }

  @Test
  void settleTime_ofATimestamp_holdsYoungRowsBack() {
    land(row(1, 1, "2026-06-01T11:55:00Z"), row(2, 2, "2026-06-01T11:55:00.000001Z"));
    DeltaTableSource source = newerBy(Cursor.on("at").settledFor(Duration.ofMinutes(5)));
    DeltaTableSource later = source.timedBy(Clock.offset(clock(), Duration.ofSeconds(1)));

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(source);

    assertThat(Follower.ids(planned.read().rows())).containsExactly(1L);
    assertThat(planned.waiting()).isEqualTo(1);
    assertThat(planned.remainder()).isEqualTo(Remainder.WAITING);
    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 1 row of orders at version 0 with at in [the start, 2026-06-01T11:55:00Z] and"
                + " moves the watermark from the start to 2026-06-01T11:55:00Z. 1 row waits until"
                + " it has existed for PT5M.");
    follower.finish(planned);
    assertThat(follower.run(later)).containsExactly(1L, 2L);
    assertThat(follower.stored().state().remainder()).isEqualTo(Remainder.NONE);
    assertThat(follower.plan(later)).isInstanceOf(SourcePlan.NothingNew.class);
  }

  private static Clock clock() {
    return Clock.fixed(Instant.parse(NOON), ZoneOffset.UTC);
  }

  @Test
  void settleTime_withOnlyYoungRows_tellsHowManyWait() {
    land(row(1, 1, NOON), row(2, 2, NOON));

    assertThat(follower.plan(newerBy(Cursor.on("at").settledFor(Duration.ofMinutes(5)))))
        .isEqualTo(
            new SourcePlan.NothingNew<>(
                "orders at version 0 has no rows with a value of at that have settled; 2 rows wait"
                    + " until they have existed for PT5M",
                2));
  }

  @Test
  void settleTime_inADeclaredZone_worksForLocalTimesAndDays() {
    tables.append(
        "orders",
        tables.dataset(
            "id BIGINT, local TIMESTAMP_NTZ, day DATE",
            RowFactory.create(1, "2026-06-01T13:55:00", "2026-05-31"),
            RowFactory.create(2, "2026-06-01T13:55:01", "2026-06-01")));
    Cursor local = Cursor.on("local").inZone(ZoneId.of("Europe/Berlin"));
    Cursor day = Cursor.on("day").inZone(ZoneId.of("Europe/Berlin"));

    assertThat(new Follower().run(newerBy(local.settledFor(Duration.ofMinutes(5)))))
        .containsExactly(1L);
    assertThat(follower.run(newerBy(day.settledFor(Duration.ofMinutes(5))))).containsExactly(1L);
    assertThat(follower.watermark()).isEqualTo(Watermark.on(LocalDate.parse("2026-05-31")));
  }

  @Test
  void future_capped_isReadButDoesNotMoveTheWatermark() {
    land(row(1, 1, "2026-06-01T11:00:00Z"), row(2, 2, "2050-01-01T00:00:00Z"));
    DeltaTableSource source = newerBy(Cursor.on("at").future(FutureCursors.CAP).exclusive());

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(source);

    assertThat(planned.ranges().get(0).range().upTo()).isEqualTo(at("2050-01-01T00:00:00Z"));
    assertThat(planned.ranges().get(0).next()).isEqualTo(at("2026-06-01T11:00:00Z"));
    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 2 rows of orders at version 0 with at in (the start, 2050-01-01T00:00:00Z] and"
                + " moves the watermark from the start to 2026-06-01T11:00:00Z. Values beyond the"
                + " clock do not move the watermark.");
    assertThat(follower.run(source)).containsExactly(1L, 2L);
    land(row(3, 3, "2026-06-01T11:30:00Z"));
    assertThat(follower.run(source)).containsExactly(2L, 3L);
    assertThat(follower.watermark()).isEqualTo(at("2026-06-01T11:30:00Z"));
  }

  @Test
  void future_cappedWithNothingElse_storesNothing() {
    land(row(1, 1, "2050-01-01T00:00:00Z"));

    assertThat(follower.run(newerBy(Cursor.on("at").future(FutureCursors.CAP))))
        .containsExactly(1L);
    assertThat(follower.watermark()).isEqualTo(Watermark.start());
  }

  @Test
  void future_cappedInADeclaredZone_goesByItsClock() {
    tables.append(
        "orders",
        tables.dataset(
            "id BIGINT, local TIMESTAMP_NTZ",
            RowFactory.create(1, "2026-06-01T14:00:00"),
            RowFactory.create(2, "2026-06-01T14:00:01")));
    Cursor local = Cursor.on("local").inZone(ZoneId.of("Europe/Berlin"));

    assertThat(follower.run(newerBy(local.future(FutureCursors.CAP)))).containsExactly(1L, 2L);
    assertThat(follower.watermark())
        .isEqualTo(Watermark.at(LocalDateTime.parse("2026-06-01T14:00:00")));
  }

  @Test
  void nulls_quarantined_areRejectedWithTheReason() {
    land(row(1, 1, NOON), row(2, null, NOON), row(3, 3, null));
    DeltaTableSource source = newerBy(Cursor.on("at", "no"));

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(source);
    Reading<Dataset<Row>> reading = planned.read();

    assertThat(Follower.ids(reading.rows())).containsExactly(1L);
    assertThat(Follower.rejected(reading).select("id", Reading.REASON_COLUMN).maps())
        .containsExactlyInAnyOrderElementsOf(
            Rows.columns("id", Reading.REASON_COLUMN)
                .row(2, "watermark column 'no' has no value")
                .row(3, "watermark column 'at' has no value")
                .maps());
    assertThat(reading.counts().get()).isEqualTo(ReadCounts.of(3));
    assertThat(planned.remainder()).isEqualTo(Remainder.NONE);
    assertThat(planned.explanation())
        .endsWith(". 2 rows without a value there go to the quarantine.");

    follower.finish(planned);
    land(row(4, null, null));
    DeltaTableSource exclusive = newerBy(Cursor.on("at", "no").exclusive());
    SourcePlan.Planned<Dataset<Row>> again = follower.planned(exclusive);
    assertThat(Follower.ids(again.read().rows())).isEmpty();
    assertThat(Follower.rejected(again.read()).size()).isEqualTo(1);
    assertThat(again.moves()).isFalse();

    follower.finish(again);
    tables.spark().sql("UPDATE orders SET no = 7 WHERE id = 1");
    assertThat(Follower.rejected(follower.planned(exclusive).read()).size()).isEqualTo(3);
  }

  @Test
  void nulls_loaded_areReadOnEveryRunOfAMovedTable() {
    land(row(1, 1, null));
    DeltaTableSource source = newerBy(Cursor.on("at").nulls(NullCursors.LOAD).exclusive());

    assertThat(follower.run(source)).containsExactly(1L);
    assertThat(follower.watermark()).isEqualTo(Watermark.start());
    land(row(2, 2, NOON));
    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(source);
    assertThat(planned.read().rejected()).isEmpty();
    assertThat(planned.read().counts().get()).isEqualTo(ReadCounts.of(2));
    assertThat(planned.explanation()).endsWith(". 1 row without a value there is read too.");
    assertThat(follower.run(source)).containsExactly(1L, 2L);
    land(row(3, 3, null));
    assertThat(follower.run(source)).containsExactly(1L, 3L);
    assertThat(follower.watermark()).isEqualTo(at(NOON));
  }

  @Test
  void sentinels_countAsNoValue() {
    land(row(1, 1, "1900-01-01T00:00:00Z"), row(2, 0, NOON), row(3, 3, NOON));
    Cursor cursor = Cursor.on("at").sentinel(at("1900-01-01T00:00:00Z"));

    Reading<Dataset<Row>> reading = follower.planned(newerBy(cursor)).read();
    assertThat(Follower.ids(reading.rows())).containsExactly(2L, 3L);
    assertThat(Follower.rejected(reading).select("id", Reading.REASON_COLUMN).maps())
        .containsExactlyElementsOf(
            Rows.columns("id", Reading.REASON_COLUMN)
                .row(
                    1, "watermark column 'at' holds 1900-01-01T00:00:00Z, which counts as no value")
                .maps());
    assertThat(follower.run(newerBy(cursor.nulls(NullCursors.LOAD)))).containsExactly(1L, 2L, 3L);
    assertThat(follower.watermark()).isEqualTo(at(NOON));

    // Of several columns, a simple sentinel counts in every column of its kind.
    Cursor several =
        Cursor.on("at", "no").sentinel(Watermark.of(0)).sentinel(at("1900-01-01T00:00:00Z"));
    assertThat(new Follower().run(newerBy(several))).containsExactly(3L);
    Cursor whole = Cursor.on("at", "no").sentinel(Watermark.of(List.of(at(NOON), Watermark.of(0))));
    assertThat(new Follower().run(newerBy(whole))).containsExactly(1L, 3L);
  }

  @Test
  void rowLimit_cutsBetweenTies() {
    land(row(1, 1, NOON), row(2, 2, NOON), row(3, 2, NOON), row(4, 3, NOON), row(5, 4, NOON));
    DeltaTableSource source = newerBy(Cursor.on("no").atMost(2));

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(source);

    assertThat(Follower.ids(planned.read().rows())).containsExactly(1L, 2L, 3L);
    assertThat(planned.read().counts().get()).isEqualTo(ReadCounts.of(3));
    assertThat(planned.remainder()).isEqualTo(Remainder.WAITING);
    assertThat(planned.waiting()).isZero();
    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 3 rows of orders at version 0 with no in [the start, 2] and moves the watermark"
                + " from the start to 2. The limit of 2 leaves 2 rows to later runs.");
    follower.finish(planned);
    assertThat(follower.run(source)).containsExactly(2L, 3L, 4L, 5L);
    assertThat(follower.stored().state().remainder()).isEqualTo(Remainder.NONE);
  }

  @Test
  void rowLimit_withLookback_getsOnAllTheSame() {
    land(row(1, 1, NOON), row(2, 2, NOON), row(3, 3, NOON), row(4, 4, NOON));
    DeltaTableSource source = newerBy(Cursor.on("no", "id").lookback(100).atMost(1));

    assertThat(follower.run(source)).containsExactly(1L);
    assertThat(follower.run(source)).containsExactly(1L, 2L);
    assertThat(follower.run(source)).containsExactly(1L, 2L, 3L);
    assertThat(follower.run(source)).containsExactly(1L, 2L, 3L, 4L);
    assertThat(follower.stored().state().remainder()).isEqualTo(Remainder.NONE);
  }

  @Test
  void rowLimit_ofManyRows_isFoundInTwoSteps() {
    Dataset<Row> numbers = tables.spark().range(0, 1000).selectExpr("id", "id DIV 3 AS no");
    CursorColumns columns = CursorColumns.of("read", Cursor.on("no"), numbers);
    CursorColumns composite = CursorColumns.of("read", Cursor.on("no", "id"), numbers);
    CursorBoundary finder = CursorBoundary.by(columns).inOneTaskUpTo(10);

    assertThat(finder.find(numbers, 11)).isEqualTo(Watermark.of(3));
    assertThat(finder.find(numbers, 600)).isEqualTo(Watermark.of(199));
    assertThat(finder.find(numbers, 601)).isEqualTo(Watermark.of(200));
    assertThat(finder.find(numbers, 1000)).isEqualTo(Watermark.of(333));
    assertThat(CursorBoundary.by(composite).inOneTaskUpTo(10).find(numbers, 601))
        .isEqualTo(Watermark.of(List.of(Watermark.of(200), Watermark.of(600))));
  }

  @Test
  void readingAll_keepsTheWatermark() {
    land(row(1, 1, NOON), row(2, 2, NOON));
    DeltaTableSource source = newerBy(Cursor.on("no").readingAll().exclusive());
    follower.run(source);
    land(row(3, 3, NOON), row(0, 0, NOON));

    assertThat(follower.run(source)).containsExactly(0L, 1L, 2L, 3L);
    assertThat(follower.watermark()).isEqualTo(Watermark.of(3));
  }
}
