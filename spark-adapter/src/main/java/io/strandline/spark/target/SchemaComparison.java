package io.strandline.spark.target;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import io.strandline.spark.internal.Columns;
import io.strandline.spark.target.SchemaPolicy.MissingColumns;
import io.strandline.spark.target.SchemaPolicy.NewColumns;
import io.strandline.spark.target.SchemaPolicy.WiderTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Cleaned rows held against the columns of a table, by name and never by position, at any depth,
 * and what a policy makes of the differences.
 *
 * <p>Whether a column may be null is no difference; what the table makes up by itself (generated
 * columns, identities, defaults) may be missing in the rows. Needs no session. Immutable.
 */
final class SchemaComparison {
  /** What Delta and Spark note at a column that is filled when a row leaves it out. */
  private static final List<String> FILLED_BY_THE_TABLE =
      List.of("delta.generationExpression", "delta.identity.start", "CURRENT_DEFAULT");

  /** What Delta notes at every column where names are mapped. */
  private static final String MAPPED = "delta.columnMapping.id";

  private final StructType schema;
  private final List<Difference> differences;
  private final SchemaPolicy policy;

  /** How a column differs. */
  private enum Kind {
    NEW,
    /** New, under a name that the table cannot have. */
    UNNAMEABLE,
    /** New, under a name that differs from another only in case. */
    CLASHING,
    MISSING,
    /** Missing, where the table must have a value. */
    REQUIRED,
    WIDER,
    NARROWER,
    OTHER
  }

  /**
   * A difference.
   *
   * @param kind how the column differs
   * @param path the names that lead to it
   * @param table its type in the table; of a new column its own
   * @param rows its type in the rows; of a missing column its own
   */
  private record Difference(Kind kind, List<String> path, DataType table, DataType rows) {
    String name() {
      return String.join(".", path);
    }
  }

  private SchemaComparison(StructType schema, List<Difference> differences, SchemaPolicy policy) {
    this.schema = schema;
    this.differences = List.copyOf(differences);
    this.policy = policy;
  }

  /**
   * Compares the columns of rows with those of a table.
   *
   * @param rows the columns of the rows; no two of them of one name
   * @param table the columns of the table
   * @param names the session's rule for names
   * @param policy what becomes of differences
   * @return the comparison
   */
  static SchemaComparison of(
      StructType rows, StructType table, ColumnNames names, SchemaPolicy policy) {
    boolean isMapped = Arrays.stream(table.fields()).anyMatch(c -> c.metadata().contains(MAPPED));
    Work work = new Work(names, policy, isMapped);
    List<StructField> written = new ArrayList<>();

    for (StructField row : rows.fields()) {
      Optional<StructField> column = names.find(row.name(), table);

      if (column.isPresent()) {
        String name = column.get().name();
        DataType type = work.type(row.dataType(), column.get().dataType(), List.of(name));
        written.add(new StructField(name, type, row.nullable(), row.metadata()));
      } else if (work.isAdded(row, table, List.of())) {
        written.add(row);
      }
    }

    for (StructField column : table.fields()) {
      if (names.find(column.name(), rows).isEmpty() && !isFilledByTheTable(column)) {
        work.miss(column, List.of());
        written.add(column);
      }
    }

    return new SchemaComparison(
        new StructType(written.toArray(StructField[]::new)), work.differences, policy);
  }

  /** Finds the differences, and the types that come of them. */
  private static final class Work {
    private final ColumnNames names;
    private final SchemaPolicy policy;
    private final boolean isMapped;
    private final List<Difference> differences = new ArrayList<>();

    Work(ColumnNames names, SchemaPolicy policy, boolean isMapped) {
      this.names = names;
      this.policy = policy;
      this.isMapped = isMapped;
    }

    void note(Kind kind, List<String> path, DataType table, DataType rows) {
      differences.add(new Difference(kind, path, table, rows));
    }

    /** Notes a new column, and tells whether the table gets it. */
    boolean isAdded(StructField column, StructType table, List<String> parent) {
      boolean isAdded = policy.newColumns() == NewColumns.ADD;
      note(
          isAdded ? addable(column, table) : Kind.NEW,
          Paths.to(parent, column.name()),
          column.dataType(),
          column.dataType());
      return isAdded;
    }

    private Kind addable(StructField column, StructType table) {
      if (ColumnNames.CASE_INSENSITIVE.find(column.name(), table).isPresent()) {
        return Kind.CLASHING;
      }

      return !isMapped && TableCreation.needsMapping(new StructType(new StructField[] {column}))
          ? Kind.UNNAMEABLE
          : Kind.NEW;
    }

