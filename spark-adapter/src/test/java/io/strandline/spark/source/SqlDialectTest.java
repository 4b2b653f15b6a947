package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.spark.source.JdbcColumn.Kind;
import io.strandline.spark.source.JdbcColumn.Nulls;
import io.strandline.spark.source.SqlDialect.Comparison;
import io.strandline.watermark.Watermark;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The SQL of each make of database; no database is asked. */
class SqlDialectTest {
  private static final Watermark INSTANT =
      Watermark.at(Instant.parse("2026-06-01T10:00:00.123456Z"));
  private static final Watermark LOCAL =
      Watermark.at(LocalDateTime.parse("2026-06-01T10:00:00.123456"));
  private static final Watermark DAY = Watermark.on(LocalDate.parse("0001-01-01"));
  private static final Watermark QUOTE = Watermark.of("O'Brien\\");

  private static SqlDialect dialect(String make) {
    return SqlDialect.of("read orders", "jdbc:" + make + ":any");
  }

  private static JdbcColumn column(Kind kind, String nativeType, int fraction) {
    return new JdbcColumn("at", kind, nativeType, fraction, Nulls.POSSIBLE);
  }

  private static JdbcColumn instant(String nativeType) {
    return column(Kind.INSTANT, nativeType, 6);
  }

  private static JdbcColumn local(String nativeType) {
    return column(Kind.LOCAL_TIMESTAMP, nativeType, 6);
  }

  private static JdbcColumn text() {
    return column(Kind.TEXT, "varchar", 0);
  }

  @Test
  void literals_areOfTheColumnsOwnType() {
    assertThat(dialect("h2").literal(instant("timestamp with time zone"), INSTANT))
        .isEqualTo("TIMESTAMP WITH TIME ZONE '2026-06-01 10:00:00.123456+00:00'");
    assertThat(dialect("postgresql").literal(instant("timestamptz"), INSTANT))
        .isEqualTo("TIMESTAMPTZ '2026-06-01 10:00:00.123456+00'");
    assertThat(dialect("mariadb").literal(instant("timestamp"), INSTANT))
        .isEqualTo("TIMESTAMP '2026-06-01 10:00:00.123456'");
    assertThat(dialect("sqlserver").literal(instant("datetimeoffset"), INSTANT))
        .isEqualTo("CAST('2026-06-01T10:00:00.123456+00:00' AS datetimeoffset(7))");
    assertThat(dialect("oracle").literal(instant("timestamp with time zone"), INSTANT))
        .isEqualTo("TIMESTAMP '2026-06-01 10:00:00.123456 +00:00'");
    assertThat(dialect("postgresql").literal(local("timestamp"), LOCAL))
        .isEqualTo("TIMESTAMP '2026-06-01 10:00:00.123456'");
    assertThat(dialect("postgresql").literal(column(Kind.DATE, "date", 0), DAY))
        .isEqualTo("DATE '0001-01-01'");
    assertThat(dialect("sqlserver").literal(column(Kind.DATE, "date", 0), DAY))
        .isEqualTo("CAST('0001-01-01' AS date)");
    assertThat(dialect("oracle").literal(column(Kind.OTHER, "number", 0), Watermark.of(-5)))
        .isEqualTo("-5");
  }

  @Test
  void literals_ofSqlServersDatetime_areOfItsSteps() {
    SqlDialect dialect = dialect("sqlserver");

    assertThat(dialect.literal(local("datetime2"), LOCAL))
        .isEqualTo("CAST('2026-06-01T10:00:00.123456' AS datetime2(7))");
    assertThat(dialect.literal(local("datetime"), LOCAL))
        .isEqualTo("CAST(CAST('2026-06-01T10:00:00.123456' AS datetime2(7)) AS datetime)");
    assertThat(
            dialect.literal(
                local("datetime"), Watermark.at(LocalDateTime.parse("0001-01-01T00:00:00"))))
        .as("before the first that there is")
        .isEqualTo("CAST(CAST('1753-01-01T00:00:00.000000' AS datetime2(7)) AS datetime)");
    assertThat(dialect.literal(local("smalldatetime"), LOCAL))
        .isEqualTo("CAST(CAST('2026-06-01T10:00:00.000000' AS datetime2(7)) AS smalldatetime)");
  }

  @Test
  void comparisons_withSteps_loseNoRow() {
    SqlDialect dialect = dialect("sqlserver");

    assertThat(dialect.compared(local("datetime"), "[at]", Comparison.ABOVE, LOCAL))
        .isEqualTo("[at] >= CAST(CAST('2026-06-01T10:00:00.123456' AS datetime2(7)) AS datetime)");
    assertThat(dialect.compared(local("datetime2"), "[at]", Comparison.ABOVE, LOCAL))
        .isEqualTo("[at] > CAST('2026-06-01T10:00:00.123456' AS datetime2(7))");
    assertThat(dialect.compared(text(), "[code]", Comparison.ABOVE, Watermark.of("a ")))
        .isEqualTo("[code] COLLATE Latin1_General_100_BIN2 >= N'a '");
  }

