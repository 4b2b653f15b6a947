package io.strandline.spark.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.io.BaseEncoding;
import java.time.Instant;
import java.util.Optional;

/** MariaDB and MySQL, whose times have up to six digits; sessions are in UTC. */
final class MariaDbSql extends SqlDialect {
  private final String make;

  MariaDbSql(String make) {
    this.make = make;
  }

  @Override
  String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }

  @Override
  String quotedForm() {
    return "`([^`]|``)+`";
  }

  @Override
  JdbcColumn.Kind kindOf(int jdbcType, String nativeType) {
    return switch (nativeType) {
      case "timestamp" -> JdbcColumn.Kind.INSTANT;
      case "datetime" -> JdbcColumn.Kind.LOCAL_TIMESTAMP;
      case "year" -> JdbcColumn.Kind.OTHER;
      default -> super.kindOf(jdbcType, nativeType);
    };
  }

  @Override
  String transported(JdbcColumn column, String value) {
    return switch (column.kind()) {
      case INSTANT -> "CONCAT(CAST(" + value + " AS CHAR), 'Z')";
      case LOCAL_TIMESTAMP, DATE -> "CAST(" + value + " AS CHAR)";
      case ROW_VERSION, TEXT, OTHER -> value;
    };
  }

  /** Bytes of UTF-8 are ordered like the code points that they stand for, and not padded. */
  @Override
  String byCodePoints(String text) {
    return "CAST(CONVERT(" + text + " USING utf8mb4) AS BINARY)";
  }

  @Override
  String textLiteral(String text) {
    return "X'" + BaseEncoding.base16().encode(text.getBytes(UTF_8)) + "'";
  }

  /** The session is in UTC, and so is what a column of this type shows. */
  @Override
  String instantLiteral(JdbcColumn column, Instant value) {
    return "TIMESTAMP '" + utc(value) + "'";
  }

  @Override
  String clock() {
    return "SELECT CAST(UTC_TIMESTAMP(6) AS CHAR)";
  }

  /**
   * Starts are kept in whole seconds of the system's zone, and a transaction is known only once it
   * touches a table, a moment after the statement that does so began: hence the second.
   */
  @Override
  Optional<String> openTransactions() {
    return Optional.of(
        "SELECT 1, CAST(CONVERT_TZ(MIN(trx_started), 'SYSTEM', '+00:00') - INTERVAL 1 SECOND AS"
            + " CHAR) FROM information_schema.innodb_trx"
            + " WHERE trx_mysql_thread_id <> CONNECTION_ID()");
  }

  /**
   * Spark has no dialect for addresses that begin with jdbc:mariadb, and quotes names as the
   * standard does, which MariaDB takes for text unless it is told.
   */
  @Override
  String sessionStart(Optional<JdbcIsolation> isolation) {
    StringBuilder sql = new StringBuilder("SET time_zone = '+00:00'");

    if (make.equals("mariadb")) {
      sql.append(", sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')");
    }

    isolation.ifPresent(
        level -> {
          refuseSnapshot(level);
          sql.append(make.equals("mariadb") ? ", tx_isolation = '" : ", transaction_isolation = '")
              .append(level.sql().replace(' ', '-'))
              .append("'");
        });
    return sql.toString();
  }
}
