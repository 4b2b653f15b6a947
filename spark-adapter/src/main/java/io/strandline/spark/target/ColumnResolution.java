package io.strandline.spark.target;

import static java.util.stream.Collectors.joining;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.target.MergeColumns.Removal;
import io.strandline.spark.target.MergeDeclaration.Order;
import io.strandline.target.Deletes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.CalendarIntervalType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Finds the columns of a declaration among the cleaned rows and in the table, and refuses what does
 * not fit; needs no Spark job.
 */
final class ColumnResolution {
  private static final String RESERVED = "_strandline_";
  private static final String CHANGE_TYPE = "_change_type";

  private final String table;
  private final ColumnNames names;
  private final MergeDeclaration declaration;
  private final SchemaPolicy policy;

  ColumnResolution(
      String table, ColumnNames names, MergeDeclaration declaration, SchemaPolicy policy) {
    this.table = table;
    this.names = names;
    this.declaration = declaration;
    this.policy = policy;
  }

  /**
   * Resolves the declared columns.
   *
   * @param cleaned the columns of the cleaned rows
   * @param stored the columns of the table; empty if it does not exist yet
   * @param watermarkColumns the source's watermark columns
   * @return the columns by the names that they have in the table
   * @throws Problem of kind {@code BAD_CONFIGURATION} if a declared column is not there or of no
   *     use, {@code SCHEMA_MISMATCH} if the rows do not fit the table
   */
  MergeColumns columns(
      StructType cleaned, Optional<StructType> stored, List<String> watermarkColumns) {
    List<String> keys = required("matchedOn", declaration.keys(), cleaned);
    List<String> ties = required("tieBrokenBy", declaration.ties(), cleaned);
    List<String> stamped = required("stamped", declaration.stamped(), cleaned);
    List<String> flags = required("deletedWhen", flags(), cleaned);
    List<String> cursor = surviving(watermarkColumns, cleaned);
    List<String> sequence =
        switch (declaration.order()) {
          case DECLARED -> required("sequencedBy", declaration.sequence(), cleaned);
          case WATERMARK -> cursor;
          case LAST_READ -> List.of();
        };

    if (declaration.order() == Order.WATERMARK
        && (watermarkColumns.isEmpty() || cursor.size() < watermarkColumns.size())) {
      throw noSequence(watermarkColumns);
    }

    requireComparable("matchedOn", keys, cleaned);
    requireComparable("sequencedBy", sequence, cleaned);

    if (stored.isEmpty()) {
      return new MergeColumns(cleaned, keys, sequence, cursor, ties, stamped, removal(), flags);
    }

    SchemaComparison comparison = SchemaComparison.of(cleaned, stored.get(), names, policy);
    Predicate<String> needed =
        name ->
            Stream.of(keys, sequence, ties, stamped, flags).anyMatch(some -> some.contains(name));

    if (!comparison.fits(needed)) {
      throw new Problem(
          ProblemKind.SCHEMA_MISMATCH,
          task(),
          comparison.differences(needed),
          comparison.cure(needed));
    }

    StructType written = comparison.schema();
    return new MergeColumns(
        written,
        spelled(keys, written),
        spelled(sequence, written),
        spelled(surviving(cursor, written), written),
        spelled(ties, written),
        spelled(stamped, written),
        removal(),
        spelled(flags, written),
        comparison.drift());
  }

  /**
   * Resolves what a sweep needs of a table; no rows are merged with it.
   *
   * @param stored the columns of the table
   * @return the columns, without a sequence
   * @throws Problem of kind {@code BAD_CONFIGURATION} if a key or the flag is not there
   */
  MergeColumns keys(StructType stored) {
    return new MergeColumns(
        stored,
        required("matchedOn", declaration.keys(), stored),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        removal(),
        required("deletedWhen", flags(), stored));
  }

  private Removal removal() {
    Deletes deletes = declaration.deletes();

    if (deletes == null) {
      return Removal.NONE;
    }

    return deletes.manner() instanceof Deletes.Soft ? Removal.SOFT : Removal.HARD;
  }

  private List<String> flags() {
    Deletes deletes = declaration.deletes();
    return deletes != null && deletes.manner() instanceof Deletes.Soft soft
        ? List.of(soft.flag())
        : List.of();
  }

  /**
   * Marks the deletes among cleaned rows, once the rows are known to be usable.
   *
   * @return the rows, as they are if no row is a delete
   * @throws Problem of kind {@code BAD_CONFIGURATION} if the rows cannot be used, or the condition
   *     does not fit them
   */
  Dataset<Row> marked(Dataset<Row> cleaned) {
    refuseUnusable(cleaned.schema());
    Deletes deletes = declaration.deletes();

    if (deletes == null && names.find(CHANGE_TYPE, cleaned.schema()).isPresent()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task(),
          "the rows come from a change feed, and nothing says what becomes of its deletes",
          "Call deletedWhen(Deletes.ofChangeFeed()) on the target, or drop column '"
              + CHANGE_TYPE
              + "' and the deletes in the cleaner.");
    }

