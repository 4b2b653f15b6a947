package io.strandline.spark.internal;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Of which columns a table keeps statistics, by which files are left unread.
 *
 * <p>What its properties say holds for files that are written from then on. Immutable.
 */
public final class FileStatistics {
  private static final String NAMED = "delta.dataSkippingStatsColumns";
  private static final String NUMBERED = "delta.dataSkippingNumIndexedCols";

  /** Delta's own default. */
  private static final String FIRST = "32";

  private final StructType schema;
  private final List<String> partitions;
  private final Map<String, String> properties;

  private FileStatistics(
      StructType schema, List<String> partitions, Map<String, String> properties) {
    this.schema = schema;
    this.partitions = partitions;
    this.properties = properties;
  }

  /** Returns those of a version of a table. */
  public static FileStatistics of(DeltaSnapshot snapshot) {
    return new FileStatistics(
        snapshot.schema(), snapshot.partitionColumns(), snapshot.properties());
  }

  /**
   * Returns columns without statistics.
   *
   * @param columns the columns to look at, in any case; those that the table lacks are passed over
   * @return those of them that no file is left out by, as the table spells them
   */
  public List<String> lacking(List<String> columns) {
    return Arrays.stream(schema.fieldNames())
        .filter(name -> columns.stream().anyMatch(name::equalsIgnoreCase))
        .filter(name -> !partitions.contains(name) && !isKeptOf(name))
        .toList();
  }

  private boolean isKeptOf(String column) {
    String named = properties.get(NAMED);

    if (named != null) {
      return Arrays.stream(named.split(","))
          .map(name -> name.strip().replace("`", ""))
          .anyMatch(column::equalsIgnoreCase);
    }

    int kept = Integer.parseInt(properties.getOrDefault(NUMBERED, FIRST));
    return kept < 0 || placeOf(column) < kept;
  }

  /** Counts what comes before a column; each field of a struct counts. */
  private int placeOf(String column) {
    int place = 0;

    for (StructField field : schema.fields()) {
      if (field.name().equals(column)) {
        return place;
      }

      place += partitions.contains(field.name()) ? 0 : leaves(field.dataType());
    }

    return place;
  }

  /** Counts the columns of a type that have statistics of their own: each field of a struct. */
  public static int leaves(DataType type) {
    return type instanceof StructType struct
        ? Arrays.stream(struct.fields()).mapToInt(field -> leaves(field.dataType())).sum()
        : 1;
  }
}
