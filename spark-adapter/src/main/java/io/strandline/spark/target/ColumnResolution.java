package io.strandline.spark.target;

import static java.util.stream.Collectors.joining;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.target.MergeColumns.Removal;
import io.strandline.spark.target.MergeDeclaration.Order;
import io.strandline.target.Deletes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.CalendarIntervalType;
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

  ColumnResolution(String table, ColumnNames names, MergeDeclaration declaration) {
    this.table = table;
    this.names = names;
    this.declaration = declaration;
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
        declaration.order() == Order.DECLARED
            ? required("sequencedBy", declaration.sequence(), cleaned)
            : cursor;

    if (declaration.order() == Order.WATERMARK
        && (watermarkColumns.isEmpty() || cursor.size() < watermarkColumns.size())) {
      throw noSequence(watermarkColumns);
    }

    requireComparable("matchedOn", keys, cleaned);
    requireComparable("sequencedBy", sequence, cleaned);

    if (stored.isEmpty()) {
      return new MergeColumns(
          cleaned, keys, ofOrder(sequence), cursor, ties, stamped, removal(), flags);
    }

    SchemaComparison comparison = SchemaComparison.of(cleaned, stored.get(), names);

    if (!comparison.fits()) {
      throw new Problem(
          ProblemKind.SCHEMA_MISMATCH, task(), comparison.differences(), comparison.cure());
    }

    Map<String, StructField> common = comparison.common();
    return new MergeColumns(
        new StructType(
            Arrays.stream(cleaned.fields())
                .map(
                    field ->
                        new StructField(
                            stored(common, field.name()),
                            field.dataType(),
                            field.nullable(),
                            field.metadata()))
                .toArray(StructField[]::new)),
        stored(common, keys),
        ofOrder(stored(common, sequence)),
        stored(common, cursor),
        stored(common, ties),
        stored(common, stamped),
        removal(),
        stored(common, flags));
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

  private List<String> ofOrder(List<String> sequence) {
    return declaration.order() == Order.LAST_READ ? List.of() : sequence;
  }

  /** Gives rows the names that the table has; the mark of deletes keeps its own. */
  Dataset<Row> renamed(Dataset<Row> marked, MergeColumns columns) {
    String[] from = Deletion.unmarked(marked).schema().fieldNames();
    List<Column> renamed = new ArrayList<>();

    for (int i = 0; i < from.length; i++) {
      renamed.add(Columns.col(from[i]).as(columns.names().get(i)));
    }

    if (columns.removal() != Removal.NONE) {
      renamed.add(Columns.col(Deletion.MARK));
    }

    return marked.select(renamed.toArray(new Column[0]));
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
      if (field.name().startsWith(RESERVED)) {
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

      if (field.dataType() instanceof NullType
          || field.dataType() instanceof CalendarIntervalType) {
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

  private static List<String> stored(Map<String, StructField> common, List<String> names) {
    return names.stream().map(name -> stored(common, name)).toList();
  }

  private static String stored(Map<String, StructField> common, String name) {
    StructField field = common.get(name);

    if (field == null) {
      throw new IllegalStateException("Cannot find column '" + name + "' in the table.");
    }

    return field.name();
  }

  private static String quoted(List<String> columns) {
    return columns.stream().map(column -> "'" + column + "'").collect(joining(", "));
  }

  private String task() {
    return "merge rows into " + table;
  }
}
