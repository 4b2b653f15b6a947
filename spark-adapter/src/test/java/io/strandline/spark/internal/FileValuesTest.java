package io.strandline.spark.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Watermark;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the log tells of the values in files. */
@ExtendWith(LakehouseExtension.class)
class FileValuesTest {
  private static final String SCHEMA = "id BIGINT, no BIGINT";

  private Lakehouse tables;

  @BeforeEach
  void remember(Lakehouse lakehouse) {
    tables = lakehouse;
  }

  private void land(Row... rows) {
    tables.append("orders", tables.dataset(SCHEMA, rows));
  }

  private DeltaRef orders() {
    return DeltaRef.forName(tables.spark(), "orders");
  }

  private Optional<FileValues> values(String... columns) {
    return orders().snapshot().values(List.of(columns));
  }

  private Optional<FileValues> valuesSinceTheFirst(String column) {
    return orders().appended(orders().snapshot(), 0).orElseThrow().values().apply(List.of(column));
  }

  private static FileValues values(long rows, long least, long reached) {
    return new FileValues(rows, Watermark.of(least), Watermark.of(reached));
  }

  private void sql(String statement) {
    tables.spark().sql(statement);
  }

  /** A type, two values of it in order, and what statistics have of the lower and the higher. */
  static Stream<Arguments> types() {
    return Stream.of(
        Arguments.of(
            "TIMESTAMP",
            "0001-01-01T00:00:00.000001Z",
            "2026-11-01T05:30:00.001999Z",
            Watermark.at(Instant.parse("0001-01-01T00:00:00Z")),
            Watermark.at(Instant.parse("2026-11-01T05:30:00.001Z"))),
        Arguments.of(
            "TIMESTAMP",
            "1969-12-31T23:59:59.998999Z",
            "1969-12-31T23:59:59.999999Z",
            Watermark.at(Instant.parse("1969-12-31T23:59:59.998Z")),
            Watermark.at(Instant.parse("1969-12-31T23:59:59.999Z"))),
        Arguments.of(
            "TIMESTAMP_NTZ",
            "0001-01-01T00:00:00",
            "2026-03-08T02:30:00.000999",
            Watermark.at(LocalDateTime.parse("0001-01-01T00:00:00")),
            Watermark.at(LocalDateTime.parse("2026-03-08T02:30:00"))),
        Arguments.of(
            "DATE",
            "0001-01-01",
            "1582-10-15",
            Watermark.on(LocalDate.parse("0001-01-01")),
            Watermark.on(LocalDate.parse("1582-10-15"))),
        Arguments.of("TINYINT", -128, 127, Watermark.of(-128), Watermark.of(127)),
        Arguments.of("SMALLINT", -32768, 32767, Watermark.of(-32768), Watermark.of(32767)),
        Arguments.of(
            "INT",
            Integer.MIN_VALUE,
            Integer.MAX_VALUE,
            Watermark.of(Integer.MIN_VALUE),
            Watermark.of(Integer.MAX_VALUE)),
        Arguments.of(
            "BIGINT",
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            Watermark.of(Long.MIN_VALUE),
            Watermark.of(Long.MAX_VALUE)),
        Arguments.of(
            "DECIMAL(38, 10)",
            "-12345678901234567890.0123456789",
            "12345678901234567890.0123456789",
            Watermark.of(new BigDecimal("-12345678901234567890.0123456789")),
            Watermark.of(new BigDecimal("12345678901234567890.0123456789"))),
        Arguments.of(
            "DECIMAL(5, 0)",
            "7",
            "10",
            Watermark.of(new BigDecimal("7")),
            Watermark.of(BigDecimal.TEN)),
        Arguments.of(
            "STRING",
            "",
            "\uD83C\uDF4E".repeat(50),
            Watermark.of(""),
            Watermark.of("\uD83C\uDF4E".repeat(32))));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("types")
  void values_ofAColumn_lieNowhereAboveItsValues(
      String type, Object low, Object high, Watermark lowest, Watermark highest) {
    for (Object value : List.of(low, high)) {
      tables.append("orders", tables.dataset("value " + type, RowFactory.create(value)));
    }

    assertThat(values("value")).contains(new FileValues(2, lowest, highest));
    assertThat(valuesSinceTheFirst("value")).contains(new FileValues(1, highest, highest));
  }

  private void landInKolkata(String at) {
    String zone = tables.spark().conf().get("spark.sql.session.timeZone");
    tables.spark().conf().set("spark.sql.session.timeZone", "Asia/Kolkata");

    try {
      tables.append("orders", tables.dataset("value TIMESTAMP", RowFactory.create(at)));
    } finally {
      tables.spark().conf().set("spark.sql.session.timeZone", zone);
    }
  }

  @Test
  void values_inAnotherZone_areTheSame() {
    landInKolkata("2026-06-01T08:00:00Z");

    Watermark at = Watermark.at(Instant.parse("2026-06-01T08:00:00Z"));
    assertThat(values("value")).contains(new FileValues(1, at, at));
  }

  @Test
  void values_inAZoneWhoseOffsetHadSeconds_areUnknown() {
    landInKolkata("1850-01-01T00:00:00Z");

    assertThat(values("value")).isEmpty();
  }

  @Test
  void values_ofSeveralFilesAndColumns_areTheFirstColumns() {
    land(RowFactory.create(1L, 30L), RowFactory.create(2L, 20L));
    land(RowFactory.create(3L, 10L), RowFactory.create(4L, 40L), RowFactory.create(5L, 50L));

    assertThat(values("no", "id")).contains(values(5, 10, 20));
    assertThat(values("id", "no")).contains(values(5, 1, 3));
  }

  @Test
  void values_whereRowsAreDeleted_countThoseThatAreLeft() {
    sql(
        "CREATE TABLE orders (id BIGINT, no BIGINT) USING delta"
            + " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')");
    land(RowFactory.create(1L, 10L), RowFactory.create(2L, 20L), RowFactory.create(3L, 30L));
    sql("DELETE FROM orders WHERE id = 1");

    assertThat(values("no")).contains(values(2, 10, 10));
  }

  @Test
  void values_ofARenamedColumn_areFound() {
    sql(
        "CREATE TABLE orders (id BIGINT, number BIGINT) USING delta"
            + " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')");
    sql("INSERT INTO orders VALUES (1, 10)");
    sql("ALTER TABLE orders RENAME COLUMN number TO no");
    sql("INSERT INTO orders VALUES (2, 20)");

    assertThat(values("no")).contains(values(2, 10, 20));
  }

  @Test
  void values_ofAColumnThatCameLater_areUnknown() {
    sql(
        "CREATE TABLE orders (id BIGINT, no BIGINT) USING delta"
            + " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')");
    sql("INSERT INTO orders VALUES (1, 10)");
    sql("ALTER TABLE orders DROP COLUMN no");
    sql("ALTER TABLE orders ADD COLUMN no BIGINT");
    sql("INSERT INTO orders VALUES (2, 20)");

    assertThat(values("no")).isEmpty();
  }

  @Test
  void values_whereOneIsMissing_areUnknown() {
    land(RowFactory.create(1L, 10L), RowFactory.create(2L, null));

    assertThat(values("no")).isEmpty();
    assertThat(values("id", "no")).isEmpty();
    assertThat(values("id")).contains(values(2, 1, 1));
  }

  @Test
  void values_ofAPartitionColumn_areUnknown() {
    sql("CREATE TABLE orders (id BIGINT, no BIGINT) USING delta PARTITIONED BY (no)");
    sql("INSERT INTO orders VALUES (1, 10)");

    assertThat(values("no")).isEmpty();
  }

  @Test
  void values_ofAColumnWithoutStatistics_areUnknown() {
    sql(
        "CREATE TABLE orders (id BIGINT, no BIGINT) USING delta"
            + " TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1')");
    sql("INSERT INTO orders VALUES (1, 10)");

    assertThat(values("no")).isEmpty();
    assertThat(values("id")).contains(values(1, 1, 1));
  }

  @Test
  void values_whereOneFileHasNone_areUnknown() {
    land(RowFactory.create(1L, 10L));
    tables.spark().conf().set("spark.databricks.delta.stats.collect", "false");

    try {
      land(RowFactory.create(2L, 20L));
    } finally {
      tables.spark().conf().unset("spark.databricks.delta.stats.collect");
    }

    assertThat(values("no")).isEmpty();
    assertThat(valuesSinceTheFirst("no")).isEmpty();
  }

  @Test
  void values_ofATableWithoutRows_areUnknown() {
    sql("CREATE TABLE orders (id BIGINT, no BIGINT) USING delta");

    assertThat(values("no")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "7",
        "{}",
        "{\"numRecords\":1}",
        "{\"numRecords\":\"one\",\"minValues\":{\"no\":1},\"nullCount\":{\"no\":0}}",
        "{\"numRecords\":1,\"minValues\":{\"no\":\"x\"},\"nullCount\":{\"no\":0}}",
        "{\"numRecords\":1,\"minValues\":{\"no\":1.5},\"nullCount\":{\"no\":0}}",
        "{\"numRecords\":1,\"minValues\":{\"no\":null},\"nullCount\":{\"no\":0}}",
        "{\"numRecords\":1,\"minValues\":{\"no\":1}}",
        "{\"numRecords\":1,\"minValues\":{\"no\":1},\"nullCount\":{\"no\":1}}",
        "{\"numRecords\":0,\"minValues\":{\"no\":1},\"nullCount\":{\"no\":0}}"
      })
  void of_whatTellsNothing_isEmpty(String statistics) {
    assertThat(FileValues.of(statistics, 0, StructType.fromDDL("no BIGINT"))).isEmpty();
  }

  @Test
  void of_aFileWhoseRowsAreAllDeleted_isEmpty() {
    String statistics = "{\"numRecords\":2,\"minValues\":{\"no\":1},\"nullCount\":{\"no\":0}}";
    StructType columns = StructType.fromDDL("no BIGINT");

    assertThat(FileValues.of(statistics, 1, columns)).contains(values(1, 1, 1));
    assertThat(FileValues.of(statistics, 2, columns)).isEmpty();
  }
}
