package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;

import io.strandline.watermark.Watermark;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * Writes the conditions that say which rows are new in the SQL of a database.
 *
 * <p>They are made once, as Spark's, for all sources. Here they are taken apart and written anew,
 * so that no literal is ever written by anything but the database's dialect, in no zone but UTC.
 * Immutable.
 */
final class SqlConditions {
  private static final String TRUE = "1 = 1";
  private static final String FALSE = "1 = 0";

  private final SqlDialect dialect;
  private final Dataset<Row> rows;
  private final Map<String, Place> places;

  /**
   * Where a column of the rows stands in the database.
   *
   * @param column the column
   * @param sql how it is written there
   */
  record Place(JdbcColumn column, String sql) {}

  /**
   * Makes a writer.
   *
   * @param dialect the database's SQL
   * @param rows rows of the columns that conditions are of; never computed
   * @param places where each of them stands
   */
  SqlConditions(SqlDialect dialect, Dataset<Row> rows, Map<String, Place> places) {
    this.dialect = dialect;
    this.rows = rows;
    this.places = Map.copyOf(places);
  }

  /**
   * Writes a condition.
   *
   * @param condition the condition
   * @return the SQL, which needs no parentheses around it to stand behind WHERE
   */
  String of(Column condition) {
    Filter filter =
        (Filter)
            ((org.apache.spark.sql.classic.Dataset<Row>) rows.where(condition))
                .queryExecution()
                .analyzed();
    return written(filter.condition());
  }

  private String written(Expression expression) {
    if (expression instanceof And and) {
      return and(written(and.left()), written(and.right()));
    }

    if (expression instanceof Or or) {
      return or(written(or.left()), written(or.right()));
    }

    if (expression instanceof Not not && plain(not.child()) instanceof IsNull isNull) {
      return place(isNull.child()).sql() + " IS NOT NULL";
    }

    if (expression instanceof Not not) {
      return not(written(not.child()));
    }

    if (expression instanceof IsNull isNull) {
      return place(isNull.child()).sql() + " IS NULL";
    }

    if (expression instanceof IsNotNull isNotNull) {
      return place(isNotNull.child()).sql() + " IS NOT NULL";
    }

    if (expression instanceof Literal literal && literal.value() instanceof Boolean truth) {
      return truth ? TRUE : FALSE;
    }

    if (expression instanceof BinaryComparison comparison) {
      return compared(comparison);
    }

    throw unexpected(expression);
  }

  /** Leaves out what a disjunction has beside its one real part. */
  private static Expression plain(Expression expression) {
    return expression instanceof Or or && or.left().semanticEquals(Literal.FalseLiteral())
        ? plain(or.right())
        : expression;
  }

  private static String and(String left, String right) {
    if (left.equals(FALSE) || right.equals(FALSE)) {
      return FALSE;
    }

    if (left.equals(TRUE)) {
      return right;
    }

    return right.equals(TRUE) ? left : left + " AND " + right;
  }

  private static String or(String left, String right) {
    if (left.equals(TRUE) || right.equals(TRUE)) {
      return TRUE;
    }

    if (left.equals(FALSE)) {
      return right;
    }

    return right.equals(FALSE) ? left : "(" + left + " OR " + right + ")";
  }

  private static String not(String condition) {
    if (condition.equals(TRUE)) {
      return FALSE;
    }

    return condition.equals(FALSE) ? TRUE : "NOT (" + condition + ")";
  }

  private String compared(BinaryComparison comparison) {
    Expression left = uncast(comparison.left());
    Expression right = uncast(comparison.right());
    SqlDialect.Comparison asked = comparison(comparison);
    boolean isSwapped = left instanceof Literal;
    Place place = place(isSwapped ? right : left);
    Watermark value = value(isSwapped ? left : right);
    return dialect.compared(
        place.column(), place.sql(), isSwapped ? asked.swapped() : asked, value);
  }

  private static SqlDialect.Comparison comparison(BinaryComparison comparison) {
    if (comparison instanceof GreaterThan) {
      return SqlDialect.Comparison.ABOVE;
    }

    if (comparison instanceof GreaterThanOrEqual) {
      return SqlDialect.Comparison.AT_LEAST;
    }

    if (comparison instanceof EqualTo) {
      return SqlDialect.Comparison.EQUAL;
    }

    if (comparison instanceof LessThanOrEqual) {
      return SqlDialect.Comparison.AT_MOST;
    }

    if (comparison instanceof LessThan) {
      return SqlDialect.Comparison.BELOW;
    }

    throw unexpected(comparison);
  }

  /** Spark widens numbers to compare them, which databases do by themselves. */
  private static Expression uncast(Expression expression) {
    return expression instanceof Cast cast ? uncast(cast.child()) : expression;
  }

  private Place place(Expression expression) {
    if (uncast(expression) instanceof AttributeReference attribute) {
      return requireNonNull(places.get(attribute.name()), attribute.name());
    }

    throw unexpected(expression);
  }

  private static Watermark value(Expression expression) {
    if (!(expression instanceof Literal literal) || literal.value() == null) {
      throw unexpected(expression);
    }

    DataType type = literal.dataType();
    Object value = literal.value();

    if (type instanceof TimestampType) {
      return Watermark.at(instant((Long) value));
    }

    if (type instanceof TimestampNTZType) {
      return Watermark.at(LocalDateTime.ofInstant(instant((Long) value), ZoneOffset.UTC));
    }

    if (type instanceof DateType) {
      return Watermark.on(LocalDate.ofEpochDay((Integer) value));
    }

    if (type instanceof StringType) {
      return Watermark.of(value.toString());
    }

    if (value instanceof Decimal decimal) {
      return Watermark.of(decimal.toJavaBigDecimal());
    }

    if (value instanceof Number number) {
      return Watermark.of(number.longValue());
    }

    throw unexpected(expression);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private static IllegalStateException unexpected(Expression expression) {
    return new IllegalStateException(
        "Cannot write the condition " + expression.sql() + " in the SQL of a database.");
  }
}
