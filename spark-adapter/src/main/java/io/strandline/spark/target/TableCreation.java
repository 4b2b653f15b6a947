package io.strandline.spark.target;

import static java.util.stream.Collectors.joining;

import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.NewTable;
import io.strandline.spark.internal.RunSession;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** How a target's table is created when it is missing. */
final class TableCreation {
  private static final String COMMENT = "comment";

  /** Delta keeps statistics of so many leading columns, nested ones counted one by one. */
  private static final int COLUMNS_WITH_STATISTICS = 32;

  /** Characters that a column's name has only where names are mapped. */
  private static final String NEEDS_MAPPING = " ,;{}()\n\t=";

  private final DeltaRef table;
  private final MergeColumns columns;
  private final TableLayout layout;

  TableCreation(DeltaRef table, MergeColumns columns, TableLayout layout) {
    this.table = table;
    this.columns = columns;
    this.layout = layout;
  }

  /** Creates the table, without rows, unless somebody has created it meanwhile. */
  void create() {
    SparkSession session = RunSession.of(table.spark());
    session.conf().set("spark.sql.parser.escapedStringLiterals", "false");
    NewTable.make(table, () -> session.sql(statement()));
  }

  private String statement() {
    return "CREATE TABLE IF NOT EXISTS "
        + table.sqlIdentifier()
        + " ("
        + schema().toDDL()
        + ") USING delta"
        + clause(" PARTITIONED BY", layout.partitionColumns().stream().map(Columns::quoted))
        + clause(" CLUSTER BY", layout.clusterColumns().stream().map(Columns::quoted))
        + clause(
            " TBLPROPERTIES",
            properties().entrySet().stream()
                .map(entry -> literal(entry.getKey()) + " = " + literal(entry.getValue())));
  }

  private static String clause(String words, Stream<String> items) {
    String list = items.collect(joining(", "));
    return list.isEmpty() ? "" : words + " (" + list + ")";
  }

  private static String literal(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }

  /**
   * Columns and what is in them may be null, for the rows of tomorrow; of what was noted at them,
   * comments stay.
   */
  private StructType schema() {
    StructType schema = new StructType();

    for (StructField field : columns.schema().fields()) {
      MetadataBuilder kept = new MetadataBuilder();

      if (field.metadata().contains(COMMENT)) {
        kept.putString(COMMENT, field.metadata().getString(COMMENT));
      }

      schema =
          schema.add(
              DataTypes.createStructField(
                  field.name(), field.dataType().asNullable(), true, kept.build()));
    }

    return schema;
  }

  private Map<String, String> properties() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("delta.enableDeletionVectors", "true");

    if (needsMapping(columns.schema())) {
      properties.put("delta.columnMapping.mode", "name");
    }

    String statistics = statistics();

    if (!statistics.isEmpty()) {
      properties.put("delta.dataSkippingStatsColumns", statistics);
    }

    properties.putAll(layout.properties());
    return properties;
  }

  /** Tells whether a name has characters that Delta allows only where names are mapped. */
  static boolean needsMapping(StructType columns) {
    return Arrays.stream(columns.fields())
        .anyMatch(
            field ->
                field.name().chars().anyMatch(c -> NEEDS_MAPPING.indexOf(c) >= 0)
                    || needsMapping(field.dataType()));
  }

  private static boolean needsMapping(DataType type) {
    if (type instanceof ArrayType array) {
      return needsMapping(array.elementType());
    }

    if (type instanceof MapType map) {
      return needsMapping(map.keyType()) || needsMapping(map.valueType());
    }

    return type instanceof StructType struct && needsMapping(struct);
  }

  /** Names the columns to keep statistics of; empty if Delta's own choice has those that count. */
  private String statistics() {
    Set<String> leading = new LinkedHashSet<>();
    int leaves = 0;

    for (StructField field : columns.schema().fields()) {
      leaves += leaves(field.dataType());

      if (leaves > COLUMNS_WITH_STATISTICS) {
        break;
      }

      leading.add(field.name());
    }

    List<String> wanted =
        Stream.of(columns.keys(), columns.versionColumns(), layout.clusterColumns())
            .flatMap(List::stream)
            .distinct()
            .toList();

    if (leading.containsAll(wanted)) {
      return "";
    }

    List<String> all = new ArrayList<>(leading);
    wanted.stream().filter(name -> !leading.contains(name)).forEach(all::add);
    return all.stream()
        .filter(name -> !layout.partitionColumns().contains(name))
        .filter(name -> hasStatistics(columns.type(name)))
        .map(Columns::quoted)
        .collect(joining(","));
  }

  private static int leaves(DataType type) {
    if (!(type instanceof StructType struct)) {
      return 1;
    }

    int leaves = 0;

    for (StructField field : struct.fields()) {
      leaves += leaves(field.dataType());
    }

    return leaves;
  }

  private static boolean hasStatistics(DataType type) {
    return type instanceof NumericType
        || type instanceof DateType
        || type instanceof TimestampType
        || type instanceof TimestampNTZType
        || type instanceof StringType
        || type instanceof StructType;
  }
}
