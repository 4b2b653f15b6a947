package io.strandline.spark.watermark;

import io.strandline.spark.internal.Columns;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.jspecify.annotations.Nullable;

/**
 * How a column of somebody's table holds watermarks: exactly, or not at all.
 *
 * @param name the column
 * @param type its type
 * @param declared the kind that was declared; null to tell it from the type
 */
record ValueColumn(String name, DataType type, @Nullable WatermarkKind declared) {
  /** As most databases print and read a time of day: always seconds, a fraction if there is one. */
  private static final DateTimeFormatter SQL_TIME =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendLiteral(' ')
          .appendPattern("HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 6, true)
          .toFormatter(Locale.ROOT);

  /** Tells whether text must say itself what kind of value it is. */
  boolean isSelfDescribing() {
    return type instanceof StringType && declared == null;
  }

  /** Returns the only kind that the column holds; empty if it holds all, or none. */
  Optional<WatermarkKind> kind() {
    Optional<WatermarkKind> natural = Columns.kindOf(type);

    if (declared == null) {
      return type instanceof StringType ? Optional.empty() : natural;
    }

    boolean fits =
        type instanceof StringType
            || natural.filter(declared::equals).isPresent()
            || (natural.filter(WatermarkKind.INTEGER::equals).isPresent()
                && declared == WatermarkKind.VERSION)
            || (natural.filter(WatermarkKind.DECIMAL::equals).isPresent()
                && (declared == WatermarkKind.INTEGER || declared == WatermarkKind.VERSION));
    return fits ? Optional.of(declared) : Optional.empty();
  }

  /** Tells whether the column can hold a watermark, and give back exactly that. */
  boolean holds(Watermark watermark) {
    if (isSelfDescribing()) {
      return true;
    }

    if (kind().filter(watermark.kind()::equals).isEmpty()) {
      return false;
    }

    if (type instanceof DecimalType decimal) {
      BigDecimal value = new BigDecimal(watermark.text());
      return value.scale() <= decimal.scale()
          && value.precision() - value.scale() <= decimal.precision() - decimal.scale();
    }

    if (watermark instanceof Watermark.IntegerNumber number) {
      return inRange(number.value());
    }

    return !(watermark instanceof Watermark.Version version) || inRange(version.value());
  }

  private boolean inRange(long value) {
    if (type instanceof IntegerType) {
      return value == (int) value;
    }

    if (type instanceof ShortType) {
      return value == (short) value;
    }

    return !(type instanceof ByteType) || value == (byte) value;
  }

  /**
   * Turns a watermark that the column holds into Spark's value for the column.
   *
   * @param watermark the watermark
   * @return the value
   */
  Object write(Watermark watermark) {
    if (type instanceof StringType) {
      return isSelfDescribing() ? watermark.typed() : plainText(watermark);
    }

    if (type instanceof DecimalType decimal) {
      return new BigDecimal(watermark.text()).setScale(decimal.scale());
    }

    if (watermark instanceof Watermark.Timestamp timestamp) {
      return timestamp.value();
    }

    if (watermark instanceof Watermark.LocalTimestamp timestamp) {
      return timestamp.value();
    }

    if (watermark instanceof Watermark.Date date) {
      return date.value();
    }

    return whole(Long.parseLong(watermark.text()));
  }

  /**
   * Turns a value that was read from the column into one that Spark writes to it.
   *
   * @param raw the value as the table's snapshot gives it; null if it is
   * @return the same value
   */
  @Nullable Object raw(@Nullable Object raw) {
    return raw instanceof Long number ? whole(number) : raw;
  }

  private Object whole(long value) {
    if (type instanceof IntegerType) {
      return (int) value;
    }

    if (type instanceof ShortType) {
      return (short) value;
    }

    if (type instanceof ByteType) {
      return (byte) value;
    }

    return value;
  }

  /**
   * Reads a value of the column.
   *
   * @param raw the value as the table's snapshot gives it; null if it is
   * @return the watermark; the start if the value is null, or blank text that cannot be a value
   * @throws IllegalArgumentException if the value is no watermark of the kind
   */
  Watermark read(@Nullable Object raw) {
    if (raw == null) {
      return Watermark.start();
    }

    if (raw instanceof String text && type instanceof StringType) {
      return readText(text);
    }

    if (raw instanceof Instant instant) {
      return Watermark.at(instant);
    }

    if (raw instanceof LocalDateTime time) {
      return Watermark.at(time);
    }

    if (raw instanceof LocalDate date) {
      return Watermark.on(date);
    }

    WatermarkKind kind = kind().orElseThrow(() -> new IllegalArgumentException("no kind"));
    return raw instanceof BigDecimal number && kind != WatermarkKind.DECIMAL
        ? Watermark.parse(kind, Long.toString(number.longValueExact()))
        : Watermark.parse(kind, raw.toString());
  }

  private Watermark readText(String text) {
    if (declared == WatermarkKind.TEXT) {
      return Watermark.of(text);
    }

    String value = text.strip();

    if (value.isEmpty()) {
      return Watermark.start();
    }

    if (declared == null) {
      return Watermark.parse(text);
    }

    return switch (declared) {
      case TIMESTAMP -> Watermark.at(OffsetDateTime.parse(iso(value)).toInstant());
      case LOCAL_TIMESTAMP ->
          Watermark.at(
              value.indexOf(':') < 0
                  ? LocalDate.parse(value).atStartOfDay()
                  : LocalDateTime.parse(iso(value)));
      default -> Watermark.parse(declared, value);
    };
  }

  private static String iso(String text) {
    return text.replaceFirst("(?<=\\d) (?=\\d)", "T").replace(" ", "");
  }

  private static String plainText(Watermark watermark) {
    return watermark instanceof Watermark.LocalTimestamp timestamp
        ? SQL_TIME.format(timestamp.value())
        : watermark.text();
  }
}
