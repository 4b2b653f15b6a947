package io.strandline.spark.source;

import static org.apache.spark.sql.functions.lit;

import io.strandline.spark.internal.Columns;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;

/**
 * One watermark column, or the one watermark expression, with comparisons that keep Spark able to
 * skip files.
 *
 * <p>Immutable.
 *
 * @param name the name as the rows have it, or the expression's text
 * @param column the column
 * @param type its type
 * @param kind the kind of its values
 */
record CursorField(String name, Column column, DataType type, WatermarkKind kind) {

  Column above(Watermark value) {
    return compare(Comparison.ABOVE, value);
  }

  Column atLeast(Watermark value) {
    return compare(Comparison.AT_LEAST, value);
  }

  Column equalTo(Watermark value) {
    return compare(Comparison.EQUAL, value);
  }

  Column atMost(Watermark value) {
    return compare(Comparison.AT_MOST, value);
  }

  Column below(Watermark value) {
    return compare(Comparison.BELOW, value);
  }

  /** Tells whether the value is the given one, also where there is none. */
  Column holds(Watermark value) {
    return column.isNotNull().and(equalTo(value));
  }

  private Column compare(Comparison comparison, Watermark value) {
    if (type instanceof DecimalType decimal && value instanceof Watermark.DecimalNumber number) {
      return compareDecimal(comparison, number.value(), decimal);
    }

    return comparison.of(column, Columns.literal(value));
  }

  /**
   * Compares with a literal of the column's own scale. A finer literal would make Spark widen the
   * column, which skips no files and can overflow.
   */
  private Column compareDecimal(Comparison comparison, BigDecimal value, DecimalType decimal) {
    BigDecimal floor = value.setScale(decimal.scale(), RoundingMode.FLOOR);
    boolean isExact = floor.compareTo(value) == 0;

    if (floor.precision() > decimal.precision()) {
      return lit(comparison.holdsForAllBeside(value.signum()));
    }

    return isExact
        ? comparison.of(column, lit(floor))
        : switch (comparison) {
          case ABOVE, AT_LEAST -> Comparison.ABOVE.of(column, lit(floor));
          case EQUAL -> lit(false);
          case AT_MOST, BELOW -> Comparison.AT_MOST.of(column, lit(floor));
        };
  }

  private enum Comparison {
    ABOVE,
    AT_LEAST,
    EQUAL,
    AT_MOST,
    BELOW;

    Column of(Column column, Column literal) {
      return switch (this) {
        case ABOVE -> column.gt(literal);
        case AT_LEAST -> column.geq(literal);
        case EQUAL -> column.equalTo(literal);
        case AT_MOST -> column.leq(literal);
        case BELOW -> column.lt(literal);
      };
    }

    /** Tells the answer for a value beyond all that the column can hold, on the sign's side. */
    private boolean holdsForAllBeside(int sign) {
      return switch (this) {
        case ABOVE, AT_LEAST -> sign < 0;
        case EQUAL -> false;
        case AT_MOST, BELOW -> sign > 0;
      };
    }
  }
}
