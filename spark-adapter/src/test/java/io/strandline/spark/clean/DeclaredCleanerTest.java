package io.strandline.spark.clean;

import static io.strandline.spark.clean.DeclaredColumn.bigint;
import static io.strandline.spark.clean.DeclaredColumn.bool;
import static io.strandline.spark.clean.DeclaredColumn.date;
import static io.strandline.spark.clean.DeclaredColumn.decimal;
import static io.strandline.spark.clean.DeclaredColumn.integer;
import static io.strandline.spark.clean.DeclaredColumn.kept;
import static io.strandline.spark.clean.DeclaredColumn.localTimestamp;
import static io.strandline.spark.clean.DeclaredColumn.text;
import static io.strandline.spark.clean.DeclaredColumn.timestamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.clean.Cleaned;
import io.strandline.clean.Cleaner;
import io.strandline.clean.Severity;
import io.strandline.problem.Problem;
import io.strandline.source.Reading;
import io.strandline.testkit.spark.DatasetAssert;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(LakehouseExtension.class)
class DeclaredCleanerTest {
  private final Lakehouse lakehouse;

  DeclaredCleanerTest(Lakehouse lakehouse) {
    this.lakehouse = lakehouse;
  }

  private Dataset<Row> texts(@Nullable String... values) {
    return lakehouse.dataset(
        "v string", Arrays.stream(values).map(RowFactory::create).toArray(Row[]::new));
  }

  private static List<@Nullable Object> accepted(DeclaredCleaner cleaner, Dataset<Row> rows) {
    return Lakehouse.collect(cleaner.separate(rows).accepted()).stream()
        .<@Nullable Object>map(row -> row.values().iterator().next())
        .toList();
  }

  private static List<String> reasons(Cleaned<Dataset<Row>> cleaned) {
    return cleaned.rejected().stream()
        .flatMap(rows -> rows.select(Reading.REASON_COLUMN).collectAsList().stream())
        .map(row -> row.getString(0))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void integer_ofTextInManyShapes_keepsWhatFitsAndRejectsTheRest(String ansi) {
    lakehouse.spark().conf().set("spark.sql.ansi.enabled", ansi);
    Dataset<Row> rows = texts(" 42 ", "+5", "+1.2", "1e3", "12abc", "2147483648", null);

    Cleaned<Dataset<Row>> cleaned = DeclaredCleaner.of(integer("v")).separate(rows);

    DatasetAssert.assertThat(cleaned.accepted())
        .showing("v")
        .hasRowsOf(
            lakehouse.spark().sql("select * from values (42), (5), (cast(null as int)) as t(v)"));
    assertThat(reasons(cleaned))
        .containsExactlyInAnyOrder(
            "column 'v': '+1.2' is no int",
            "column 'v': '1e3' is no int",
            "column 'v': '12abc' is no int",
            "column 'v': '2147483648' is no int");
    lakehouse.spark().conf().unset("spark.sql.ansi.enabled");
  }

  @Test
  void decimal_roundingOutOfRange_isRejected() {
    Dataset<Row> rows = texts("99999999.99", "99999999.995", "123456789.99", "10.005");

    Cleaned<Dataset<Row>> cleaned = DeclaredCleaner.of(decimal("v", 10, 2)).separate(rows);

    assertThat(accepted(DeclaredCleaner.of(decimal("v", 10, 2)), rows))
        .containsExactlyInAnyOrder(new BigDecimal("99999999.99"), new BigDecimal("10.01"));
    assertThat(reasons(cleaned)).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"UTC", "America/New_York", "Asia/Kolkata"})
  void timestamp_withoutZoneInText_isReadInTheDeclaredZoneWhateverTheSession(String sessionZone) {
    SparkSession spark = lakehouse.spark();
    spark.conf().set("spark.sql.session.timeZone", sessionZone);
    ZoneId london = ZoneId.of("Europe/London");
    Dataset<Row> rows = texts("2026-07-01 10:00:00.123456", "2026-01-01T10:00", "2026-07-01");
    Instant summer = Instant.parse("2026-07-01T09:00:00.123456Z");

    assertThat(accepted(DeclaredCleaner.of(timestamp("v").inZone(london)), rows))
        .containsExactlyInAnyOrder(
            summer, Instant.parse("2026-01-01T10:00:00Z"), Instant.parse("2026-06-30T23:00:00Z"));
    assertThat(accepted(DeclaredCleaner.of(timestamp("v")), texts("2026-07-01 10:00:00+02:00")))
        .containsExactly(Instant.parse("2026-07-01T08:00:00Z"));
    assertThat(
            accepted(
                DeclaredCleaner.of(timestamp("v").inZone(london).format("dd/MM/yyyy HH:mm")),
                texts("01/07/2026 10:00")))
        .containsExactly(Instant.parse("2026-07-01T09:00:00Z"));
    assertThat(
            accepted(
                DeclaredCleaner.of(localTimestamp("v").format("yyyy-MM-dd HH:mm:ss")),
                texts("2026-03-08 02:30:00", "0001-01-01 00:00:00")))
        .containsExactlyInAnyOrder(
            LocalDateTime.of(2026, 3, 8, 2, 30), LocalDateTime.of(1, 1, 1, 0, 0));
    assertThat(accepted(DeclaredCleaner.of(localTimestamp("v")), texts("2026-03-08 02:30:00")))
        .containsExactly(LocalDateTime.of(2026, 3, 8, 2, 30));
    assertThat(reasons(DeclaredCleaner.of(timestamp("v")).separate(texts("10:00"))))
        .containsExactly("column 'v': '10:00' is no timestamp");
    spark.conf().unset("spark.sql.session.timeZone");
  }

