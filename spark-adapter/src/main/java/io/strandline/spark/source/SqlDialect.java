package io.strandline.spark.source;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.watermark.Watermark;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How a kind of database writes what Strandline asks it: names, typed literals, comparisons, its
 * clock.
 *
 * <p>Values that come from data are only ever written as typed literals. Immutable.
 */
abstract class SqlDialect {
  private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_$#]*");
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("uuuu-MM-dd", Locale.ROOT);
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  /** How a column is compared with a value. */
  enum Comparison {
    ABOVE(">"),
    AT_LEAST(">="),
    EQUAL("="),
    AT_MOST("<="),
    BELOW("<");

    private final String sign;

    Comparison(String sign) {
      this.sign = sign;
    }

    /** Returns the comparison that says the same of two swapped sides. */
    Comparison swapped() {
      return switch (this) {
        case ABOVE -> BELOW;
        case AT_LEAST -> AT_MOST;
        case EQUAL -> EQUAL;
        case AT_MOST -> AT_LEAST;
        case BELOW -> ABOVE;
      };
    }

    String of(String left, String right) {
      return left + " " + sign + " " + right;
    }
  }

  /**
   * Finds the dialect of a database.
   *
   * @param task what the database is for, as it follows "Cannot"
   * @param url the database's JDBC address
   * @return the dialect
   * @throws Problem of kind {@code BAD_CONFIGURATION} if it is a database of another make
   */
  static SqlDialect of(String task, String url) {
    String[] parts = url.toLowerCase(Locale.ROOT).split(":", -1);
    String make = parts.length > 1 ? parts[1] : "";
    return switch (make) {
      case "h2" -> new H2Sql();
      case "postgresql" -> new PostgreSql();
      case "mariadb", "mysql" -> new MariaDbSql(make);
      case "sqlserver" -> new SqlServerSql();
      case "oracle" -> new OracleSql();
      default ->
          throw new Problem(
              ProblemKind.BAD_CONFIGURATION,
              task,
              "the database is of make '" + make + "', whose SQL is not known",
              "Known are h2, postgresql, mariadb, mysql, sqlserver and oracle. Any other that Spark"
                  + " reads can be read with QuerySource.");
    };
  }

  /** Returns a name quoted for this database. */
  String quoted(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }

  /** Returns the form of a quoted name, for {@link #requireName}. */
  String quotedForm() {
    return "\"([^\"]|\"\")+\"";
  }

  /**
   * Returns a table's name as it is written in SQL, if it is nothing but a name.
   *
   * @param name the name: parts with dots between, each plain or quoted as this database quotes
   * @throws IllegalArgumentException if it is anything else
   */
  final String requireName(String name) {
    String part = "(" + PLAIN_NAME + "|" + quotedForm() + ")";

    if (!name.matches(part + "(\\." + part + ")*")) {
      throw new IllegalArgumentException(
          "Cannot read table '"
              + name
              + "': it is no name. Quote its parts as the database does, such as "
              + quoted("Order Lines")
              + ", or name a query instead.");
    }

    return name;
  }

  /**
   * Tells what a column holds.
   *
   * @param jdbcType the type in {@link java.sql.Types}
   * @param nativeType the database's own name of the type, in lower case
   */
  JdbcColumn.Kind kindOf(int jdbcType, String nativeType) {
    return JdbcColumn.kindOf(jdbcType);
  }

  /** Returns how many digits of a second a column has, given what its driver says. */
  int fraction(String nativeType, int scale) {
    return scale;
  }

  /**
   * Returns a value in the form in which it is read: times as ISO text, points in time with a Z.
   *
   * @param column the column that the value is of
   * @param value the value in SQL
   * @return the SQL
   */
  abstract String transported(JdbcColumn column, String value);

  /** Returns text in the form that is ordered by code points. */
  abstract String byCodePoints(String text);

  /** Returns text as a literal that {@link #byCodePoints} is compared with. */
  abstract String textLiteral(String text);