    void miss(StructField column, List<String> parent) {
      note(
          column.nullable() ? Kind.MISSING : Kind.REQUIRED,
          Paths.to(parent, column.name()),
          column.dataType(),
          column.dataType());
    }

    /** Returns the type that the table has in the end. */
    DataType type(DataType rows, DataType table, List<String> path) {
      if (rows instanceof StructType a && table instanceof StructType b) {
        return fields(a, b, path);
      }

      if (rows instanceof ArrayType a && table instanceof ArrayType b) {
        return new ArrayType(
            type(a.elementType(), b.elementType(), Paths.to(path, Paths.ELEMENT)),
            b.containsNull());
      }

      if (rows instanceof MapType a && table instanceof MapType b) {
        requireSameKeys(a.keyType(), b.keyType(), Paths.to(path, Paths.KEY));
        return new MapType(
            b.keyType(),
            type(a.valueType(), b.valueType(), Paths.to(path, Paths.VALUE)),
            b.valueContainsNull());
      }

      if (rows.equals(table)) {
        return table;
      }

      if (Shape.isWider(rows, table)) {
        note(Kind.WIDER, path, table, rows);
        return policy.widerTypes() == WiderTypes.WIDEN ? rows : table;
      }

      note(Shape.isWider(table, rows) ? Kind.NARROWER : Kind.OTHER, path, table, rows);
      return table;
    }

    private StructType fields(StructType rows, StructType table, List<String> path) {
      List<StructField> fields = new ArrayList<>();

      for (StructField field : table.fields()) {
        Optional<StructField> row = names.find(field.name(), rows);

        if (row.isEmpty()) {
          miss(field, path);
        }

        DataType type =
            row.map(f -> type(f.dataType(), field.dataType(), Paths.to(path, field.name())))
                .orElse(field.dataType());
        fields.add(new StructField(field.name(), type, field.nullable(), field.metadata()));
      }

      for (StructField row : rows.fields()) {
        if (names.find(row.name(), table).isEmpty() && isAdded(row, table, path)) {
          fields.add(row);
        }
      }

      return new StructType(fields.toArray(StructField[]::new));
    }

    /**
     * Keys that get or lose a part could become equal, so theirs are no differences to live with.
     */
    private void requireSameKeys(DataType rows, DataType table, List<String> path) {
      Work keys = new Work(names, SchemaPolicy.strict(), isMapped);
      keys.type(rows, table, path);

      if (!keys.differences.isEmpty()) {
        note(Kind.OTHER, path, table, rows);
      }
    }
  }

  /** Returns the columns that are written: those of the rows first, then those they lack. */
  StructType schema() {
    return schema;
  }

  /**
   * Returns what is refused.
   *
   * @param needed columns that the declaration names, which the table must have
   */
  private List<Difference> refused(Predicate<String> needed) {
    return differences.stream().filter(told -> isRefused(told, needed)).toList();
  }

  private boolean isRefused(Difference told, Predicate<String> needed) {
    return switch (told.kind()) {
      case NEW ->
          policy.newColumns() == NewColumns.FAIL
              || (policy.newColumns() == NewColumns.IGNORE
                  && told.path().size() == 1
                  && needed.test(told.name()));
      case MISSING -> policy.missingColumns() == MissingColumns.FAIL;
      case WIDER, NARROWER -> policy.widerTypes() == WiderTypes.FAIL;
      case UNNAMEABLE, CLASHING, REQUIRED, OTHER -> true;
    };
  }

  /**
   * Tells whether the rows fit the table under the policy.
   *
   * @param needed columns that the declaration names, which the table must have
   */
  boolean fits(Predicate<String> needed) {
    return refused(needed).isEmpty();
  }

  /** Returns how the rows differ, where that is allowed. */
  Drift drift() {
    Set<List<String>> absent =
        differences.stream()
            .filter(told -> told.kind() == Kind.MISSING)
            .map(Difference::path)
            .collect(toSet());
    List<String> changes = new ArrayList<>();
    List<String> rest = new ArrayList<>();

    for (Difference told : differences) {
      boolean isChange =
          told.kind() == Kind.WIDER
              || (told.kind() == Kind.NEW && policy.newColumns() == NewColumns.ADD);
      (isChange ? changes : rest).add(sentence(told));
    }

    return new Drift(new Absences(absent), changes, rest);
  }

