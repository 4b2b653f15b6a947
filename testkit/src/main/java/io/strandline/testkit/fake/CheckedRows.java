package io.strandline.testkit.fake;

import io.strandline.clean.Cleaned;
import io.strandline.source.Reading;
import io.strandline.target.CheckFinding;
import io.strandline.target.RejectedRows;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Cleaned rows as a target takes them, with what the reserved columns of their cleaner say.
 *
 * @param accepted the rows to merge, without those columns
 * @param rejected the others, as they came where that is known
 * @param warned what checks found that only warn
 * @param failed what checks found that stop a run
 */
record CheckedRows(
    Rows accepted, List<Rows> rejected, List<CheckFinding> warned, List<CheckFinding> failed) {
  private static final String RESERVED = "_strandline_";
  private static final int SAMPLE = 3;

  /**
   * Splits rows.
   *
   * @param cleaned the cleaned rows
   * @param before rows that were rejected already
   * @param isPlaced tells whether the target can place a row
   * @param reason why it cannot
   */
  static CheckedRows of(
      Rows cleaned,
      List<Rows> before,
      Predicate<Map<String, @Nullable Object>> isPlaced,
      String reason) {
    Rows placed = cleaned.filter(isPlaced);
    Rows unplaced = cleaned.filter(isPlaced.negate());
    List<Rows> rejected = new ArrayList<>();
    before.forEach(rows -> rejected.add(without(rows, List.of(Cleaned.FAILED_COLUMN))));

    if (!unplaced.isEmpty()) {
      rejected.add(unplaced.map(row -> asItCame(row, reason)));
    }

    return new CheckedRows(
        plain(placed),
        rejected,
        findings(placed, Cleaned.WARNED_COLUMN),
        findings(before.stream().reduce(Rows.none(), Rows::concat), Cleaned.FAILED_COLUMN));
  }

  /** Returns rows without what a cleaner says of them. */
  static Rows plain(Rows rows) {
    return without(rows, List.of(Cleaned.RAW_COLUMN, Cleaned.WARNED_COLUMN));
  }

  private static Rows without(Rows rows, Collection<String> columns) {
    return columns.stream().noneMatch(rows.columns()::contains)
        ? rows
        : rows.select(
            rows.columns().stream()
                .filter(column -> !columns.contains(column))
                .toArray(String[]::new));
  }

  /** Returns the raw row, or the cleaned one if its cleaner has not kept it. */
  private static Map<String, @Nullable Object> asItCame(
      Map<String, @Nullable Object> row, String reason) {
    Map<String, @Nullable Object> rejected =
        new LinkedHashMap<>(structure(row, Cleaned.RAW_COLUMN));

    if (rejected.isEmpty()) {
      row.forEach(
          (column, value) -> {
            if (!column.startsWith(RESERVED)) {
              rejected.put(column, value);
            }
          });
      rejected.put(RejectedRows.ORIGIN_COLUMN, RejectedRows.BY_TARGET);
    }

    rejected.put(Reading.REASON_COLUMN, reason);
    return rejected;
  }

  private static List<CheckFinding> findings(Rows rows, String column) {
    Map<String, List<String>> byMessage = new LinkedHashMap<>();

    for (Map<String, @Nullable Object> row : rows.maps()) {
      structure(row, column)
          .forEach(
              (message, isBroken) -> {
                if (Boolean.TRUE.equals(isBroken)) {
                  byMessage.computeIfAbsent(message, key -> new ArrayList<>()).add(row.toString());
                }
              });
    }

    return byMessage.entrySet().stream()
        .map(
            found ->
                new CheckFinding(
                    found.getKey(),
                    found.getValue().size(),
                    column.equals(Cleaned.WARNED_COLUMN)
                        ? List.of()
                        : found.getValue().stream().limit(SAMPLE).toList()))
        .toList();
  }

  /** Returns the fields of a column that is a structure; empty if the row lacks it. */
  @SuppressWarnings("unchecked") // Whoever fills a reserved column fills it as it is documented.
  static Map<String, @Nullable Object> structure(Map<String, @Nullable Object> row, String column) {
    return row.get(column) instanceof Map<?, ?> fields
        ? (Map<String, @Nullable Object>) fields
        : Map.of();
  }
}
