package io.strandline.source;

import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How far below the watermark a run reads again, to catch rows that arrived late. */
public sealed interface Lookback {

  /** Returns the lookback that reads nothing again. */
  static Lookback none() {
    return None.NONE;
  }

  /**
   * Lowers a watermark by this lookback.
   *
   * @param watermark the stored watermark; of a composite one the first value is lowered
   * @return the lower end to read from
   * @throws IllegalArgumentException if a watermark of that kind cannot be lowered by this lookback
   */
  Watermark below(Watermark watermark);

  /** Reads nothing again. */
  enum None implements Lookback {
    /** The only one. */
    NONE;

    @Override
    public Watermark below(Watermark watermark) {
      return watermark;
    }

    @Override
    public String toString() {
      return "none";
    }
  }

  /**
   * Reads the given time again.
   *
   * @param duration the time, positive; of a date watermark, whole days, rounded up
   */
  record OfTime(Duration duration) implements Lookback {
    /** Checks the duration. */
    public OfTime {
      if (duration.isNegative() || duration.isZero()) {
        throw new IllegalArgumentException(
            "Cannot look back by " + duration + ": a lookback must be positive.");
      }
    }

    @Override
    public Watermark below(Watermark watermark) {
      if (watermark instanceof Watermark.Timestamp timestamp) {
        return Watermark.at(timestamp.value().minus(duration));
      }

      if (watermark instanceof Watermark.LocalTimestamp timestamp) {
        return Watermark.at(timestamp.value().minus(duration));
      }

      if (watermark instanceof Watermark.Date date) {
        long days = duration.plusDays(1).minusNanos(1).toDays();
        return Watermark.on(date.value().minusDays(days));
      }

      return LookbackOfFirst.lower(this, watermark);
    }

    @Override
    public String toString() {
      return duration.toString();
    }
  }

  /**
   * Reads the given distance of numbers again.
   *
   * @param distance the distance, positive
   */
  record OfNumber(BigDecimal distance) implements Lookback {
    /** Checks the distance. */
    public OfNumber {
      if (distance.signum() <= 0) {
        throw new IllegalArgumentException(
            "Cannot look back by " + distance + ": a lookback must be positive.");
      }
    }

    @Override
    public Watermark below(Watermark watermark) {
      if (watermark instanceof Watermark.IntegerNumber number) {
        BigDecimal lower = BigDecimal.valueOf(number.value()).subtract(distance);
        return Watermark.of(lower.max(BigDecimal.valueOf(Long.MIN_VALUE)).longValue());
      }

      if (watermark instanceof Watermark.DecimalNumber number) {
        return Watermark.of(number.value().subtract(distance));
      }

      return LookbackOfFirst.lower(this, watermark);
    }

    @Override
    public String toString() {
      return distance.toPlainString();
    }
  }
}

/** Lowers the first value of a composite watermark. */
final class LookbackOfFirst {
  private LookbackOfFirst() {}

  static Watermark lower(Lookback lookback, Watermark watermark) {
    if (watermark.kind() != WatermarkKind.COMPOSITE) {
      throw new IllegalArgumentException(
          "Cannot look back by "
              + lookback
              + " from "
              + watermark.typed()
              + ": a lookback of time needs a watermark of time, one of numbers a number.");
    }

    List<Watermark> values = new ArrayList<>(watermark.values());
    values.set(0, lookback.below(values.get(0)));
    return Watermark.of(values);
  }
}
