package io.strandline.testkit.fake;

import io.strandline.watermark.Watermark;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the values of a row mean to watermarks and orders. */
final class RowValues {
  private RowValues() {}

  /**
   * Measures a row.
   *
   * @return the watermark of the row; empty if one of the columns is null
   */
  static Optional<Watermark> watermark(Map<String, @Nullable Object> row, List<String> columns) {
    if (columns.stream().anyMatch(column -> row.get(column) == null)) {
      return Optional.empty();
    }

    List<Watermark> values =
        columns.stream().map(column -> watermark(column, row.get(column))).toList();
    return Optional.of(values.size() == 1 ? values.get(0) : Watermark.of(values));
  }

  private static Watermark watermark(String column, @Nullable Object value) {
    if (value instanceof Instant instant) {
      return Watermark.at(instant);
    }

    if (value instanceof LocalDateTime time) {
      return Watermark.at(time);
    }

    if (value instanceof LocalDate day) {
      return Watermark.on(day);
    }

    if (value instanceof Long number) {
      return Watermark.of(number);
    }

    if (value instanceof BigDecimal number) {
      return Watermark.of(number);
    }

    if (value instanceof String text) {
      return Watermark.of(text);
    }

    throw new IllegalArgumentException(
        "column '" + column + "' holds " + value + ", which cannot be a watermark");
  }

  /** Puts the greater value first, and null last; of values without an order any two are equal. */
  static Comparator<Map<String, @Nullable Object>> newestFirst(List<String> columns) {
    return (one, other) -> {
      for (String column : columns) {
        int order = compare(one.get(column), other.get(column));

        if (order != 0) {
          return -order;
        }
      }

      return 0;
    };
  }

  private static int compare(@Nullable Object one, @Nullable Object other) {
    if (one == null || other == null) {
      return Boolean.compare(one != null, other != null);
    }

    if (one instanceof String a && other instanceof String b) {
      return Watermark.of(a).compareTo(Watermark.of(b));
    }

    if (one instanceof Comparable<?> && one.getClass() == other.getClass()) {
      @SuppressWarnings("unchecked") // Both are of the one class that says it can be compared.
      Comparable<Object> comparable = (Comparable<Object>) one;
      return comparable.compareTo(other);
    }

    return 0;
  }
}
