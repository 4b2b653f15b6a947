package io.strandline.spark.clean;

import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.concat_ws;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.when;

import io.strandline.clean.Cleaned;
import io.strandline.clean.Cleaner;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Reading;
import io.strandline.spark.internal.Columns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * A cleaner made of declared columns: the cleaned rows have exactly these, in this order.
 *
 * <p>A row that does not fit is rejected as it came, with every reason. All is done by column
 * expressions in one pass, without a function of Java. Immutable; safe for use by several threads.
 *
 * <pre>{@code
 * Cleaner<Dataset<Row>> clean =
 *     DeclaredCleaner.of(
 *             text("order_id").from("OrderID").trimmed().upperCased().required(),
 *             date("order_date").from("OrderDate").format("yyyy-MM-dd"),
 *             decimal("amount", 18, 2).from("Amount"),
 *             kept("_loaded_at"))
 *         .check("amount >= 0", "the amount is negative");
 * }</pre>
 */
public final class DeclaredCleaner implements Cleaner<Dataset<Row>> {
  private static final String RAW = "_strandline_raw";
  private static final String CLEAN = "_strandline_clean";

  private final List<DeclaredColumn> columns;
  private final List<Check> checks;

  private record Check(String sqlCondition, String message, Severity severity) {}

  private DeclaredCleaner(List<DeclaredColumn> columns, List<Check> checks) {
    this.columns = List.copyOf(columns);
    this.checks = List.copyOf(checks);
  }

  /**
   * Makes a cleaner.
   *
   * @param columns the columns of the cleaned rows, in their order
   * @return the cleaner
   * @throws IllegalArgumentException if there is no column, or one is declared twice
   */
  public static DeclaredCleaner of(DeclaredColumn... columns) {
    if (columns.length == 0) {
      throw new IllegalArgumentException("Cannot clean into no columns: declare one at least.");
    }

    Set<String> names = new HashSet<>();

    for (DeclaredColumn column : columns) {
      if (!names.add(column.name().toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "Cannot declare column '" + column.name() + "' twice; case makes no difference.");
      }
    }

    return new DeclaredCleaner(List.of(columns), List.of());
  }

  /**
   * Rejects rows that do not fulfill a condition.
   *
   * @param sqlCondition the condition over the cleaned columns, in Spark's SQL; a row for which it
   *     is unknown passes
   * @param message the reason in the quarantine
   * @return a cleaner with that check
   */
  public DeclaredCleaner check(String sqlCondition, String message) {
    return check(sqlCondition, message, Severity.REJECT);
  }

  /**
   * Checks a condition.
   *
   * @param sqlCondition the condition over the cleaned columns, in Spark's SQL; a row for which it
   *     is unknown passes
   * @param message the reason in the quarantine or in the error
   * @param severity what happens to rows that do not fulfill it
   * @return a cleaner with that check
   */
  public DeclaredCleaner check(String sqlCondition, String message, Severity severity) {
    List<Check> more = new ArrayList<>(checks);
    more.add(new Check(sqlCondition, message, severity));
    return new DeclaredCleaner(columns, more);
  }

  /** Cleans rows; those that do not fit are left out. */
  @Override
  public Dataset<Row> clean(Dataset<Row> rows) {
    return separate(rows).accepted();
  }

  @Override
  public Cleaned<Dataset<Row>> separate(Dataset<Row> rows) {
    Dataset<Row> flagged = flagged(rows);
    Column reason = Columns.col(Reading.REASON_COLUMN);
    return new Cleaned<>(
        flagged.where(reason.equalTo("")).select(fieldsOf(CLEAN)),
        List.of(flagged.where(reason.notEqual("")).select(fieldsOf(RAW), reason)));
  }

  /** Cleans the key columns alone, so that no other column makes a row look as if it were gone. */
  @Override
  public Dataset<Row> cleanKeys(Dataset<Row> rows, List<String> keys) {
    List<DeclaredColumn> keyColumns =
        columns.stream()
            .filter(column -> keys.stream().anyMatch(column.name()::equalsIgnoreCase))
            .toList();
    return keyColumns.isEmpty()
        ? clean(rows)
        : new DeclaredCleaner(keyColumns, List.of()).clean(rows);
  }

  private static Column fieldsOf(String struct) {
    return functions.col(struct + ".*");
  }

  /** Puts raw row, cleaned row and reasons side by side; the reason is empty if there is none. */
  private Dataset<Row> flagged(Dataset<Row> rows) {
    List<Column> values = new ArrayList<>();
    List<Column> reasons = new ArrayList<>();

    for (DeclaredColumn column : columns) {
      DataType type = sourceType(rows, column);
      values.add(column.value(type).as(column.name()));
      reasons.add(column.reason(type));
    }

    Column raw =
        struct(Arrays.stream(rows.columns()).map(Columns::col).toArray(Column[]::new)).as(RAW);
    Dataset<Row> cleaned =
        rows.select(
            raw,
            struct(values.toArray(new Column[0])).as(CLEAN),
            concat_ws("; ", reasons.toArray(new Column[0])).as(Reading.REASON_COLUMN));
    return checked(cleaned);
  }

  /** Checks see the cleaned columns by their own names, and only rows that fit so far. */
  private Dataset<Row> checked(Dataset<Row> flagged) {
    if (checks.isEmpty()) {
      return flagged;
    }

    Dataset<Row> open =
        flagged.select(
            fieldsOf(CLEAN),
            Columns.col(RAW),
            Columns.col(CLEAN),
            Columns.col(Reading.REASON_COLUMN));
    List<Column> reasons = new ArrayList<>();
    reasons.add(
        when(Columns.col(Reading.REASON_COLUMN).notEqual(""), Columns.col(Reading.REASON_COLUMN)));

    for (Check check : checks) {
      Column broken =
          Columns.col(Reading.REASON_COLUMN)
              .equalTo("")
              .and(coalesce(expr(check.sqlCondition()), lit(true)).equalTo(false));
      reasons.add(
          check.severity() == Severity.FAIL
              ? when(broken, raise_error(lit(check.message())).cast(DataTypes.StringType))
              : when(broken, lit(check.message())));
    }

    return open.select(
        Columns.col(RAW),
        Columns.col(CLEAN),
        concat_ws("; ", reasons.toArray(new Column[0])).as(Reading.REASON_COLUMN));
  }

  private static DataType sourceType(Dataset<Row> rows, DeclaredColumn column) {
    try {
      return rows.select(column.origin()).schema().fields()[0].dataType();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      // Spark's analysis errors are checked ones that no signature declares.
      List<String> names = List.of(rows.columns());
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "clean column '" + column.name() + "' from '" + column.originText() + "'",
          "the source has no such column; it has "
              + names.stream().map(name -> "'" + name + "'").collect(joining(", ")),
          Columns.nearMiss(column.originText(), names).strip(),
          e);
    }
  }
}
