package io.strandline.spark.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.io.BaseEncoding;
import java.time.Instant;

/** H2, whose times have up to nine digits. */
final class H2Sql extends SqlDialect {
  @Override
  String transported(JdbcColumn column, String value) {
    return switch (column.kind()) {
      case INSTANT -> "REPLACE(CAST(" + value + " AT TIME ZONE 'UTC' AS VARCHAR(40)), '+00', 'Z')";
      case LOCAL_TIMESTAMP, DATE -> "CAST(" + value + " AS VARCHAR(40))";
      case ROW_VERSION, TEXT, OTHER -> value;
    };
  }

  /** H2 itself orders by the halves of characters, in which some that are later come first. */
  @Override
  String byCodePoints(String text) {
    return "CAST(" + text + " AS VARBINARY)";
  }

  @Override
  String textLiteral(String text) {
    return "X'" + BaseEncoding.base16().encode(text.getBytes(UTF_8)) + "'";
  }

  @Override
  String instantLiteral(JdbcColumn column, Instant value) {
    return "TIMESTAMP WITH TIME ZONE '" + utc(value) + "+00:00'";
  }

  @Override
  String clock() {
    return "SELECT REPLACE(CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS VARCHAR(40)), '+00', 'Z')";
  }
}
