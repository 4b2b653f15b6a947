package io.strandline.spark.source;

import java.time.Instant;
import java.util.Optional;

/** PostgreSQL, whose times have six digits. */
final class PostgreSql extends SqlDialect {
  private static final String ISO = "'YYYY-MM-DD HH24:MI:SS.US'";

  @Override
  JdbcColumn.Kind kindOf(int jdbcType, String nativeType) {
    return nativeType.equals("timestamptz")
        ? JdbcColumn.Kind.INSTANT
        : super.kindOf(jdbcType, nativeType);
  }

  /** What no calendar has, such as infinity, is given as it is, so that reading it fails. */
  @Override
  String transported(JdbcColumn column, String value) {
    return switch (column.kind()) {
      case INSTANT ->
          orAsItIs(value, "to_char(" + value + " AT TIME ZONE 'UTC', " + ISO + ") || 'Z'");
      case LOCAL_TIMESTAMP -> orAsItIs(value, "to_char(" + value + ", " + ISO + ")");
      case DATE -> orAsItIs(value, "to_char(" + value + ", 'YYYY-MM-DD')");
      case ROW_VERSION, TEXT, OTHER -> value;
    };
  }

  private static String orAsItIs(String value, String text) {
    return "CASE WHEN isfinite("
        + value
        + ") AND "
        + value
        + " >= '0001-01-01' THEN "
        + text
        + " ELSE CAST("
        + value
        + " AS text) END";
  }

  @Override
  String byCodePoints(String text) {
    return text + " COLLATE \"C\"";
  }

  /** Whatever the session says of backslashes, they are doubled in this form. */
  @Override
  String textLiteral(String text) {
    return "E" + quotedText(text.replace("\\", "\\\\"));
  }

  @Override
  String instantLiteral(JdbcColumn column, Instant value) {
    return "TIMESTAMPTZ '" + utc(value) + "+00'";
  }

  @Override
  String clock() {
    return "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', " + ISO + ")";
  }

  /**
   * Not to be told on a replica, of prepared transactions, whose start is not kept, and where the
   * user may not see the sessions of others.
   */
  @Override
  Optional<String> openTransactions() {
    return Optional.of(
        "SELECT CASE WHEN pg_is_in_recovery()"
            + " OR EXISTS (SELECT 1 FROM pg_prepared_xacts WHERE database = current_database())"
            + " OR COALESCE(bool_or(query = '<insufficient privilege>'), false)"
            + " THEN 0 ELSE 1 END, to_char(MIN(xact_start) AT TIME ZONE 'UTC', "
            + ISO
            + ") FROM pg_stat_activity"
            + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            + " AND COALESCE(backend_type, '') <> 'autovacuum worker'");
  }
}