  @Test
  void date_inSeveralFormats_takesTheFirstThatFits() {
    DeclaredCleaner cleaner =
        DeclaredCleaner.of(date("v").format("yyyy-MM-dd").format("dd/MM/yyyy"));

    Cleaned<Dataset<Row>> cleaned =
        cleaner.separate(texts("2024-02-29", "29/02/2024", "2024-02-30", "0000-00-00"));

    DatasetAssert.assertThat(cleaned.accepted())
        .showing("v")
        .hasRowsOf(
            lakehouse
                .spark()
                .sql("select * from values (date'2024-02-29'), (date'2024-02-29') as t(v)"));
    assertThat(reasons(cleaned))
        .contains("column 'v': '2024-02-30' is no date of format yyyy-MM-dd or dd/MM/yyyy");
    assertThat(accepted(DeclaredCleaner.of(date("v")), texts("0001-01-01")))
        .containsExactly(LocalDate.of(1, 1, 1));
  }

  @Test
  void text_trimmedUpperRequired_rejectsBlanksAndKeepsTheRowAsItCame() {
    Dataset<Row> rows =
        lakehouse.dataset(
            "`Order.ID` string, `a``b` int",
            RowFactory.create(" a-17 ", 1),
            RowFactory.create("  ", 2),
            RowFactory.create(null, 3));
    DeclaredCleaner cleaner =
        DeclaredCleaner.of(
            text("order id").from("Order.ID").trimmed().upperCased().required(), kept("a`b"));

    Cleaned<Dataset<Row>> cleaned = cleaner.separate(rows);

    assertThat(cleaner.clean(rows).columns()).containsExactly("order id", "a`b");
    assertThat(cleaned.accepted().columns()).containsExactly("order id", "a`b", Cleaned.RAW_COLUMN);
    assertThat(accepted(cleaner, rows)).containsExactly("A-17");
    assertThat(cleaned.rejected().get(0).columns())
        .containsExactly("Order.ID", "a`b", Reading.REASON_COLUMN);
    assertThat(reasons(cleaned))
        .containsExactly(
            "column 'order id' is required and has no value",
            "column 'order id' is required and has no value");
  }

  @Test
  void bool_spelledAsDeclared_isReadInAnyCase() {
    DeclaredCleaner cleaner =
        DeclaredCleaner.of(bool("v").spelled(List.of("J", "1"), List.of("N", "0")));

    Cleaned<Dataset<Row>> cleaned = cleaner.separate(texts("j", " 1 ", "N", "yes"));

    assertThat(accepted(cleaner, texts("j", " 1 ", "N")))
        .containsExactlyInAnyOrder(true, true, false);
    assertThat(reasons(cleaned))
        .containsExactly("column 'v': 'yes' is no boolean spelled J, 1 or N, 0");
  }

