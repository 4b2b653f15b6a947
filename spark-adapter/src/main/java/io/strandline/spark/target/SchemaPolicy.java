package io.strandline.spark.target;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

/**
 * What a target does when the columns of the cleaned rows are not those of its table.
 *
 * <p>Columns are compared by name, and so are the fields of structs, at any depth; what is said of
 * columns here holds for fields too. Another order, and upper or lower case where the session takes
 * them for the same, are no differences. Columns that the table fills by itself (generated columns,
 * identities, defaults) may be missing under every policy, and are left to the table.
 *
 * <p>Always refused are a type that is neither wider nor narrower, a missing column that must have
 * a value, and a difference inside the keys of a map. What is refused is refused before anything is
 * written.
 *
 * <p>What the table needs is done to it just before the rows are committed, in a commit of its own
 * that changes no rows, and only if rows are committed. A run that dies in between leaves a table
 * with a column more, or a wider one, and nothing else; the next run goes on from there.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * <pre>{@code
 * DeltaMergeTarget.forName(spark, "silver_orders")
 *     .matchedOn("order_id")
 *     .onSchemaDrift(
 *         SchemaPolicy.strict()
 *             .newColumns(NewColumns.ADD)
 *             .missingColumns(MissingColumns.KEEP)
 *             .widerTypes(WiderTypes.WIDEN));
 * }</pre>
 */
public final class SchemaPolicy {
  private static final SchemaPolicy STRICT =
      new SchemaPolicy(NewColumns.FAIL, MissingColumns.FAIL, WiderTypes.FAIL);

  private final NewColumns newColumns;
  private final MissingColumns missingColumns;
  private final WiderTypes widerTypes;

  private SchemaPolicy(
      NewColumns newColumns, MissingColumns missingColumns, WiderTypes widerTypes) {
    this.newColumns = newColumns;
    this.missingColumns = missingColumns;
    this.widerTypes = widerTypes;
  }

  /** What becomes of a column that the rows have and the table has not. */
  public enum NewColumns {
    /** The load fails. */
    FAIL,
    /** The table gets it, at the end; rows that are stored already hold null. */
    ADD,
    /**
     * It is left out. A column that the target's declaration names cannot be, such as a key; the
     * load fails then.
     */
    IGNORE
  }

  /** What becomes of a column that the table has and the rows have not. */
  public enum MissingColumns {
    /** The load fails. */
    FAIL,
    /**
     * Stored values are kept and not compared; a row that is new holds null. A field that is
     * missing inside of an array or a map cannot be kept, since elements have no key: it holds null
     * where the row is written. A history takes the value from the event before; an overwrite keeps
     * nothing, since its rows replace others.
     */
    KEEP
  }

  /** What becomes of a type that holds all values of the other one, and more. */
  public enum WiderTypes {
    /** The load fails. */
    FAIL,
    /**
     * A column of the table becomes as wide as that of the rows, where Delta's type widening can do
     * it: whole numbers to larger ones, to doubles and to decimals, floats to doubles, decimals to
     * larger ones, dates to timestamps without a zone. The table's property {@code
     * delta.enableTypeWidening} is switched on for that. Rows whose column is narrower than that of
     * the table are cast, which loses nothing.
     */
    WIDEN
  }

  /** Returns the policy of a target that is told nothing: every difference fails the load. */
  public static SchemaPolicy strict() {
    return STRICT;
  }

  /**
   * Says what becomes of new columns.
   *
   * @param policy add, ignore or fail
   * @return the policy
   */
  public SchemaPolicy newColumns(NewColumns policy) {
    return new SchemaPolicy(requireNonNull(policy, "policy"), missingColumns, widerTypes);
  }

  /**
   * Says what becomes of missing columns.
   *
   * @param policy keep or fail
   * @return the policy
   */
  public SchemaPolicy missingColumns(MissingColumns policy) {
    return new SchemaPolicy(newColumns, requireNonNull(policy, "policy"), widerTypes);
  }

  /**
   * Says what becomes of wider types.
   *
   * @param policy widen or fail
   * @return the policy
   */
  public SchemaPolicy widerTypes(WiderTypes policy) {
    return new SchemaPolicy(newColumns, missingColumns, requireNonNull(policy, "policy"));
  }

  NewColumns newColumns() {
    return newColumns;
  }

  MissingColumns missingColumns() {
    return missingColumns;
  }

  WiderTypes widerTypes() {
    return widerTypes;
  }

  /** Returns what becomes of each kind of difference. */
  @Override
  public String toString() {
    return "new columns "
        + word(newColumns)
        + ", missing columns "
        + word(missingColumns)
        + ", wider types "
        + word(widerTypes);
  }

  private static String word(Enum<?> policy) {
    return policy.name().toLowerCase(Locale.ROOT);
  }
}
