package io.strandline.spark.target;

import static java.util.stream.Collectors.joining;

import io.strandline.spark.internal.Columns;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Cleaned rows held against the columns of a table, by name and never by position.
 *
 * <p>Whether a column may be null is no difference; what the table makes up by itself (generated
 * columns, identities, defaults) may be missing in the rows. Immutable.
 */
final class SchemaComparison {
  /** What Delta and Spark note at a column that is filled when a row leaves it out. */
  private static final List<String> FILLED_BY_THE_TABLE =
      List.of("delta.generationExpression", "delta.identity.start", "CURRENT_DEFAULT");

  private final Map<String, StructField> common;
  private final List<StructField> missing;
  private final List<StructField> extra;
  private final Map<StructField, StructField> retyped;

  private SchemaComparison(
      Map<String, StructField> common,
      List<StructField> missing,
      List<StructField> extra,
      Map<StructField, StructField> retyped) {
    this.common = common;
    this.missing = missing;
    this.extra = extra;
    this.retyped = retyped;
  }

  /**
   * Compares the columns of rows with those of a table.
   *
   * @param rows the columns of the rows; no two of them of one name
   * @param table the columns of the table
   * @param names the session's rule for names
   * @return the comparison
   */
  static SchemaComparison of(StructType rows, StructType table, ColumnNames names) {
    Map<String, StructField> common = new LinkedHashMap<>();
    List<StructField> extra = new ArrayList<>();
    Map<StructField, StructField> retyped = new LinkedHashMap<>();

    for (StructField row : rows.fields()) {
      Optional<StructField> column = names.find(row.name(), table);

      if (column.isEmpty()) {
        extra.add(row);
        continue;
      }

      common.put(row.name(), column.get());

      if (!isSame(row.dataType(), column.get().dataType())) {
        retyped.put(row, column.get());
      }
    }

    List<StructField> missing = new ArrayList<>();

    for (StructField column : table.fields()) {
      if (names.find(column.name(), rows).isEmpty() && !isFilledByTheTable(column)) {
        missing.add(column);
      }
    }

    return new SchemaComparison(common, missing, extra, retyped);
  }

  /** Returns the columns that both have: the name in the rows, and the column of the table. */
  Map<String, StructField> common() {
    return common;
  }

  /** Returns the columns that only the table has. */
  List<StructField> missing() {
    return missing;
  }

  /** Returns the columns that only the rows have. */
  List<StructField> extra() {
    return extra;
  }

  /** Returns the columns of other types: that of the rows, and that of the table. */
  Map<StructField, StructField> retyped() {
    return retyped;
  }

  /** Tells whether the rows fit the table as they are. */
  boolean fits() {
    return missing.isEmpty() && extra.isEmpty() && retyped.isEmpty();
  }

  /** Returns the differences, as they follow a colon. */
  String differences() {
    List<String> missingNames = missing.stream().map(StructField::name).toList();
    List<String> differences = new ArrayList<>();
    retyped.forEach(
        (row, column) ->
            differences.add(
                "column '"
                    + column.name()
                    + "' is "
                    + type(column)
                    + " in the table and "
                    + type(row)
                    + " after cleaning"));
    missing.forEach(
        column ->
            differences.add(
                "column '"
                    + column.name()
                    + "' ("
                    + type(column)
                    + ") is in the table and missing after cleaning"));
    extra.forEach(
        row ->
            differences.add(
                "column '"
                    + row.name()
                    + "' ("
                    + type(row)
                    + ") is there after cleaning and not in the table"
                    + near(row.name(), missingNames)));
    return String.join("; ", differences);
  }

  /** Returns what to do about the differences, whole sentences. */
  String cure() {
    List<String> cures = new ArrayList<>();

    if (!retyped.isEmpty()) {
      cures.add("Cast " + names(List.copyOf(retyped.values())) + " in the cleaner.");
    }

    if (!missing.isEmpty()) {
      cures.add("Select " + names(missing) + " in the cleaner, as null if there is no value.");
    }

    if (!extra.isEmpty()) {
      cures.add(
          "Drop " + names(extra) + " in the cleaner, or add it to the table with ALTER TABLE.");
    }

    return String.join(" ", cures);
  }

  private static String near(String name, List<String> others) {
    String sentence = Columns.nearMiss(name, others);
    return sentence.isEmpty() ? "" : " (" + sentence.strip().replaceFirst("^Did", "did") + ")";
  }

  private static String names(List<StructField> fields) {
    return fields.stream().map(field -> "'" + field.name() + "'").collect(joining(", "));
  }

  private static String type(StructField field) {
    return field.dataType().sql().toLowerCase(java.util.Locale.ROOT);
  }

  private static boolean isFilledByTheTable(StructField column) {
    Metadata metadata = column.metadata();
    return FILLED_BY_THE_TABLE.stream().anyMatch(metadata::contains);
  }

  /** Compares types; whether something may be null does not count, at any depth. */
  private static boolean isSame(DataType one, DataType other) {
    if (one instanceof ArrayType a && other instanceof ArrayType b) {
      return isSame(a.elementType(), b.elementType());
    }

    if (one instanceof MapType a && other instanceof MapType b) {
      return isSame(a.keyType(), b.keyType()) && isSame(a.valueType(), b.valueType());
    }

    if (one instanceof StructType a && other instanceof StructType b) {
      if (a.length() != b.length()) {
        return false;
      }

      for (int i = 0; i < a.length(); i++) {
        StructField field = a.fields()[i];
        StructField there = b.fields()[i];

        if (!field.name().equals(there.name()) || !isSame(field.dataType(), there.dataType())) {
          return false;
        }
      }

      return true;
    }

    return one.equals(other);
  }
}
