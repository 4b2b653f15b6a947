package io.strandline.target;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Says which of the cleaned rows are deletes, and what a delete does to the row of its key.
 *
 * <p>A hard delete removes the row. What remains of it is a tombstone beside the target, so that an
 * older version which arrives later does not bring the row back; a newer one does. A soft delete
 * keeps the row and sets its flag; if it carries nothing but the key, the flag and what says which
 * version is newer, the other columns stay as they are.
 *
 * <p>Of versions that are equal in sequence and cursor a delete is the newest. Immutable.
 *
 * <pre>{@code
 * Deletes.hard("SynchDel", 1)
 * Deletes.soft("is_deleted", true)
 * Deletes.hardWhere("op = 'D' AND source <> 'archive'")
 * Deletes.ofChangeFeed()
 * }</pre>
 *
 * @param condition which rows are deletes
 * @param manner what a delete does
 * @param unstored columns that are dropped from the rows once it is known which are deletes
 */
public record Deletes(Condition condition, Manner manner, List<String> unstored) {
  private static final String CHANGE_TYPE = "_change_type";
  private static final String COMMIT_TIMESTAMP = "_commit_timestamp";

  /** Copies the list. */
  public Deletes {
    unstored = List.copyOf(unstored);
  }

  /** Which rows are deletes. */
  public sealed interface Condition {}

  /**
   * Rows with a certain value in a column; null is never that value.
   *
   * @param column the column, as it is named after cleaning
   * @param value a boolean, a whole number (held as {@code Long}), a decimal or a text
   */
  public record ColumnEquals(String column, Object value) implements Condition {
    /**
     * Checks the value.
     *
     * @throws IllegalArgumentException if the name is blank or the value is of another type
     */
    public ColumnEquals {
      if (column.isBlank()) {
        throw new IllegalArgumentException("Cannot tell deletes by column '" + column + "'.");
      }

      if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
        value = ((Number) value).longValue();
      }

      if (!(value instanceof Boolean
          || value instanceof Long
          || value instanceof BigDecimal
          || value instanceof String)) {
        throw new IllegalArgumentException(
            "Cannot tell deletes by column '"
                + column
                + "' with a value of "
                + value.getClass()
                + ": give a boolean, a whole number, a decimal or a text.");
      }
    }