  @Test
  void comparisons_ofFinerColumns_areThoseOfWhatIsCut() {
    JdbcColumn finer = column(Kind.LOCAL_TIMESTAMP, "timestamp", 9);
    SqlDialect oracle = dialect("oracle");
    String now = "TIMESTAMP '2026-06-01 10:00:00.123456'";
    String next = "TIMESTAMP '2026-06-01 10:00:00.123457'";

    assertThat(oracle.compared(finer, "\"AT\"", Comparison.AT_LEAST, LOCAL))
        .isEqualTo("\"AT\" >= " + now);
    assertThat(oracle.compared(finer, "\"AT\"", Comparison.ABOVE, LOCAL))
        .isEqualTo("\"AT\" >= " + next);
    assertThat(oracle.compared(finer, "\"AT\"", Comparison.AT_MOST, LOCAL))
        .isEqualTo("\"AT\" < " + next);
    assertThat(oracle.compared(finer, "\"AT\"", Comparison.BELOW, LOCAL))
        .isEqualTo("\"AT\" < " + now);
    assertThat(oracle.compared(finer, "\"AT\"", Comparison.EQUAL, LOCAL))
        .isEqualTo("\"AT\" >= " + now + " AND \"AT\" < " + next);
    assertThat(
            dialect("sqlserver")
                .compared(
                    column(Kind.INSTANT, "datetimeoffset", 7), "[at]", Comparison.AT_MOST, INSTANT))
        .isEqualTo("[at] < CAST('2026-06-01T10:00:00.123457+00:00' AS datetimeoffset(7))");
  }

  @Test
  void text_isALiteralOfAnySqlMode_andOrderedByCodePoints() {
    assertThat(dialect("postgresql").compared(text(), "\"code\"", Comparison.ABOVE, QUOTE))
        .isEqualTo("\"code\" COLLATE \"C\" > E'O''Brien\\\\'");
    assertThat(dialect("mysql").compared(text(), "`code`", Comparison.ABOVE, QUOTE))
        .isEqualTo("CAST(CONVERT(`code` USING utf8mb4) AS BINARY) > X'4F27427269656E5C'");
    assertThat(dialect("h2").compared(text(), "\"code\"", Comparison.ABOVE, QUOTE))
        .isEqualTo("CAST(\"code\" AS VARBINARY) > X'4F27427269656E5C'");
    assertThat(dialect("oracle").compared(text(), "\"CODE\"", Comparison.AT_MOST, QUOTE))
        .isEqualTo(
            "NLSSORT(\"CODE\", 'NLS_SORT=BINARY') <= NLSSORT('O''Brien\\', 'NLS_SORT=BINARY')");
    assertThat(dialect("sqlserver").textLiteral("O'Brien")).isEqualTo("N'O''Brien'");
  }

  @Test
  void rowVersions_areReadAsNumbersAndComparedAsBytes() {
    SqlDialect dialect = dialect("sqlserver");
    JdbcColumn version = column(dialect.kindOf(Types.BINARY, "timestamp"), "timestamp", 0);

    assertThat(version.kind()).isEqualTo(Kind.ROW_VERSION);
    assertThat(dialect.transported(version, "[rv]")).isEqualTo("CAST([rv] AS bigint)");
    assertThat(dialect.compared(version, "[rv]", Comparison.ABOVE, Watermark.of(2001)))
        .isEqualTo("[rv] > CAST(CAST(2001 AS bigint) AS binary(8))");
    assertThat(dialect.lowestOpenRowVersion())
        .contains("SELECT CAST(MIN_ACTIVE_ROWVERSION() AS bigint)");
  }

  @Test
  void oraclesDate_isATimestampAndComparedAsADate() {
    SqlDialect dialect = dialect("oracle");
    JdbcColumn date = column(dialect.kindOf(Types.TIMESTAMP, "date"), "date", 0);

    assertThat(date.kind()).isEqualTo(Kind.LOCAL_TIMESTAMP);
    assertThat(dialect.transported(date, "\"D\""))
        .isEqualTo("TRIM(TO_CHAR(\"D\", 'SYYYY-MM-DD\"T\"HH24:MI:SS'))");
    assertThat(dialect.compared(date, "\"D\"", Comparison.AT_LEAST, LOCAL))
        .isEqualTo("\"D\" >= TO_DATE('2026-06-01 10:00:00', 'YYYY-MM-DD HH24:MI:SS')");
  }

  @Test
  void times_travelAsText() {
    assertThat(dialect("h2").transported(instant("timestamp with time zone"), "\"at\""))
        .isEqualTo("REPLACE(CAST(\"at\" AT TIME ZONE 'UTC' AS VARCHAR(40)), '+00', 'Z')");
    assertThat(dialect("mariadb").transported(instant("timestamp"), "`at`"))
        .isEqualTo("CONCAT(CAST(`at` AS CHAR), 'Z')");
    assertThat(dialect("sqlserver").transported(instant("datetimeoffset"), "[at]"))
        .isEqualTo(
            "CONVERT(varchar(33), CAST(SWITCHOFFSET([at], '+00:00') AS datetime2(7)), 126) + 'Z'");
    assertThat(dialect("oracle").transported(instant("timestamp with time zone"), "\"AT\""))
        .isEqualTo(
            "TRIM(TO_CHAR(SYS_EXTRACT_UTC(\"AT\"), 'SYYYY-MM-DD\"T\"HH24:MI:SS.FF9')) || 'Z'");
    assertThat(dialect("oracle").transported(column(Kind.OTHER, "number", 0), "\"N\""))
        .isEqualTo("\"N\"");
  }

