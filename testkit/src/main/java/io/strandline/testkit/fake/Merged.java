package io.strandline.testkit.fake;

import io.strandline.target.MergeCounts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rows after a merge, and what became of those that came: the reference for every keyed target.
 *
 * @param rows all rows
 * @param counts what became of the rows that came
 */
record Merged(Rows rows, MergeCounts counts) {

  /**
   * Merges rows.
   *
   * @param held the rows that the target holds
   * @param tombstones what remains of deleted rows, those of this range included
   * @param accepted the rows that came, deletes marked
   */
  static Merged of(
      Rows held,
      Rows tombstones,
      Rows accepted,
      List<String> keys,
      VersionOrder order,
      Deletion deletion,
      Clauses clauses) {
    Map<List<@Nullable Object>, Map<String, @Nullable Object>> rows = byKey(held, keys);
    Map<List<@Nullable Object>, Map<String, @Nullable Object>> buried = byKey(tombstones, keys);
    long inserted = 0;
    long updated = 0;
    long deleted = 0;
    long unchanged = 0;
    long stale = 0;
    Map<List<@Nullable Object>, List<Map<String, @Nullable Object>>> versions =
        versions(accepted, keys, order);

    for (Map.Entry<List<@Nullable Object>, List<Map<String, @Nullable Object>>> entry :
        versions.entrySet()) {
      Map<String, @Nullable Object> newest = entry.getValue().get(0);
      Map<String, @Nullable Object> stored = rows.get(entry.getKey());
      Map<String, @Nullable Object> tombstone = buried.get(entry.getKey());
      Set<String> data = new HashSet<>(deletion.data(newest, keys, order));
      data.remove(clauses.stamp());
      Map<String, @Nullable Object> whole =
          clauses.keepsWhereNull()
              ? patched(entry.getValue(), stored, data, order, deletion)
              : filled(entry.getValue(), stored, keys, order, deletion);
      Map<String, @Nullable Object> row =
          without(Deletion.MARK, stored == null ? whole : clauses.updated(whole, stored, data));
      boolean isDelete = Deletion.isDelete(newest);

      if (tombstone != null && !isDelete && order.isStale(newest, tombstone)) {
        stale++;
      } else if (stored == null && isDelete && deletion.isHard()) {
        unchanged++;
      } else if (stored == null && !clauses.inserts(newest)) {
        unchanged++;
      } else if (stored == null) {
        inserted++;
        rows.put(entry.getKey(), row);
      } else if (!(isDelete && deletion.isHard()) && clauses.areEqual(stored, row)) {
        unchanged++;
      } else if (order.isStale(newest, stored)) {
        stale++;
      } else if (isDelete) {
        deleted++;

        if (deletion.isHard()) {
          rows.remove(entry.getKey());
        } else {
          rows.put(entry.getKey(), row);
        }
      } else if (!clauses.updates(newest)) {
        unchanged++;
      } else {
        updated++;
        rows.put(entry.getKey(), row);
      }
    }

    long superseded = (long) accepted.size() - versions.size();
    Rows empty =
        Rows.columns(
            (held.columns().isEmpty() ? deletion.unmarked(accepted) : held)
                .columns()
                .toArray(String[]::new));
    return new Merged(
        empty.concat(Rows.of(List.copyOf(rows.values()))),
        new MergeCounts(inserted, updated, deleted, unchanged, superseded, stale));
  }

  /**
   * Adds what remains of the deletes in a range.
   *
   * @param tombstones those that are there
   * @param accepted the rows that came, deletes marked
   * @return the newest tombstone of each key
   */
  static Rows buried(Rows tombstones, Rows accepted, List<String> keys, VersionOrder order) {
    Map<List<@Nullable Object>, Map<String, @Nullable Object>> buried = byKey(tombstones, keys);
    versions(accepted, keys, order)
        .forEach(
            (key, versions) -> {
              Map<String, @Nullable Object> newest = versions.get(0);
              Map<String, @Nullable Object> there = buried.get(key);

              if (Deletion.isDelete(newest) && (there == null || order.isStale(there, newest))) {
                buried.put(key, without(Deletion.MARK, newest));
              }
            });
    return Rows.of(List.copyOf(buried.values()));
  }

  /** Gives each column of data the newest value that the range has, or the stored one. */
  private static Map<String, @Nullable Object> patched(
      List<Map<String, @Nullable Object>> versions,
      @Nullable Map<String, @Nullable Object> stored,
      Set<String> data,
      VersionOrder order,
      Deletion deletion) {
    Map<String, @Nullable Object> patched = new LinkedHashMap<>(versions.get(0));

    for (String column : data) {
      Optional<Map<String, @Nullable Object>> newest =
          versions.stream()
              .filter(
                  row -> row.get(column) != null || (deletion.isHard() && Deletion.isDelete(row)))
              .findFirst();
      boolean isRange =
          newest.isPresent()
              && (stored == null
                  || newest.get() == versions.get(0)
                  || !order.isStale(newest.get(), stored));

      if (isRange) {
        patched.put(
            column,
            Deletion.isDelete(newest.get()) && deletion.isHard() ? null : newest.get().get(column));
      } else {
        patched.put(column, stored == null ? null : stored.get(column));
      }
    }

    return Collections.unmodifiableMap(patched);
  }

  /** Takes what a bare delete does not say from the newest version that says it. */
  private static Map<String, @Nullable Object> filled(
      List<Map<String, @Nullable Object>> versions,
      @Nullable Map<String, @Nullable Object> stored,
      List<String> keys,
      VersionOrder order,
      Deletion deletion) {
    Map<String, @Nullable Object> newest = versions.get(0);

    if (!deletion.isBare(newest, keys, order)) {
      return newest;
    }

    Optional<Map<String, @Nullable Object>> inRange =
        versions.stream().filter(version -> !deletion.isBare(version, keys, order)).findFirst();
    Map<String, @Nullable Object> data =
        stored == null || inRange.filter(row -> !order.isStale(row, stored)).isPresent()
            ? inRange.orElse(newest)
            : stored;
    Map<String, @Nullable Object> filled = new LinkedHashMap<>(newest);
    deletion.data(newest, keys, order).forEach(column -> filled.put(column, data.get(column)));
    return Collections.unmodifiableMap(filled);
  }

  /** Returns the versions of each key, the newest first. */
  private static Map<List<@Nullable Object>, List<Map<String, @Nullable Object>>> versions(
      Rows accepted, List<String> keys, VersionOrder order) {
    Map<List<@Nullable Object>, List<Map<String, @Nullable Object>>> versions =
        new LinkedHashMap<>();
    accepted.stream()
        .sorted(order.inRange())
        .forEach(
            row -> versions.computeIfAbsent(key(row, keys), key -> new ArrayList<>()).add(row));
    return versions;
  }

  private static Map<List<@Nullable Object>, Map<String, @Nullable Object>> byKey(
      Rows rows, List<String> keys) {
    Map<List<@Nullable Object>, Map<String, @Nullable Object>> byKey = new LinkedHashMap<>();
    rows.maps().forEach(row -> byKey.put(key(row, keys), row));
    return byKey;
  }

  private static Map<String, @Nullable Object> without(
      String column, Map<String, @Nullable Object> row) {
    Map<String, @Nullable Object> rest = new LinkedHashMap<>(row);
    rest.remove(column);
    return Collections.unmodifiableMap(rest);
  }

  private static List<@Nullable Object> key(Map<String, @Nullable Object> row, List<String> keys) {
    List<@Nullable Object> key = new ArrayList<>();
    keys.forEach(column -> key.add(row.get(column)));
    return key;
  }
}
