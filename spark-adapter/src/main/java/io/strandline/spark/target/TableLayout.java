package io.strandline.spark.target;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a table is laid out that does not exist yet: partitioned or clustered, and with which
 * properties.
 *
 * <p>Deletion vectors are on unless a property says otherwise, so that an update writes the changed
 * row and not its whole file. Statistics are kept for keys and sequence wherever the columns stand.
 * Immutable: every method returns another layout.
 */
public final class TableLayout {
  private static final TableLayout PLAIN = new TableLayout(List.of(), List.of(), Map.of());

  private final List<String> partitions;
  private final List<String> clusters;
  private final Map<String, String> properties;

  private TableLayout(
      List<String> partitions, List<String> clusters, Map<String, String> properties) {
    this.partitions = List.copyOf(partitions);
    this.clusters = List.copyOf(clusters);
    this.properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
  }

  /** Returns the layout of a table that is neither partitioned nor clustered. */
  public static TableLayout plain() {
    return PLAIN;
  }

  /**
   * Partitions the table.
   *
   * @param column the first column, by its exact name
   * @param more further columns
   * @return the layout
   * @throws IllegalArgumentException if the table is clustered already, or if a name has a backtick
   *     in it: Delta 4.4 creates such a table, and cannot merge into it
   */
  public TableLayout partitionedBy(String column, String... more) {
    if (!clusters.isEmpty()) {
      throw both();
    }

    List<String> columns = columns(column, more);
    columns.forEach(TableLayout::requireNoBacktick);
    return new TableLayout(columns, clusters, properties);
  }

  /**
   * Clusters the table (liquid clustering).
   *
   * @param column the first column, by its exact name
   * @param more further columns
   * @return the layout
   * @throws IllegalArgumentException if the table is partitioned already
   */
  public TableLayout clusteredBy(String column, String... more) {
    if (!partitions.isEmpty()) {
      throw both();
    }

    return new TableLayout(partitions, columns(column, more), properties);
  }

  /**
   * Sets a property of the table.
   *
   * @param key the key, such as {@code delta.logRetentionDuration}
   * @param value the value
   * @return the layout
   */
  public TableLayout property(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(properties);
    more.put(key, value);
    return new TableLayout(partitions, clusters, more);
  }

  /** Returns the columns that the table is partitioned by; empty if it is not. */
  public List<String> partitionColumns() {
    return partitions;
  }

  /** Returns the columns that the table is clustered by; empty if it is not. */
  public List<String> clusterColumns() {
    return clusters;
  }

  /** Returns the properties that were set. */
  public Map<String, String> properties() {
    return properties;
  }

  private static List<String> columns(String column, String... more) {
    List<String> columns = new ArrayList<>(List.of(column));
    columns.addAll(List.of(more));
    return columns;
  }

  private static void requireNoBacktick(String column) {
    if (column.contains("`")) {
      throw new IllegalArgumentException(
          "Cannot partition a table by column '"
              + column
              + "': Delta cannot merge into a table whose partition column has a backtick in its"
              + " name. Rename the column, or cluster the table by it.");
    }
  }

  private static IllegalArgumentException both() {
    return new IllegalArgumentException(
        "Cannot both partition and cluster a table: Delta knows one or the other.");
  }
}
