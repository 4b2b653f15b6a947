package io.strandline.testkit.fake;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which of two versions of a row is newer.
 *
 * @param sequence the columns that say it first
 * @param cursor the watermark columns, which say it next
 * @param ties the declared tie columns
 */
record VersionOrder(List<String> sequence, List<String> cursor, List<String> ties) {

  /** Returns a total order, the newest first, that does not depend on how the rows came. */
  Comparator<Map<String, @Nullable Object>> inRange() {
    return RowValues.newestFirst(sequence)
        .thenComparing(RowValues.newestFirst(cursor))
        .thenComparing(row -> !Deletion.isDelete(row))
        .thenComparing(RowValues.newestFirst(ties))
        .thenComparing(VersionOrder::hash, Comparator.reverseOrder());
  }

  /** Tells whether a row is older than the stored one; of two equals the one read later stands. */
  boolean isStale(Map<String, @Nullable Object> row, Map<String, @Nullable Object> stored) {
    if (sequence.isEmpty()) {
      return false;
    }

    return RowValues.newestFirst(sequence)
            .thenComparing(RowValues.newestFirst(cursor))
            .compare(row, stored)
        > 0;
  }

  private static String hash(Map<String, @Nullable Object> row) {
    return Hashing.sha256()
        .hashString(new TreeMap<>(row).toString(), StandardCharsets.UTF_8)
        .toString();
  }
}
