package io.strandline.spark.source;

import io.strandline.watermark.Watermark;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;

/**
 * SQL Server, whose datetime2 and datetimeoffset have up to seven digits, and whose datetime has
 * steps of three or four milliseconds.
 */
final class SqlServerSql extends SqlDialect {
  private static final int DATETIMEOFFSET = -155;
  private static final Set<String> STEPPED = Set.of("datetime", "smalldatetime");
  private static final LocalDateTime FIRST_DATETIME = LocalDateTime.of(1753, 1, 1, 0, 0);
  private static final LocalDateTime FIRST_SMALLDATETIME = LocalDateTime.of(1900, 1, 1, 0, 0);
  private static final LocalDateTime LAST_SMALLDATETIME = LocalDateTime.of(2079, 6, 6, 23, 59);

  @Override
  String quoted(String name) {
    return "[" + name.replace("]", "]]") + "]";
  }

  @Override
  String quotedForm() {
    return "(\\[([^\\]]|\\]\\])+\\]|\"([^\"]|\"\")+\")";
  }

  @Override
  JdbcColumn.Kind kindOf(int jdbcType, String nativeType) {
    if (jdbcType == DATETIMEOFFSET) {
      return JdbcColumn.Kind.INSTANT;
    }

    // The old name of a row version, which has nothing to do with time.
    return nativeType.equals("timestamp") || nativeType.equals("rowversion")
        ? JdbcColumn.Kind.ROW_VERSION
        : super.kindOf(jdbcType, nativeType);
  }

  @Override
  int fraction(String nativeType, int scale) {
    return STEPPED.contains(nativeType) ? 3 : scale;
  }

  @Override
  String transported(JdbcColumn column, String value) {
    return switch (column.kind()) {
      case INSTANT ->
          "CONVERT(varchar(33), CAST(SWITCHOFFSET("
              + value
              + ", '+00:00') AS datetime2(7)), 126) + 'Z'";
      case LOCAL_TIMESTAMP -> "CONVERT(varchar(33), " + value + ", 126)";
      case DATE -> "CONVERT(varchar(10), " + value + ", 23)";
      case ROW_VERSION -> "CAST(" + value + " AS bigint)";
      case TEXT, OTHER -> value;
    };
  }

  @Override
  String byCodePoints(String text) {
    return text + " COLLATE Latin1_General_100_BIN2";
  }

  @Override
  String textLiteral(String text) {
    return "N" + quotedText(text);
  }

  @Override
  String literal(JdbcColumn column, Watermark value) {
    if (column.kind() == JdbcColumn.Kind.ROW_VERSION) {
      return "CAST(CAST(" + value.text() + " AS bigint) AS binary(8))";
    }

    return value instanceof Watermark.Date date
        ? "CAST('" + day(date) + "' AS date)"
        : super.literal(column, value);
  }

  @Override
  String instantLiteral(JdbcColumn column, Instant value) {
    return "CAST('" + iso(utc(value)) + "+00:00' AS datetimeoffset(7))";
  }

  /** A value of the column's own steps, so that one that was read is found again. */
  @Override
  String localLiteral(JdbcColumn column, LocalDateTime value) {
    return switch (column.nativeType()) {
      case "datetime" ->
          "CAST("
              + datetime2(value.isBefore(FIRST_DATETIME) ? FIRST_DATETIME : value)
              + " AS datetime)";
      case "smalldatetime" -> "CAST(" + datetime2(small(value)) + " AS smalldatetime)";
      default -> datetime2(value);
    };
  }

  private static LocalDateTime small(LocalDateTime value) {
    if (value.isBefore(FIRST_SMALLDATETIME)) {
      return FIRST_SMALLDATETIME;
    }

    return value.isAfter(LAST_SMALLDATETIME)
        ? LAST_SMALLDATETIME
        : value.truncatedTo(ChronoUnit.MINUTES);
  }

  private static String datetime2(LocalDateTime value) {
    return "CAST('" + iso(text(value)) + "' AS datetime2(7))";
  }

  private static String iso(String text) {
    return text.replace(' ', 'T');
  }

  /**
   * A literal that is moved to the column's next step, and text, whose blanks at the end do not
   * count here, may equal a value that lies above it. So what is above is asked for with equals;
   * those that are not above are left out when the rows are there.
   */
  @Override
  String compared(JdbcColumn column, String value, Comparison comparison, Watermark with) {
    boolean isCoarse = STEPPED.contains(column.nativeType()) || with instanceof Watermark.Text;
    Comparison asked =
        switch (comparison) {
          case ABOVE -> isCoarse ? Comparison.AT_LEAST : comparison;
          case BELOW -> isCoarse ? Comparison.AT_MOST : comparison;
          case AT_LEAST, EQUAL, AT_MOST -> comparison;
        };
    return super.compared(column, value, asked, with);
  }

  @Override
  String first(long rows, String columns, String fromWhere, String order) {
    return "SELECT TOP (" + rows + ") " + columns + " " + fromWhere + order;
  }

  @Override
  String clock() {
    return "SELECT CONVERT(varchar(33), SYSUTCDATETIME(), 126)";
  }

  @Override
  Optional<String> lowestOpenRowVersion() {
    return Optional.of("SELECT CAST(MIN_ACTIVE_ROWVERSION() AS bigint)");
  }

  @Override
  String sessionStart(Optional<JdbcIsolation> isolation) {
    return isolation.map(level -> "SET TRANSACTION ISOLATION LEVEL " + level.sql()).orElse("");
  }
}
