package io.strandline.samples.replaycases;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * What a source holds: its columns and its rows.
 *
 * <p>Immutable.
 *
 * @param types the types of the columns by name, in their order
 * @param rows the rows, with values in memory
 */
record SourceRows(Map<String, DataType> types, List<Map<String, @Nullable Object>> rows) {
  SourceRows {
    types = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(types));
    rows = List.copyOf(rows);
  }

  static SourceRows empty(Map<String, DataType> types) {
    return new SourceRows(types, List.of());
  }

  StructType schema() {
    return new StructType(
        types.entrySet().stream()
            .map(
                column ->
                    new StructField(
                        column.getKey(),
                        column.getValue(),
                        true,
                        org.apache.spark.sql.types.Metadata.empty()))
            .toArray(StructField[]::new));
  }

  /** Returns rows of the case with the columns of this source. */
  SourceRows landing(List<Map<String, @Nullable Object>> json) {
    return new SourceRows(types, CaseValues.rows(json, types));
  }

  /** Keeps some of the columns. */
  SourceRows only(Set<String> columns) {
    Map<String, DataType> kept = new LinkedHashMap<>(types);
    kept.keySet().retainAll(columns);
    return new SourceRows(kept, rows);
  }

  SourceRows with(SourceRows more) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>(rows);
    all.addAll(more.rows);
    return new SourceRows(types, all);
  }

  /** Takes away the rows that have the same keys as others. */
  SourceRows without(SourceRows others, List<String> by) {
    List<String> keys = by.stream().map(key -> CaseValues.find(key, types.keySet())).toList();
    Set<List<@Nullable Object>> gone = new java.util.HashSet<>();
    others.rows.forEach(row -> gone.add(key(row, keys)));
    return new SourceRows(
        types, rows.stream().filter(row -> !gone.contains(key(row, keys))).toList());
  }

  /** Changes the key of a row. */
  SourceRows rekeyed(Map<String, @Nullable Object> from, Map<String, @Nullable Object> to) {
    List<Map<String, @Nullable Object>> changed = new ArrayList<>();

    for (Map<String, @Nullable Object> row : rows) {
      Map<String, @Nullable Object> copy = new LinkedHashMap<>(row);

      if (from.entrySet().stream()
          .allMatch(key -> Objects.equals(row.get(key.getKey()), key.getValue()))) {
        copy.putAll(to);
      }

      changed.add(copy);
    }

    return new SourceRows(types, changed);
  }

  private static List<@Nullable Object> key(Map<String, @Nullable Object> row, List<String> keys) {
    List<@Nullable Object> key = new ArrayList<>();
    keys.forEach(column -> key.add(row.get(column)));
    return key;
  }

  /** Changes the columns. */
  SourceRows altered(Step.Alter alter) {
    Map<String, DataType> changed = new LinkedHashMap<>();

    for (Map.Entry<String, DataType> column : types.entrySet()) {
      if (!alter.drop().contains(column.getKey())) {
        String type = alter.retype().get(column.getKey());
        changed.put(
            alter.rename().getOrDefault(column.getKey(), column.getKey()),
            type == null ? column.getValue() : CaseValues.type(type));
      }
    }

    alter.add().forEach((column, type) -> changed.put(column, CaseValues.type(type)));
    Map<String, DataType> ordered = new LinkedHashMap<>();

    for (String column : alter.order()) {
      ordered.put(column, Objects.requireNonNull(changed.get(column), column));
    }

    changed.forEach(ordered::putIfAbsent);
    List<Map<String, @Nullable Object>> moved = new ArrayList<>();

    for (Map<String, @Nullable Object> row : rows) {
      Map<String, @Nullable Object> copy = new LinkedHashMap<>();
      row.forEach((column, value) -> copy.put(alter.rename().getOrDefault(column, column), value));
      Map<String, @Nullable Object> typed = new LinkedHashMap<>();
      ordered.forEach((column, type) -> typed.put(column, CaseValues.read(copy.get(column), type)));
      moved.add(typed);
    }

    return new SourceRows(ordered, moved);
  }
}