  @Test
  void types_areWhatTheDatabaseMeansByThem() {
    assertThat(dialect("mariadb").kindOf(Types.TIMESTAMP, "timestamp")).isEqualTo(Kind.INSTANT);
    assertThat(dialect("mariadb").kindOf(Types.TIMESTAMP, "datetime"))
        .isEqualTo(Kind.LOCAL_TIMESTAMP);
    assertThat(dialect("mariadb").kindOf(Types.DATE, "year")).isEqualTo(Kind.OTHER);
    assertThat(dialect("sqlserver").kindOf(-155, "datetimeoffset")).isEqualTo(Kind.INSTANT);
    assertThat(dialect("oracle").kindOf(-102, "timestamp with local time zone"))
        .isEqualTo(Kind.INSTANT);
    assertThat(dialect("postgresql").kindOf(Types.TIMESTAMP, "timestamp"))
        .isEqualTo(Kind.LOCAL_TIMESTAMP);
    assertThat(dialect("h2").kindOf(Types.TIMESTAMP_WITH_TIMEZONE, "timestamp with time zone"))
        .isEqualTo(Kind.INSTANT);
    assertThat(dialect("h2").kindOf(Types.VARCHAR, "character varying")).isEqualTo(Kind.TEXT);
    assertThat(dialect("sqlserver").fraction("datetime", 7)).isEqualTo(3);
  }

  @Test
  void firstRows_areLimitedInEachMakesWay() {
    assertThat(dialect("h2").first(3, "a", "FROM t", " ORDER BY a"))
        .isEqualTo("SELECT a FROM t ORDER BY a LIMIT 3");
    assertThat(dialect("sqlserver").first(3, "a", "FROM t", " ORDER BY a"))
        .isEqualTo("SELECT TOP (3) a FROM t ORDER BY a");
    assertThat(dialect("oracle").first(3, "a", "FROM t", " ORDER BY a"))
        .isEqualTo("SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS ONLY");
  }

  @Test
  void sessions_beginAsTheyMust() {
    assertThat(dialect("h2").sessionStart(Optional.empty())).isEmpty();
    assertThat(dialect("postgresql").sessionStart(Optional.of(JdbcIsolation.REPEATABLE_READ)))
        .isEqualTo("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    assertThat(dialect("mariadb").sessionStart(Optional.empty()))
        .isEqualTo("SET time_zone = '+00:00', sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')");
    assertThat(dialect("mysql").sessionStart(Optional.of(JdbcIsolation.REPEATABLE_READ)))
        .isEqualTo("SET time_zone = '+00:00', transaction_isolation = 'REPEATABLE-READ'");
    assertThat(dialect("sqlserver").sessionStart(Optional.of(JdbcIsolation.SNAPSHOT)))
        .isEqualTo("SET TRANSACTION ISOLATION LEVEL SNAPSHOT");
    assertThat(dialect("oracle").sessionStart(Optional.of(JdbcIsolation.SERIALIZABLE)))
        .isEqualTo("ALTER SESSION SET ISOLATION_LEVEL = SERIALIZABLE");
    assertThatThrownBy(() -> dialect("h2").sessionStart(Optional.of(JdbcIsolation.SNAPSHOT)))
        .hasMessage(
            "Cannot isolate at SNAPSHOT: only SQL Server calls it so. Say REPEATABLE_READ.");
  }

  @Test
  void names_areQuoted_orRefused() {
    assertThat(dialect("mysql").quoted("a`b")).isEqualTo("`a``b`");
    assertThat(dialect("sqlserver").quoted("a]b")).isEqualTo("[a]]b]");
    assertThat(dialect("oracle").quoted("a\"b")).isEqualTo("\"a\"\"b\"");
    assertThat(dialect("h2").requireName("sales.\"Order Lines\""))
        .isEqualTo("sales.\"Order Lines\"");
    assertThat(dialect("sqlserver").requireName("[sales].[Order]]s]"))
        .isEqualTo("[sales].[Order]]s]");
    assertThatThrownBy(() -> dialect("h2").requireName("orders; DROP TABLE orders"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot read table 'orders; DROP TABLE orders': it is no name. Quote its parts as the"
                + " database does, such as \"Order Lines\", or name a query instead.");
    assertThatThrownBy(() -> dialect("h2").requireName("\"a\" -- \""))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aDatabaseOfAnotherMake_isRefused() {
    assertThatThrownBy(() -> dialect("db2"))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read orders: the database is of make 'db2', whose SQL is not known. Known are"
                + " h2, postgresql, mariadb, mysql, sqlserver and oracle. Any other that Spark reads"
                + " can be read with QuerySource.");
  }
}
