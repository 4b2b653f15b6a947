package io.strandline.spark.target;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.target.Deletes;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.jspecify.annotations.Nullable;

/** A declared condition as a column over certain rows, once it is known to fit them. */
final class RowCondition {
  private final Deletes.Condition condition;
  private final ColumnNames names;
  private final String task;
  private final String subject;

  /**
   * Makes a condition that is still to be checked.
   *
   * @param task what cannot be done if it does not fit
   * @param subject what the condition says, as in "deletes are told by"
   */
  RowCondition(Deletes.Condition condition, ColumnNames names, String task, String subject) {
    this.condition = condition;
    this.names = names;
    this.task = task;
    this.subject = subject;
  }

  /**
   * Returns whether rows fulfill the condition; never null.
   *
   * @throws Problem of kind {@code BAD_CONFIGURATION} if it does not fit the rows
   */
  Column over(Dataset<Row> rows) {
    Column column = column(rows);

    try {
      DataType type = rows.select(column).schema().fields()[0].dataType();

      if (!(type instanceof BooleanType)) {
        throw unusable("it is " + sql(type) + ", no condition", null);
      }
    } catch (Exception e) {
      // Spark throws the exception of its analysis without declaring it.
      if (e instanceof AnalysisException told) {
        throw unusable(
            told.getSimpleMessage().lines().findFirst().orElse("").replaceAll("\\.$", ""), told);
      }

      throw e;
    }

    return coalesce(column, lit(false));
  }

  private Column column(Dataset<Row> rows) {
    if (condition instanceof Deletes.Never) {
      return lit(false);
    }

    if (condition instanceof Deletes.SqlCondition sql) {
      try {
        return expr(sql.sqlCondition());
      } catch (RuntimeException e) {
        throw unusable("it is no SQL", e);
      }
    }

    Deletes.ColumnEquals equals = (Deletes.ColumnEquals) condition;
    StructField field =
        names.find(equals.column(), rows.schema()).orElseThrow(() -> absent(equals, rows));

    if (!fits(equals.value(), field.dataType())) {
      throw unusable("column '" + field.name() + "' is " + sql(field.dataType()), null);
    }

    return Columns.col(field.name()).equalTo(lit(equals.value()));
  }

  private Problem absent(Deletes.ColumnEquals equals, Dataset<Row> rows) {
    List<String> columns = List.of(rows.columns());
    return new Problem(
        ProblemKind.BAD_CONFIGURATION,
        task,
        subject + " " + condition + ", and there is no column '" + equals.column() + "'",
        "The columns are: "
            + String.join(", ", columns)
            + "."
            + Columns.nearMiss(equals.column(), columns));
  }

  private static boolean fits(Object value, DataType type) {
    return (value instanceof Boolean && type instanceof BooleanType)
        || (value instanceof String && type instanceof StringType)
        || ((value instanceof Long || value instanceof BigDecimal) && type instanceof NumericType);
  }

  private static String sql(DataType type) {
    return type.sql().toLowerCase(Locale.ROOT);
  }

  private Problem unusable(String reason, @Nullable Exception cause) {
    return new Problem(
        ProblemKind.BAD_CONFIGURATION,
        task,
        subject + " " + condition + ", and " + reason,
        "Correct the condition.",
        cause);
  }
}
