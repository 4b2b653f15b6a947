package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.source.Cursor;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Watermark;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every type of watermark column, with both bounds. */
@ExtendWith(LakehouseExtension.class)
class CursorTypesTest {

  /** A type, four values of it in order, and the watermarks of the second and the fourth. */
  static Stream<Arguments> types() {
    return Stream.of(
        Arguments.of(
            "TIMESTAMP",
            List.of(
                "0001-01-01T00:00:00Z",
                "2026-11-01T05:30:00.000001Z",
                "2026-11-01T05:30:00.000002Z",
                "2026-11-01T06:30:00Z"),
            Watermark.at(Instant.parse("2026-11-01T05:30:00.000001Z")),
            Watermark.at(Instant.parse("2026-11-01T06:30:00Z"))),
        Arguments.of(
            "TIMESTAMP_NTZ",
            List.of(
                "0001-01-01T00:00:00",
                "2026-03-08T02:30:00.000999",
                "2026-03-08T02:30:00.001",
                "2026-03-08T03:30:00"),
            Watermark.at(LocalDateTime.parse("2026-03-08T02:30:00.000999")),
            Watermark.at(LocalDateTime.parse("2026-03-08T03:30:00"))),
        Arguments.of(
            "DATE",
            List.of("0001-01-01", "1582-10-04", "1582-10-15", "2026-03-08"),
            Watermark.on(LocalDate.parse("1582-10-04")),
            Watermark.on(LocalDate.parse("2026-03-08"))),
        Arguments.of("TINYINT", List.of(-128, -1, 0, 127), Watermark.of(-1), Watermark.of(127)),
        Arguments.of(
            "SMALLINT", List.of(-32768, -1, 0, 32767), Watermark.of(-1), Watermark.of(32767)),
        Arguments.of(
            "INT",
            List.of(Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE),
            Watermark.of(-1),
            Watermark.of(Integer.MAX_VALUE)),
        Arguments.of(
            "BIGINT",
            List.of(Long.MIN_VALUE, (1L << 53), (1L << 53) + 1, Long.MAX_VALUE),
            Watermark.of(1L << 53),
            Watermark.of(Long.MAX_VALUE)),
        Arguments.of(
            "DECIMAL(18, 2)",
            List.of("-5.00", "9.90", "9.91", "10.00"),
            Watermark.of(new BigDecimal("9.9")),
            Watermark.of(new BigDecimal("10"))),
        Arguments.of(
            "DECIMAL(38, 0)",
            List.of(
                "-5",
                "99999999999999999999999999999999999997",
                "99999999999999999999999999999999999998",
                "99999999999999999999999999999999999999"),
            Watermark.of(new BigDecimal("99999999999999999999999999999999999997")),
            Watermark.of(new BigDecimal("99999999999999999999999999999999999999"))),
        Arguments.of(
            "STRING",
            List.of("", "B'; DROP TABLE orders --", "a", "\uD83D\uDE00"),
            Watermark.of("B'; DROP TABLE orders --"),
            Watermark.of("\uD83D\uDE00")));
  }