  @Test
  void defaults_fillOnlyWhatIsMissing() {
    DeclaredCleaner cleaner = DeclaredCleaner.of(bigint("v").trimmed().emptyAsNull().orElse(0L));

    assertThat(accepted(cleaner, texts("7", "", null))).containsExactlyInAnyOrder(7L, 0L, 0L);
    assertThat(reasons(cleaner.separate(texts("x")))).hasSize(1);
  }

  @Test
  void checks_ofEachSeverity_sayWhichRowsDoNotPass() {
    Dataset<Row> rows = texts("5", "-1", "x", null, "0", "100");
    DeclaredCleaner cleaner =
        DeclaredCleaner.of(integer("v"))
            .check("v >= 0", "v is negative")
            .check("v <> 0", "v is `0.0`", Severity.WARN)
            .check("v < 100", "v is 100", Severity.FAIL);

    Cleaned<Dataset<Row>> cleaned = cleaner.separate(rows);

    assertThat(accepted(cleaner, rows)).containsExactlyInAnyOrder(5L, null, 0L);
    assertThat(
            cleaned.accepted().where("_strandline_warned['v is `0.0`']").select("v").head().get(0))
        .isEqualTo(0);
    assertThat(reasons(cleaned))
        .containsExactlyInAnyOrder("v is negative", "column 'v': 'x' is no int", "v is 100");
    assertThat(cleaned.rejected().get(0).where("_strandline_failed['v is 100']").select("v").head())
        .isEqualTo(RowFactory.create("100"));
    assertThatThrownBy(() -> cleaner.check("v > 1", "V is negative"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot check twice with the message 'V is negative'; case makes no difference.");
  }

  @Test
  void cleaners_oneAfterTheOther_keepTheRawRowOfTheFirst() {
    Dataset<Row> rows =
        lakehouse.dataset(
            "id string, v string", RowFactory.create("a", " 5 "), RowFactory.create("b", "-5"));
    DeclaredCleaner first =
        DeclaredCleaner.of(text("id"), integer("v")).check("v <> 5", "five", Severity.WARN);
    Cleaner<Dataset<Row>> both =
        first.andThen(
            DeclaredCleaner.of(text("id"), integer("w").from("v"))
                .check("w > 0", "negative")
                .check("w <> 5", "still five", Severity.WARN));

    Cleaned<Dataset<Row>> cleaned = both.separate(rows);

    assertThat(
            cleaned.accepted().selectExpr("w", "_strandline_raw.v", "_strandline_warned.*").head())
        .isEqualTo(RowFactory.create(5, " 5 ", true, true));
    assertThat(cleaned.rejected().get(0).select("id", "v").head())
        .isEqualTo(RowFactory.create("b", "-5"));
  }

  @Test
  void sourceColumn_thatDoesNotExist_isNamedWithItsNearMiss() {
    assertThatThrownBy(
            () ->
                DeclaredCleaner.of(text("id").from("Oder_ID"))
                    .clean(lakehouse.dataset("Order_ID string, Country string")))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot clean column 'id' from 'Oder_ID': the source has no such column; it has"
                + " 'Order_ID', 'Country'. Did you mean 'Order_ID'?");
  }

  @Test
  void fortyColumns_costOneScanAndNoFunctionOfJava() {
    String table = lakehouse.append("wide", wide());
    DeclaredColumn[] columns =
        Stream.iterate(0, i -> i + 1)
            .limit(40)
            .map(i -> decimal("c" + i, 10, 2).trimmed().required())
            .toArray(DeclaredColumn[]::new);

    Dataset<Row> cleaned = DeclaredCleaner.of(columns).clean(lakehouse.spark().table(table));
    String plan = cleaned.queryExecution().executedPlan().toString();

    assertThat(plan.split("FileScan", -1)).hasSize(2);
    assertThat(plan).doesNotContain("Exchange").doesNotContain("UDF").doesNotContain("MapElements");
  }

  private Dataset<Row> wide() {
    StringBuilder sql = new StringBuilder("select ");

    for (int i = 0; i < 40; i++) {
      sql.append(i == 0 ? "" : ", ").append("'1.5' as c").append(i);
    }

    return lakehouse.spark().sql(sql.toString());
  }
}
