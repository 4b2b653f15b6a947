package io.strandline.spark.source;

import io.strandline.watermark.Watermark;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Function;
import java.util.stream.LongStream;

/** Splits the values between two watermarks into parts of about the same width. */
final class RangeSplit {
  private static final int DIGITS_OF_A_MICROSECOND = 6;

  private RangeSplit() {}

  /**
   * Splits a range.
   *
   * @param lowest the lowest value, simple
   * @param highest the highest value, of the same kind
   * @param parts how many parts there are to be
   * @return where the second part and all further ones begin, in order; fewer than asked for if
   *     there are not as many values, none for text
   */
  static List<Watermark> between(Watermark lowest, Watermark highest, int parts) {
    if (lowest instanceof Watermark.Timestamp low && highest instanceof Watermark.Timestamp high) {
      return split(
          micros(low.value()),
          micros(high.value()),
          parts,
          value -> Watermark.at(instant(value.longValueExact())));
    }

    if (lowest instanceof Watermark.LocalTimestamp low
        && highest instanceof Watermark.LocalTimestamp high) {
      return split(
          micros(low.value().toInstant(ZoneOffset.UTC)),
          micros(high.value().toInstant(ZoneOffset.UTC)),
          parts,
          value ->
              Watermark.at(
                  LocalDateTime.ofInstant(instant(value.longValueExact()), ZoneOffset.UTC)));
    }

    if (lowest instanceof Watermark.Date low && highest instanceof Watermark.Date high) {
      return split(
          BigDecimal.valueOf(low.value().toEpochDay()),
          BigDecimal.valueOf(high.value().toEpochDay()),
          parts,
          value -> Watermark.on(LocalDate.ofEpochDay(value.longValueExact())));
    }

    if (lowest instanceof Watermark.IntegerNumber low
        && highest instanceof Watermark.IntegerNumber high) {
      return split(
          BigDecimal.valueOf(low.value()),
          BigDecimal.valueOf(high.value()),
          parts,
          value -> Watermark.of(value.longValueExact()));
    }

    if (lowest instanceof Watermark.DecimalNumber low
        && highest instanceof Watermark.DecimalNumber high) {
      return split(low.value(), high.value(), parts, Watermark::of);
    }

    return List.of();
  }

  /** Boundaries are whole numbers, rounded up, so that each lies above the lowest value. */
  private static List<Watermark> split(
      BigDecimal low, BigDecimal high, int parts, Function<BigDecimal, Watermark> watermark) {
    BigDecimal width = high.subtract(low);
    return LongStream.range(1, parts)
        .mapToObj(
            part ->
                low.add(
                    width.multiply(
                        BigDecimal.valueOf(part)
                            .divide(BigDecimal.valueOf(parts), MathContext.DECIMAL128))))
        .map(value -> value.setScale(0, RoundingMode.CEILING))
        .filter(value -> value.compareTo(low) > 0 && value.compareTo(high) <= 0)
        .distinct()
        .map(watermark)
        .toList();
  }

  private static BigDecimal micros(Instant instant) {
    return BigDecimal.valueOf(instant.getEpochSecond())
        .movePointRight(DIGITS_OF_A_MICROSECOND)
        .add(BigDecimal.valueOf(instant.get(ChronoField.MICRO_OF_SECOND)));
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