  @ParameterizedTest
  @MethodSource("types")
  void run_ofEachType_readsFromItsWatermarkOn(
      String type, List<Object> values, Watermark second, Watermark fourth, Lakehouse tables) {
    String schema = "id BIGINT, at " + type;
    tables.append(
        "orders",
        tables.dataset(
            schema, RowFactory.create(1, values.get(0)), RowFactory.create(2, values.get(1))));
    DeltaTableSource inclusive = DeltaTableSource.forName(tables.spark(), "orders").newerBy("at");
    DeltaTableSource exclusive =
        DeltaTableSource.forName(tables.spark(), "orders").newerBy(Cursor.on("at").exclusive());
    Follower again = Follower.byWatermark();
    Follower onlyNew = Follower.byWatermark();

    assertThat(again.run(inclusive)).containsExactly(1L, 2L);
    assertThat(onlyNew.run(exclusive)).containsExactly(1L, 2L);
    assertThat(again.watermark()).isEqualTo(second);
    assertThat(onlyNew.watermark()).isEqualTo(second);

    tables.append(
        "orders",
        tables.dataset(
            schema, RowFactory.create(3, values.get(2)), RowFactory.create(4, values.get(3))));

    assertThat(again.run(inclusive)).containsExactly(2L, 3L, 4L);
    assertThat(onlyNew.run(exclusive)).containsExactly(3L, 4L);
    assertThat(again.watermark()).isEqualTo(fourth);
    assertThat(onlyNew.watermark()).isEqualTo(fourth);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void run_ofADecimal_comparesWithFinerAndGreaterNumbers(Lakehouse tables) {
    tables.append(
        "orders",
        tables.dataset(
            "id BIGINT, at DECIMAL(3, 1)",
            RowFactory.create(1, "-99.9"),
            RowFactory.create(2, "1.2"),
            RowFactory.create(3, "1.3"),
            RowFactory.create(4, "99.9")));
    DeltaTableSource source = DeltaTableSource.forName(tables.spark(), "orders").newerBy("at");
    DeltaTableSource exclusive =
        DeltaTableSource.forName(tables.spark(), "orders").newerBy(Cursor.on("at").exclusive());
    Watermark finer = Watermark.of(new BigDecimal("1.25"));
    Watermark greater = Watermark.of(new BigDecimal("1000"));
    Watermark smaller = Watermark.of(new BigDecimal("-1000.55"));

    assertThat(Follower.at(finer).run(source)).containsExactly(3L, 4L);
    assertThat(Follower.at(finer).run(exclusive)).containsExactly(3L, 4L);
    assertThat(Follower.at(greater).run(source)).isEmpty();
    assertThat(Follower.at(smaller).run(exclusive)).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void run_ofAnInteger_comparesWithGreaterNumbersThanItHolds(Lakehouse tables) {
    tables.append("orders", tables.dataset("id BIGINT, at TINYINT", RowFactory.create(1, 100)));
    DeltaTableSource source = DeltaTableSource.forName(tables.spark(), "orders").newerBy("at");

    assertThat(Follower.at(Watermark.of(1000)).run(source)).isEmpty();
    assertThat(Follower.at(Watermark.of(-1000)).run(source)).containsExactly(1L);
  }

  @Test
  void run_ofSeveralColumns_comparesThemAsOneValue(Lakehouse tables) {
    String schema = "id BIGINT, at TIMESTAMP, no INT";
    String ten = "2026-05-01T10:00:00Z";
    tables.append(
        "orders",
        tables.dataset(schema, RowFactory.create(10, ten, 10), RowFactory.create(12, ten, 12)));
    DeltaTableSource inclusive =
        DeltaTableSource.forName(tables.spark(), "orders").newerBy("at", "no");
    DeltaTableSource exclusive =
        DeltaTableSource.forName(tables.spark(), "orders")
            .newerBy(Cursor.on("at", "no").exclusive());
    Follower again = Follower.byWatermark();
    Follower onlyNew = Follower.byWatermark();
    Watermark first = Watermark.of(List.of(Watermark.at(Instant.parse(ten)), Watermark.of(12)));

    assertThat(again.run(inclusive)).containsExactly(10L, 12L);
    assertThat(onlyNew.run(exclusive)).containsExactly(10L, 12L);
    assertThat(again.watermark()).isEqualTo(first);
    assertThat(onlyNew.watermark()).isEqualTo(first);

    tables.append(
        "orders",
        tables.dataset(
            schema,
            RowFactory.create(3, ten, 3),
            RowFactory.create(13, ten, 13),
            RowFactory.create(5, "2026-05-01T10:00:01Z", 5),
            RowFactory.create(99, "2026-05-01T09:59:59Z", 99)));

    // The inclusive bound counts the first column alone, so that no row which landed there is lost.
    assertThat(again.run(inclusive)).containsExactly(3L, 5L, 10L, 12L, 13L);
    assertThat(onlyNew.run(exclusive)).containsExactly(5L, 13L);
    assertThat(onlyNew.watermark())
        .isEqualTo(
            Watermark.of(
                List.of(Watermark.at(Instant.parse("2026-05-01T10:00:01Z")), Watermark.of(5))));
  }

  @Test
  void run_ofExpressions_measuresByWhatTheyGive(Lakehouse tables) {
    String schema = "id BIGINT, created TIMESTAMP, modified TIMESTAMP, no STRING";
    tables.append(
        "orders",
        tables.dataset(
            schema,
            RowFactory.create(1, "2026-07-01T08:00:00Z", null, "9"),
            RowFactory.create(2, "2026-07-01T09:00:00Z", null, "10")));
    DeltaTableSource coalesced =
        DeltaTableSource.forName(tables.spark(), "orders")
            .newerBy(Cursor.expression("coalesce(modified, created)").exclusive());
    DeltaTableSource cast =
        DeltaTableSource.forName(tables.spark(), "orders")
            .newerBy(Cursor.expression("cast(no as bigint)"));
    Follower byTime = Follower.byWatermark();
    Follower byNumber = Follower.byWatermark();

    assertThat(byTime.run(coalesced)).containsExactly(1L, 2L);
    assertThat(byNumber.run(cast)).containsExactly(1L, 2L);

    tables.append(
        "orders",
        tables.dataset(
            schema,
            RowFactory.create(3, "2026-07-01T08:00:00Z", "2026-07-02T07:00:00Z", "11"),
            RowFactory.create(4, "2026-07-01T08:30:00Z", null, "8")));

    assertThat(byTime.run(coalesced)).containsExactly(3L);
    assertThat(byNumber.run(cast)).containsExactly(2L, 3L);
    assertThat(byTime.watermark()).isEqualTo(Watermark.at(Instant.parse("2026-07-02T07:00:00Z")));
    assertThat(byNumber.watermark()).isEqualTo(Watermark.of(11));
    assertThat(coalesced.watermarkColumns()).isEmpty();
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void run_ofAColumnInAStruct_isAnExpression(Lakehouse tables) {
    tables
        .spark()
        .sql("CREATE TABLE orders USING delta AS SELECT 1L AS id, named_struct('at', 5) AS meta");
    DeltaTableSource source =
        DeltaTableSource.forName(tables.spark(), "orders").newerBy(Cursor.expression("meta.at"));
    Follower follower = Follower.byWatermark();

    assertThat(follower.run(source)).containsExactly(1L);
    assertThat(follower.watermark()).isEqualTo(Watermark.of(5));
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void run_ofOddNames_quotesThem(Lakehouse tables) {
    tables.append(
        "orders", tables.dataset("id BIGINT, `it``s.the-order` INT", RowFactory.create(1, 7)));
    DeltaTableSource source =
        DeltaTableSource.forName(tables.spark(), "orders").newerBy("it`s.the-order", "id");
    Follower follower = Follower.byWatermark();

    assertThat(follower.run(source)).containsExactly(1L);
    assertThat(follower.watermark())
        .isEqualTo(Watermark.of(List.of(Watermark.of(7), Watermark.of(1))));
    assertThat(follower.run(source)).isEmpty();
  }
}
