package io.strandline.spark.clean;

import static io.strandline.spark.internal.Columns.col;
import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.concat_ws;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.when;

import io.strandline.clean.Cleaned;
import io.strandline.clean.Cleaner;
import io.strandline.clean.Severity;
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
  private static final String RAW = Cleaned.RAW_COLUMN;
  private static final String WARNED = Cleaned.WARNED_COLUMN;
  private static final String FAILED = Cleaned.FAILED_COLUMN;
  private static final String REASON = Reading.REASON_COLUMN;
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
   * @throws IllegalArgumentException if another check has that message
   */
  public DeclaredCleaner check(String sqlCondition, String message) {
    return check(sqlCondition, message, Severity.REJECT);
  }

  /**
   * Checks a condition.
   *
   * @param sqlCondition the condition over the cleaned columns, in Spark's SQL; a row for which it
   *     is unknown passes
   * @param message the reason in the quarantine, the warning, or the error
   * @param severity what happens to rows that do not fulfill it
   * @return a cleaner with that check
   * @throws IllegalArgumentException if another check has that message
   */
  public DeclaredCleaner check(String sqlCondition, String message, Severity severity) {
    if (checks.stream().anyMatch(check -> check.message().equalsIgnoreCase(message))) {
      throw new IllegalArgumentException(
          "Cannot check twice with the message '" + message + "'; case makes no difference.");
    }

    List<Check> more = new ArrayList<>(checks);
    more.add(new Check(sqlCondition, message, severity));
    return new DeclaredCleaner(columns, more);
  }

  /** Cleans rows; those that do not fit are left out. */
  @Override
  public Dataset<Row> clean(Dataset<Row> rows) {
    return flagged(rows).where(col(REASON).equalTo("")).select(fieldsOf(CLEAN));
  }

  /**
   * Cleans rows and keeps those apart that do not fit. The accepted ones carry the reserved columns
   * of {@link Cleaned}; of rows that carry a raw row already, as from a cleaner before this one,
   * that is the one that counts.
   */
  @Override
  public Cleaned<Dataset<Row>> separate(Dataset<Row> rows) {
    Dataset<Row> flagged = flagged(rows);
    List<Column> accepted = new ArrayList<>(List.of(fieldsOf(CLEAN), col(RAW)));
    List<Column> rejected = new ArrayList<>(List.of(fieldsOf(RAW), col(REASON)));

    if (has(flagged, WARNED)) {
      accepted.add(col(WARNED));
    }

    if (has(flagged, FAILED)) {
      rejected.add(col(FAILED));
    }

    return new Cleaned<>(
        flagged.where(col(REASON).equalTo("")).select(accepted.toArray(Column[]::new)),
        List.of(flagged.where(col(REASON).notEqual("")).select(rejected.toArray(Column[]::new))));
  }

  /**
   * Cleans the key columns, and rejects rows for them alone, so that no other column makes a row
   * look as if it were gone. Other columns are null where they do not fit.
   */
  @Override
  public Dataset<Row> cleanKeys(Dataset<Row> rows, List<String> keys) {
    List<DeclaredColumn> keyColumns =
        columns.stream()
            .filter(column -> keys.stream().anyMatch(column.name()::equalsIgnoreCase))
            .toList();
    return keyColumns.isEmpty()
        ? clean(rows)
        : flagged(rows, keyColumns).where(col(REASON).equalTo("")).select(fieldsOf(CLEAN));
  }

  private static Column fieldsOf(String struct) {
    return functions.col(struct + ".*");
  }

  private static boolean has(Dataset<Row> rows, String column) {
    return List.of(rows.columns()).contains(column);
  }

  private Dataset<Row> flagged(Dataset<Row> rows) {
    return checked(flagged(rows, columns), has(rows, WARNED));
  }

  /**
   * Puts raw row, cleaned row and reasons side by side; the reason is empty if there is none.
   *
   * @param rows the rows
   * @param deciding the columns for which a row is rejected
   */
  private Dataset<Row> flagged(Dataset<Row> rows, List<DeclaredColumn> deciding) {
    List<Column> values = new ArrayList<>();
    List<Column> reasons = new ArrayList<>();

    for (DeclaredColumn column : columns) {
      DataType type = sourceType(rows, column);
      values.add(column.value(type).as(column.name()));

      if (deciding.contains(column)) {
        reasons.add(column.reason(type));
      }
    }

    Column raw =
        has(rows, RAW)
            ? col(RAW)
            : struct(
                Arrays.stream(rows.columns())
                    .filter(name -> !name.equals(WARNED))
                    .map(Columns::col)
                    .toArray(Column[]::new));
    List<Column> flagged =
        new ArrayList<>(
            List.of(
                raw.as(RAW),
                struct(values.toArray(new Column[0])).as(CLEAN),
                concat_ws("; ", reasons.toArray(new Column[0])).as(REASON)));

    if (has(rows, WARNED)) {
      flagged.add(col(WARNED));
    }

    return rows.select(flagged.toArray(Column[]::new));
  }

  /** Checks see the cleaned columns by their own names, and only rows that fit so far. */
  private Dataset<Row> checked(Dataset<Row> flagged, boolean isWarned) {
    if (checks.isEmpty()) {
      return flagged;
    }

    List<Column> open =
        new ArrayList<>(List.of(fieldsOf(CLEAN), col(RAW), col(CLEAN), col(REASON)));
    List<Column> reasons = new ArrayList<>(List.of(when(col(REASON).notEqual(""), col(REASON))));
    List<Column> warned = new ArrayList<>();
    List<Column> failed = new ArrayList<>();

    if (isWarned) {
      open.add(col(WARNED));
      warned.add(fieldsOf(WARNED));
    }

    for (Check check : checks) {
      Column isBroken =
          col(REASON)
              .equalTo("")
              .and(coalesce(expr(check.sqlCondition()), lit(true)).equalTo(false));

      if (check.severity() == Severity.WARN) {
        warned.add(isBroken.as(check.message()));
      } else {
        reasons.add(when(isBroken, lit(check.message())));
      }

      if (check.severity() == Severity.FAIL) {
        failed.add(isBroken.as(check.message()));
      }
    }

    List<Column> checked =
        new ArrayList<>(
            List.of(
                col(RAW), col(CLEAN), concat_ws("; ", reasons.toArray(new Column[0])).as(REASON)));

    if (!warned.isEmpty()) {
      checked.add(struct(warned.toArray(new Column[0])).as(WARNED));
    }

    if (!failed.isEmpty()) {
      checked.add(struct(failed.toArray(new Column[0])).as(FAILED));
    }

    return flagged.select(open.toArray(Column[]::new)).select(checked.toArray(Column[]::new));
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
