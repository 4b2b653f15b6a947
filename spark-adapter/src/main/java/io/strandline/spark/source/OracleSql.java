package io.strandline.spark.source;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Oracle, whose timestamps have up to nine digits, and whose date has a time of day. */
final class OracleSql extends SqlDialect {
  private static final int TIMESTAMP_WITH_ZONE = -101;
  private static final int TIMESTAMP_WITH_LOCAL_ZONE = -102;
  private static final String ISO = "'SYYYY-MM-DD\"T\"HH24:MI:SS.FF9'";

  @Override
  JdbcColumn.Kind kindOf(int jdbcType, String nativeType) {
    if (nativeType.equals("date")) {
      return JdbcColumn.Kind.LOCAL_TIMESTAMP;
    }

    return jdbcType == TIMESTAMP_WITH_ZONE || jdbcType == TIMESTAMP_WITH_LOCAL_ZONE
        ? JdbcColumn.Kind.INSTANT
        : super.kindOf(jdbcType, nativeType);
  }

  @Override
  int fraction(String nativeType, int scale) {
    return nativeType.equals("date") ? 0 : scale;
  }

  @Override
  String transported(JdbcColumn column, String value) {
    return switch (column.kind()) {
      case INSTANT -> "TRIM(TO_CHAR(SYS_EXTRACT_UTC(" + value + "), " + ISO + ")) || 'Z'";
      case LOCAL_TIMESTAMP ->
          column.nativeType().equals("date")
              ? "TRIM(TO_CHAR(" + value + ", 'SYYYY-MM-DD\"T\"HH24:MI:SS'))"
              : "TRIM(TO_CHAR(" + value + ", " + ISO + "))";
      case DATE, ROW_VERSION, TEXT, OTHER -> value;
    };
  }

  @Override
  String byCodePoints(String text) {
    return "NLSSORT(" + text + ", 'NLS_SORT=BINARY')";
  }

  @Override
  String textLiteral(String text) {
    return byCodePoints(quotedText(text));
  }

  @Override
  String instantLiteral(JdbcColumn column, Instant value) {
    return "TIMESTAMP '" + utc(value) + " +00:00'";
  }

  /** A column of dates is compared with a date: compared with a timestamp it uses no index. */
  @Override
  String localLiteral(JdbcColumn column, LocalDateTime value) {
    return column.nativeType().equals("date")
        ? "TO_DATE('"
            + text(value.truncatedTo(ChronoUnit.SECONDS))
                .substring(0, "uuuu-MM-dd HH:mm:ss".length())
            + "', 'YYYY-MM-DD HH24:MI:SS')"
        : super.localLiteral(column, value);
  }

  @Override
  String first(long rows, String columns, String fromWhere, String order) {
    return "SELECT " + columns + " " + fromWhere + order + " FETCH FIRST " + rows + " ROWS ONLY";
  }

  @Override
  String clock() {
    return "SELECT TO_CHAR(SYS_EXTRACT_UTC(SYSTIMESTAMP), 'YYYY-MM-DD\"T\"HH24:MI:SS.FF6') FROM"
        + " DUAL";
  }

  @Override
  String sessionStart(Optional<JdbcIsolation> isolation) {
    return isolation
        .map(
            level -> {
              refuseSnapshot(level);
              return "ALTER SESSION SET ISOLATION_LEVEL = "
                  + (level == JdbcIsolation.READ_COMMITTED ? "READ COMMITTED" : "SERIALIZABLE");
            })
        .orElse("");
  }
}
