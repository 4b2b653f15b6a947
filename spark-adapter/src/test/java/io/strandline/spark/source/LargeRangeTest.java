package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.ReadCounts;
import io.strandline.source.SourcePlan;
import io.strandline.spark.internal.FileValues;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranges that are too large to be kept, where a table's log tells which values its files have. */
@ExtendWith(LakehouseExtension.class)
class LargeRangeTest {
  private static final Instant MONDAY = Instant.parse("2026-06-01T08:00:00Z");
  private static final Instant TUESDAY = Instant.parse("2026-06-02T08:00:00Z");

  /** More than there are: a plan that says so has it from the log, and has not counted. */
  private static final long TOLD = 1000;

  private static final FileValues FROM_MONDAY = told(Watermark.at(MONDAY), Watermark.at(MONDAY));

  private final List<List<String>> asked = new ArrayList<>();
  private Dataset<Row> rows;

  @BeforeEach
  void land(Lakehouse tables) {
    Dataset<Row> small =
        tables.dataset(
            "id BIGINT, at TIMESTAMP",
            RowFactory.create(1L, MONDAY),
            RowFactory.create(3L, MONDAY),
            RowFactory.create(2L, TUESDAY));
    // Of what an RDD holds Spark does not know the size, and takes it for very large.
    rows = tables.spark().createDataFrame(small.javaRDD(), small.schema());
  }

  private SourcePlan<Dataset<Row>> plan(Cursor cursor, Watermark stored, FileValues told) {
    return new CursorPlanner(
            "read orders",
            "orders",
            cursor,
            Duration.ZERO,
            Clock.fixed(TUESDAY, ZoneOffset.UTC),
            TableSnapshot.unknown(),
            rows)
        .planReadingOnce(
            stored,
            columns -> {
              asked.add(columns);
              return Optional.of(told);
            });
  }

  private static FileValues told(Watermark least, Watermark reached) {
    return new FileValues(TOLD, least, reached);
  }

  private static long read(SourcePlan<Dataset<Row>> plan) {
    return ((SourcePlan.Planned<Dataset<Row>>) plan).read().counts().get().rows();
  }

  @Test
  void plan_ofAllRowsOfAllFiles_looksForTheLargestValueAlone() {
    SourcePlan.Planned<Dataset<Row>> planned =
        (SourcePlan.Planned<Dataset<Row>>)
            plan(
                Cursor.on("at"),
                Watermark.start(),
                told(Watermark.at(MONDAY), Watermark.at(TUESDAY)));

    assertThat(planned.ranges())
        .containsExactly(
            new StreamRange(
                StreamName.only(),
                Watermark.start(),
                new WatermarkRange(Watermark.start(), Bound.INCLUSIVE, Watermark.at(TUESDAY)),
                Watermark.at(TUESDAY)));
    assertThat(planned.read().counts().get()).isEqualTo(ReadCounts.of(TOLD));
    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 1000 rows of orders with at in [the start, 2026-06-02T08:00:00Z] and moves the"
                + " watermark from the start to 2026-06-02T08:00:00Z.");
    assertThat(Follower.ids(planned.read().rows())).containsExactly(1L, 2L, 3L);
    assertThat(asked).containsExactly(List.of("at"));
  }

  @Test
  void plan_ofSeveralColumns_findsTheLargestOfAll() {
    SourcePlan.Planned<Dataset<Row>> planned =
        (SourcePlan.Planned<Dataset<Row>>)
            plan(
                Cursor.on("at", "id"),
                Watermark.of(List.of(Watermark.at(MONDAY.minusMillis(1)), Watermark.of(9))),
                FROM_MONDAY);

    assertThat(planned.ranges().get(0).next())
        .isEqualTo(Watermark.of(List.of(Watermark.at(TUESDAY), Watermark.of(2))));
    assertThat(read(planned)).isEqualTo(TOLD);
    assertThat(asked).containsExactly(List.of("at", "id"));
  }

  @Test
  void plan_whereTheHighestRowsAreDeleted_counts() {
    SourcePlan<Dataset<Row>> plan =
        plan(
            Cursor.on("at"),
            Watermark.start(),
            told(Watermark.at(MONDAY), Watermark.at(TUESDAY.plusMillis(1))));

    assertThat(read(plan)).isEqualTo(3);
  }

  @Test
  void plan_whereTheLogTellsNothing_counts() {
    SourcePlan<Dataset<Row>> plan =
        new CursorPlanner(
                "read orders",
                "orders",
                Cursor.on("at"),
                Duration.ZERO,
                Clock.systemUTC(),
                TableSnapshot.unknown(),
                rows)
            .planReadingOnce(Watermark.start(), columns -> Optional.empty());

    assertThat(read(plan)).isEqualTo(3);
  }

  /** What is asked for, the stored watermark, and how many rows are read of what the log told. */
  static Stream<Arguments> cursors() {
    Cursor at = Cursor.on("at");
    Watermark start = Watermark.start();
    Watermark before = Watermark.at(MONDAY.minusMillis(1));
    Watermark monday = Watermark.at(MONDAY);
    return Stream.of(
        Arguments.of("all rows", at, start, TOLD),
        Arguments.of("all rows above the stored watermark", at, before, TOLD),
        Arguments.of("rows from the stored watermark on", at, monday, 3L),
        Arguments.of("rows above the stored watermark", at.exclusive(), monday, 1L),
        Arguments.of("all rows above a floor", at.notBefore(before), start, TOLD),
        Arguments.of("rows from a floor on", at.notBefore(Watermark.at(TUESDAY)), start, 1L),
        Arguments.of("a limit that is kept", at.atMost(TOLD), start, TOLD),
        Arguments.of("a limit", at.atMost(TOLD - 1), start, 3L),
        Arguments.of("rows that settle", at.settledFor(Duration.ofHours(1)), start, 2L),
        Arguments.of("rows not of the future", at.future(FutureCursors.CAP), start, 3L),
        Arguments.of("a lookback below the files", at.lookback(Duration.ofHours(1)), monday, 3L),
        Arguments.of("a lookback from the start", at.lookback(Duration.ofHours(1)), start, TOLD),
        Arguments.of("all again", at.readingAll(), Watermark.at(TUESDAY), 3L),
        Arguments.of("a value that is none", at.sentinel(monday), start, 3L),
        Arguments.of("an expression", Cursor.expression("at"), start, 3L));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cursors")
  void plan_believesTheLogOnly_whereAllRowsBelongToTheRange(
      String what, Cursor cursor, Watermark stored, long expected) {
    assertThat(read(plan(cursor, stored, FROM_MONDAY))).as(what).isEqualTo(expected);
  }
}