    return deletes == null ? cleaned : new Deletion(deletes, names, task()).marked(cleaned);
  }

  /** Gives rows the columns that they are written into; what is not stored keeps its own. */
  Dataset<Row> shaped(Dataset<Row> marked, MergeColumns columns) {
    List<String> kept = new ArrayList<>(Carried.names(marked));

    if (columns.removal() != Removal.NONE) {
      kept.add(Deletion.MARK);
    }

    return new Shape(names).shaped(marked, columns.schema(), kept.toArray(String[]::new));
  }

  /** Finds the columns of the layout of a table to be created. */
  TableLayout layout(TableLayout layout, StructType cleaned) {
    List<String> partitions = required("partitionedBy", layout.partitionColumns(), cleaned);
    List<String> clusters = required("clusteredBy", layout.clusterColumns(), cleaned);
    TableLayout resolved = TableLayout.plain();

    if (!partitions.isEmpty()) {
      resolved =
          resolved.partitionedBy(
              partitions.get(0), partitions.stream().skip(1).toArray(String[]::new));
    }

    if (!clusters.isEmpty()) {
      resolved =
          resolved.clusteredBy(clusters.get(0), clusters.stream().skip(1).toArray(String[]::new));
    }

    for (Map.Entry<String, String> property : layout.properties().entrySet()) {
      resolved = resolved.property(property.getKey(), property.getValue());
    }

    return resolved;
  }

  private void refuseUnusable(StructType cleaned) {
    List<String> repeated = names.repeated(cleaned);

    if (!repeated.isEmpty()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task(),
          "the cleaned rows have more than one column named " + quoted(repeated),
          "Rename or drop one of them in the cleaner.");
    }

    for (StructField field : cleaned.fields()) {
      if (field.name().startsWith(RESERVED) && !Carried.isCarried(field.name())) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            task(),
            "the cleaned rows have a column '"
                + field.name()
                + "', and names that begin with "
                + RESERVED
                + " are used for the merge itself",
            "Rename or drop the column in the cleaner.");
      }

      if (field.dataType().existsRecursively(ColumnResolution::isUnstorable)) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            task(),
            "column '"
                + field.name()
                + "' is of type "
                + field.dataType().sql().toLowerCase(java.util.Locale.ROOT)
                + ", which no Delta table can hold",
            "Cast it in the cleaner.");
      }
    }
  }

  private static boolean isUnstorable(DataType type) {
    return type instanceof NullType || type instanceof CalendarIntervalType;
  }

  private List<String> required(String call, List<String> columns, StructType cleaned) {
    List<String> found = new ArrayList<>();

    for (String column : columns) {
      StructField field =
          names.find(column, cleaned).orElseThrow(() -> absent(call, column, cleaned));
      found.add(field.name());
    }

    return found;
  }

  private Problem absent(String call, String column, StructType cleaned) {
    List<String> columns = List.of(cleaned.fieldNames());
    return new Problem(
        ProblemKind.BAD_CONFIGURATION,
        task(),
        call + "(..) names column '" + column + "', which the cleaned rows do not have",
        "Their columns are: "
            + String.join(", ", columns)
            + "."
            + Columns.nearMiss(column, columns));
  }

  /** Returns the leading watermark columns that the rows still have; the rest orders nothing. */
  private List<String> surviving(List<String> watermarkColumns, StructType cleaned) {
    List<String> surviving = new ArrayList<>();

    for (String column : watermarkColumns) {
      Optional<StructField> field = names.find(column, cleaned);

      if (field.isEmpty() || !Values.isOrderable(field.get().dataType())) {
        break;
      }

      surviving.add(field.get().name());
    }

    return surviving;
  }

  private Problem noSequence(List<String> watermarkColumns) {
    return new Problem(
        ProblemKind.BAD_CONFIGURATION,
        task(),
        watermarkColumns.isEmpty()
            ? "the source has no watermark column that says which of two rows is newer"
            : "watermark column "
                + quoted(watermarkColumns)
                + " does not survive cleaning, so nothing says which of two rows is newer",
        "Keep it in the cleaner, or call sequencedBy(..) on the target, or lastReadWins() if the"
            + " row that is read later shall always replace the stored one.");
  }

  private void requireComparable(String call, List<String> columns, StructType cleaned) {
    for (String column : columns) {
      StructField field = cleaned.apply(column);

      if (!Values.isOrderable(field.dataType())) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            task(),
            call
                + "(..) names column '"
                + column
                + "' of type "
                + field.dataType().sql().toLowerCase(java.util.Locale.ROOT)
                + ", whose values cannot be compared",
            "Name another column.");
      }
    }
  }

  /** Returns names as the table spells them. */
  private List<String> spelled(List<String> some, StructType written) {
    return some.stream()
        .map(name -> names.find(name, written).map(StructField::name).orElseThrow())
        .toList();
  }

  private static String quoted(List<String> columns) {
    return columns.stream().map(column -> "'" + column + "'").collect(joining(", "));
  }

  private String task() {
    return "merge rows into " + table;
  }
}
