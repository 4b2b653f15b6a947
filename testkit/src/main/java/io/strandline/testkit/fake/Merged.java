package io.strandline.testkit.fake;

import io.strandline.target.MergeCounts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows after a merge, and what became of those that came: the reference for every keyed target.
 *
 * @param rows all rows
 * @param counts what became of the rows that came
 */
record Merged(Rows rows, MergeCounts counts) {

  static Merged of(Rows held, Rows accepted, List<String> keys, VersionOrder order) {
    Map<List<@Nullable Object>, Map<String, @Nullable Object>> rows = new LinkedHashMap<>();
    held.maps().forEach(row -> rows.put(key(row, keys), row));
    long inserted = 0;
    long updated = 0;
    long unchanged = 0;
    long stale = 0;
    Map<List<@Nullable Object>, Map<String, @Nullable Object>> winners =
        winners(accepted, keys, order);

    for (Map.Entry<List<@Nullable Object>, Map<String, @Nullable Object>> entry :
        winners.entrySet()) {
      Map<String, @Nullable Object> row = entry.getValue();
      Map<String, @Nullable Object> stored = rows.get(entry.getKey());

      if (stored == null) {
        inserted++;
        rows.put(entry.getKey(), row);
      } else if (stored.equals(row)) {
        unchanged++;
      } else if (order.isStale(row, stored)) {
        stale++;
      } else {
        updated++;
        rows.put(entry.getKey(), row);
      }
    }

    long superseded = (long) accepted.size() - winners.size();
    Rows empty =
        Rows.columns((held.columns().isEmpty() ? accepted : held).columns().toArray(String[]::new));
    return new Merged(
        empty.concat(Rows.of(List.copyOf(rows.values()))),
        new MergeCounts(inserted, updated, 0, unchanged, superseded, stale));
  }

  /** Keeps the newest version of each key. */
  private static Map<List<@Nullable Object>, Map<String, @Nullable Object>> winners(
      Rows accepted, List<String> keys, VersionOrder order) {
    Map<List<@Nullable Object>, Map<String, @Nullable Object>> winners = new LinkedHashMap<>();
    accepted.stream()
        .sorted(order.inRange())
        .forEach(row -> winners.putIfAbsent(key(row, keys), row));
    return winners;
  }

  private static List<@Nullable Object> key(Map<String, @Nullable Object> row, List<String> keys) {
    List<@Nullable Object> key = new ArrayList<>();
    keys.forEach(column -> key.add(row.get(column)));
    return key;
  }
}