  private String sentence(Difference told) {
    String column = "Column '" + told.name() + "'";
    return switch (told.kind()) {
      case NEW, UNNAMEABLE, CLASHING ->
          column
              + " ("
              + text(told.rows())
              + ")"
              + (policy.newColumns() == NewColumns.ADD
                  ? " was added to the table."
                  : " is not in the table, and was left out.");
      case MISSING, REQUIRED ->
          column + " (" + text(told.table()) + ") was missing after cleaning.";
      case WIDER ->
          column + " was widened from " + text(told.table()) + " to " + text(told.rows()) + ".";
      case NARROWER, OTHER ->
          column
              + " was "
              + text(told.rows())
              + " after cleaning, and was cast to "
              + text(told.table())
              + ".";
    };
  }

  /** Returns the differences that are refused, as they follow a colon. */
  String differences(Predicate<String> needed) {
    List<Difference> refused = refused(needed);
    List<String> missing = names(refused, Kind.MISSING, Kind.REQUIRED);
    return Stream.of(
            refused.stream().filter(told -> isOf(told, Kind.WIDER, Kind.NARROWER, Kind.OTHER)),
            refused.stream().filter(told -> isOf(told, Kind.MISSING, Kind.REQUIRED)),
            refused.stream().filter(told -> isOf(told, Kind.NEW, Kind.UNNAMEABLE, Kind.CLASHING)))
        .flatMap(told -> told)
        .map(told -> clause(told, missing))
        .collect(joining("; "));
  }

  private String clause(Difference told, List<String> missing) {
    String column = "column '" + told.name() + "'";
    String typed = column + " (" + text(told.table()) + ")";
    return switch (told.kind()) {
      case WIDER, NARROWER, OTHER ->
          column
              + " is "
              + text(told.table())
              + " in the table and "
              + text(told.rows())
              + " after cleaning";
      case MISSING -> typed + " is in the table and missing after cleaning";
      case REQUIRED -> typed + " must have a value in the table and is missing after cleaning";
      case NEW ->
          typed
              + " is there after cleaning and not in the table"
              + (policy.newColumns() == NewColumns.IGNORE ? ", and the target needs it" : "")
              + near(told.name(), missing);
      case UNNAMEABLE -> typed + " has a name that only a table with column mapping can have";
      case CLASHING -> typed + " has a name that differs only in case from one in the table";
    };
  }

  /** Returns what to do about the differences that are refused, whole sentences. */
  String cure(Predicate<String> needed) {
    List<Difference> refused = refused(needed);
    List<String> cures = new ArrayList<>();
    cure("Cast %s in the cleaner.", refused, Kind.WIDER, Kind.NARROWER, Kind.OTHER)
        .ifPresent(cures::add);
    cure("Select %s in the cleaner, as null if there is no value.", refused, Kind.MISSING)
        .ifPresent(cures::add);
    cure("Select %s in the cleaner.", refused, Kind.REQUIRED).ifPresent(cures::add);
    cure("Drop %s in the cleaner, or add it to the table with ALTER TABLE.", refused, Kind.NEW)
        .ifPresent(cures::add);
    cure(
            "Rename %s in the cleaner, or set the table's property 'delta.columnMapping.mode' to"
                + " 'name'.",
            refused, Kind.UNNAMEABLE)
        .ifPresent(cures::add);

    cure("Rename %s in the cleaner.", refused, Kind.CLASHING).ifPresent(cures::add);

    if (refused.stream()
        .anyMatch(told -> isOf(told, Kind.NEW, Kind.MISSING, Kind.WIDER, Kind.NARROWER))) {
      cures.add("Or say in onSchemaDrift(..) of the target what becomes of such a column.");
    }

    return String.join(" ", cures);
  }

  private static Optional<String> cure(String sentence, List<Difference> refused, Kind... kinds) {
    List<String> columns = names(refused, kinds);
    return columns.isEmpty()
        ? Optional.empty()
        : Optional.of(
            sentence.replace(
                "%s", columns.stream().map(name -> "'" + name + "'").collect(joining(", "))));
  }

  private static List<String> names(List<Difference> differences, Kind... kinds) {
    Set<String> columns = new LinkedHashSet<>();
    differences.stream()
        .filter(told -> isOf(told, kinds))
        .map(Difference::name)
        .forEach(columns::add);
    return List.copyOf(columns);
  }

  private static boolean isOf(Difference told, Kind... kinds) {
    return List.of(kinds).contains(told.kind());
  }

  private static String near(String name, List<String> others) {
    String sentence = Columns.nearMiss(name, others);
    return sentence.isEmpty() ? "" : " (" + sentence.strip().replaceFirst("^Did", "did") + ")";
  }

  private static String text(DataType type) {
    return type.sql().toLowerCase(Locale.ROOT);
  }

  private static boolean isFilledByTheTable(StructField column) {
    Metadata metadata = column.metadata();
    return FILLED_BY_THE_TABLE.stream().anyMatch(metadata::contains);
  }
}