  /**
   * Returns a simple watermark as a literal of a column's own type.
   *
   * @param column the column
   * @param value the value, of the column's kind; not text
   * @return the literal
   */
  String literal(JdbcColumn column, Watermark value) {
    if (value instanceof Watermark.Timestamp timestamp) {
      return instantLiteral(column, timestamp.value());
    }

    if (value instanceof Watermark.LocalTimestamp timestamp) {
      return localLiteral(column, timestamp.value());
    }

    return value instanceof Watermark.Date date
        ? "DATE '" + DAY.format(date.value()) + "'"
        : value.text();
  }

  abstract String instantLiteral(JdbcColumn column, Instant value);

  String localLiteral(JdbcColumn column, LocalDateTime value) {
    return "TIMESTAMP '" + text(value) + "'";
  }

  /**
   * Compares a column with a value exactly as the values that are read would be compared, or in a
   * way that is true of more rows, never of fewer.
   *
   * @param column the column
   * @param value the column in SQL
   * @param comparison how
   * @param with a simple watermark of the column's kind
   * @return the condition
   */
  String compared(JdbcColumn column, String value, Comparison comparison, Watermark with) {
    if (with instanceof Watermark.Text text) {
      return comparison.of(byCodePoints(value), textLiteral(text.value()));
    }

    if (!column.isFinerThanWatermarks()) {
      return comparison.of(value, literal(column, with));
    }

    String from = literal(column, with);
    String next = literal(column, oneMicrosecondAfter(with));
    return switch (comparison) {
      case ABOVE -> Comparison.AT_LEAST.of(value, next);
      case AT_LEAST -> Comparison.AT_LEAST.of(value, from);
      case EQUAL ->
          Comparison.AT_LEAST.of(value, from) + " AND " + Comparison.BELOW.of(value, next);
      case AT_MOST -> Comparison.BELOW.of(value, next);
      case BELOW -> Comparison.BELOW.of(value, from);
    };
  }

  private static Watermark oneMicrosecondAfter(Watermark value) {
    if (value instanceof Watermark.Timestamp timestamp) {
      return Watermark.at(timestamp.value().plusNanos(1000));
    }

    if (value instanceof Watermark.LocalTimestamp timestamp) {
      return Watermark.at(timestamp.value().plusNanos(1000));
    }

    throw new IllegalArgumentException("There is no microsecond after " + value.typed() + ".");
  }

  /** Returns a query that gives the first rows of another by their order. */
  String first(long rows, String columns, String fromWhere, String order) {
    return "SELECT " + columns + " " + fromWhere + order + " LIMIT " + rows;
  }

  /** Returns a query that gives the time of the database in UTC, as ISO text. */
  abstract String clock();

  /**
   * Returns a query for the transactions that are open, if the database tells.
   *
   * @return a query of one row: 1 if it can be told, else 0; and the start of the oldest in UTC, as
   *     ISO text, or null if there is none
   */
  Optional<String> openTransactions() {
    return Optional.empty();
  }

  /** Returns a query for the lowest row version that an open transaction may still write. */
  Optional<String> lowestOpenRowVersion() {
    return Optional.empty();
  }

  /**
   * Returns the statement that a session begins with.
   *
   * @return the statement; empty if there is nothing to say
   */
  String sessionStart(Optional<JdbcIsolation> isolation) {
    return isolation
        .map(
            level -> {
              refuseSnapshot(level);
              return "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " + level.sql();
            })
        .orElse("");
  }

  static void refuseSnapshot(JdbcIsolation level) {
    if (level == JdbcIsolation.SNAPSHOT) {
      throw new IllegalArgumentException(
          "Cannot isolate at SNAPSHOT: only SQL Server calls it so. Say REPEATABLE_READ.");
    }
  }

  static String day(Watermark.Date date) {
    return DAY.format(date.value());
  }

  static String text(LocalDateTime value) {
    return TIME.format(value);
  }

  static String utc(Instant value) {
    return TIME.format(value.atOffset(ZoneOffset.UTC));
  }

  static String quotedText(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
