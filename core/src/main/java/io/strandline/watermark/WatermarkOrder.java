package io.strandline.watermark;

import com.google.common.collect.Comparators;
import com.google.common.primitives.UnsignedBytes;
import java.nio.charset.StandardCharsets;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import java.util.Comparator;

/** The order within a kind, and the precision that stored values keep. */
final class WatermarkOrder {
  private static final int NANOS_PER_MICRO = 1_000;
  private static final Comparator<Iterable<Watermark>> LEFT_TO_RIGHT =
      Comparators.lexicographical(Comparator.<Watermark>naturalOrder());

  private WatermarkOrder() {}

  /** Compares two watermarks of which the kinds are known to be the same. */
  static int compare(Watermark one, Watermark other) {
    if (one instanceof Watermark.Timestamp a && other instanceof Watermark.Timestamp b) {
      return a.value().compareTo(b.value());
    }

    if (one instanceof Watermark.LocalTimestamp a && other instanceof Watermark.LocalTimestamp b) {
      return a.value().compareTo(b.value());
    }

    if (one instanceof Watermark.Date a && other instanceof Watermark.Date b) {
      return a.value().compareTo(b.value());
    }

    if (one instanceof Watermark.IntegerNumber a && other instanceof Watermark.IntegerNumber b) {
      return Long.compare(a.value(), b.value());
    }

    if (one instanceof Watermark.DecimalNumber a && other instanceof Watermark.DecimalNumber b) {
      return a.value().compareTo(b.value());
    }

    if (one instanceof Watermark.Text a && other instanceof Watermark.Text b) {
      return compareCodePoints(a.value(), b.value());
    }

    if (one instanceof Watermark.Version a && other instanceof Watermark.Version b) {
      return Long.compare(a.value(), b.value());
    }

    return LEFT_TO_RIGHT.compare(one.values(), other.values());
  }

  /** Compares as UTF-8 bytes compare; {@code String.compareTo} orders surrogates differently. */
  private static int compareCodePoints(String one, String other) {
    return UnsignedBytes.lexicographicalComparator()
        .compare(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }

  /** Refuses what a microsecond cannot hold, since a rounded bound loses or repeats rows. */
  static void requireMicroseconds(Temporal value) {
    if (value.get(ChronoField.NANO_OF_SECOND) % NANOS_PER_MICRO != 0) {
      throw new IllegalArgumentException(
          "Cannot make a watermark of "
              + value
              + ": it is finer than a microsecond. Cut it to microseconds, downward.");
    }
  }
}