    @Override
    public String toString() {
      return "'" + column + "' = " + (value instanceof String ? "'" + value + "'" : value);
    }
  }

  /**
   * Rows that fulfill a condition in the engine's SQL; null counts as false.
   *
   * @param sqlCondition the condition over the cleaned columns
   */
  public record SqlCondition(String sqlCondition) implements Condition {
    /**
     * Checks the condition.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public SqlCondition {
      if (sqlCondition.isBlank()) {
        throw new IllegalArgumentException("Cannot tell deletes by a blank condition.");
      }
    }

    @Override
    public String toString() {
      return sqlCondition;
    }
  }

  /** No row is a delete; only a sweep deletes. */
  public record Never() implements Condition {
    @Override
    public String toString() {
      return "swept";
    }
  }

  /** What a delete does. */
  public sealed interface Manner {}

  /** The row is removed. */
  public record Hard() implements Manner {
    @Override
    public String toString() {
      return "hard";
    }
  }

  /**
   * The row is kept, with a flag.
   *
   * @param flag the column that is the flag; if the cleaned rows lack it, it is made: true in
   *     deleted rows, false in all others
   */
  public record Soft(String flag) implements Manner {
    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public Soft {
      if (flag.isBlank()) {
        throw new IllegalArgumentException("Cannot flag deletes in column '" + flag + "'.");
      }
    }

    @Override
    public String toString() {
      return "soft by '" + flag + "'";
    }
  }

  /**
   * Removes the row of a key for which a row with a certain value in a column arrives.
   *
   * @param column the column, as it is named after cleaning
   * @param value the value in rows that are deletes: a boolean, a whole number, a decimal or a text
   * @return the declaration
   * @throws IllegalArgumentException if the name is blank or the value is of another type
   */
  public static Deletes hard(String column, Object value) {
    return new Deletes(new ColumnEquals(column, value), new Hard(), List.of());
  }

  /**
   * Removes the row of a key for which a row arrives that fulfills a condition.
   *
   * @param sqlCondition the condition over the cleaned columns, in the engine's SQL
   * @return the declaration
   * @throws IllegalArgumentException if the condition is blank
   */
  public static Deletes hardWhere(String sqlCondition) {
    return new Deletes(new SqlCondition(sqlCondition), new Hard(), List.of());
  }

  /**
   * Keeps the row of a key for which a row with a certain value in a column arrives; that column is
   * the flag.
   *
   * @param flag the column, as it is named after cleaning
   * @param value the value in rows that are deletes: a boolean, a whole number, a decimal or a text
   * @return the declaration
   * @throws IllegalArgumentException if the name is blank or the value is of another type
   */
  public static Deletes soft(String flag, Object value) {
    return new Deletes(new ColumnEquals(flag, value), new Soft(flag), List.of());
  }

  /**
   * Keeps the row of a key for which a row arrives that fulfills a condition, and sets its flag.
   *
   * @param sqlCondition the condition over the cleaned columns, in the engine's SQL
   * @param flag the column that is the flag; made if the cleaned rows lack it
   * @return the declaration
   * @throws IllegalArgumentException if one of them is blank
   */
  public static Deletes softWhere(String sqlCondition, String flag) {
    return new Deletes(new SqlCondition(sqlCondition), new Soft(flag), List.of());
  }

  /**
   * Removes the row of a key that a change feed reports as deleted.
   *
   * <p>The feed's own columns {@code _change_type} and {@code _commit_timestamp} are not stored;
   * {@code _commit_version} is, as it says which version of a row is newer.
   *
   * @return the declaration
   */
  public static Deletes ofChangeFeed() {
    return new Deletes(
        new ColumnEquals(CHANGE_TYPE, "delete"),
        new Hard(),
        List.of(CHANGE_TYPE, COMMIT_TIMESTAMP));
  }

  /**
   * Keeps the rows that a {@linkplain DeleteSweep sweep} finds gone, and sets their flag; no row
   * that arrives is a delete.
   *
   * @param flag the column that is the flag; made if the cleaned rows lack it
   * @return the declaration
   * @throws IllegalArgumentException if the name is blank
   */
  public static Deletes softBySweep(String flag) {
    return new Deletes(new Never(), new Soft(flag), List.of());
  }

  /**
   * Keeps the rows instead of removing them.
   *
   * @param flag the column that is the flag; made if the cleaned rows lack it
   * @return the same deletes, soft
   * @throws IllegalArgumentException if the name is blank
   */
  public Deletes softly(String flag) {
    return new Deletes(condition, new Soft(flag), unstored);
  }

  /**
   * Drops columns from the rows once it is known which are deletes, such as the operation code that
   * tells it; the target does not hold them.
   *
   * @param column the column; one that is not there is passed over
   * @param more further columns
   * @return the same deletes, without those columns
   */
  public Deletes notStoring(String column, String... more) {
    List<String> columns = new ArrayList<>(unstored);
    columns.add(column);
    columns.addAll(List.of(more));
    return new Deletes(condition, manner, columns);
  }

  /**
   * Returns what the flag is in a row that is deleted without a row that says so.
   *
   * @return the value that tells deletes, if the flag itself does; else true
   */
  public Object flagged() {
    return condition instanceof ColumnEquals equals
            && manner instanceof Soft soft
            && equals.column().equals(soft.flag())
        ? equals.value()
        : true;
  }

  /** Returns what is remembered of the declaration. */
  @Override
  public String toString() {
    return "deletes " + manner + " where " + condition;
  }
}
