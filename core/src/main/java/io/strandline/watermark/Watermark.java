package io.strandline.watermark;

import static java.util.stream.Collectors.joining;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;

/**
 * How far the last good run of a load got: a typed, ordered value.
 *
 * <p>Watermarks of one kind are ordered; {@link #start()} comes before all of them. Watermarks of
 * different kinds cannot be compared. Immutable.
 */
public sealed interface Watermark extends Comparable<Watermark> {

  /** Returns the watermark of a load that never ran, which is before every other. */
  static Watermark start() {
    return Start.INSTANCE;
  }

  /**
   * Makes a watermark of a point in time.
   *
   * @param value the point in time, whole microseconds
   * @return the watermark
   * @throws IllegalArgumentException if the value is finer than a microsecond
   */
  static Watermark at(Instant value) {
    return new Timestamp(value);
  }

  /**
   * Makes a watermark of a date and time of day without a zone.
   *
   * @param value the date and time, whole microseconds
   * @return the watermark
   * @throws IllegalArgumentException if the value is finer than a microsecond
   */
  static Watermark at(LocalDateTime value) {
    return new LocalTimestamp(value);
  }

  /**
   * Makes a watermark of a day.
   *
   * @param value the day
   * @return the watermark
   */
  static Watermark on(LocalDate value) {
    return new Date(value);
  }

  /**
   * Makes a watermark of a whole number.
   *
   * @param value the number
   * @return the watermark
   */
  static Watermark of(long value) {
    return new IntegerNumber(value);
  }

  /**
   * Makes a watermark of a decimal number.
   *
   * @param value the number; zeros at its end do not count
   * @return the watermark
   */
  static Watermark of(BigDecimal value) {
    return new DecimalNumber(value);
  }

  /**
   * Makes a watermark of text.
   *
   * @param value the text, compared exactly
   * @return the watermark
   */
  static Watermark of(String value) {
    return new Text(value);
  }

  /**
   * Makes a watermark of a table's version.
   *
   * @param value the version, zero or more
   * @return the watermark
   * @throws IllegalArgumentException if the version is negative
   */
  static Watermark ofVersion(long value) {
    return new Version(value);
  }

  /**
   * Makes a watermark of several values, compared left to right.
   *
   * @param values two values or more, none of them {@link #start()} or composite
   * @return the watermark
   * @throws IllegalArgumentException if there are fewer than two values, or one is not simple
   */
  static Watermark of(List<Watermark> values) {
    return new Composite(values);
  }

  /**
   * Reads what {@link #typed()} wrote.
   *
   * @param typed the kind's word, a colon, and the value's text
   * @return the watermark
   * @throws IllegalArgumentException if the text is not of that form
   */
  static Watermark parse(String typed) {
    int colon = typed.indexOf(':');

    if (colon < 0) {
      throw new IllegalArgumentException(
          "Cannot read '" + typed + "' as a watermark: the kind and a colon are missing.");
    }

    return parse(WatermarkKind.ofWord(typed.substring(0, colon)), typed.substring(colon + 1));
  }

  /**
   * Reads a value of a known kind.
   *
   * @param kind the kind
   * @param text the value, as {@link #text()} wrote it
   * @return the watermark
   * @throws IllegalArgumentException if the text is no value of that kind
   */
  static Watermark parse(WatermarkKind kind, String text) {
    try {
      return switch (kind) {
        case START -> start();
        case TIMESTAMP -> at(Instant.parse(text));
        case LOCAL_TIMESTAMP -> at(LocalDateTime.parse(text));
        case DATE -> on(LocalDate.parse(text));
        case INTEGER -> of(Long.parseLong(text));
        case DECIMAL -> of(new BigDecimal(text));
        case TEXT -> of(text);
        case VERSION -> ofVersion(Long.parseLong(text));
        case COMPOSITE -> Composite.parse(text);
      };
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "Cannot read '" + text + "' as a watermark of kind " + kind.word() + ".", e);
    }
  }

  /** Returns the kind of the value. */
  WatermarkKind kind();

  /** Returns the value exactly, without its kind, in the form that {@link #parse} reads. */
  String text();

  /** Returns the kind's word, a colon, and the value exactly, in the form that parse reads. */
  default String typed() {
    return kind().word() + ":" + text();
  }

  /**
   * Tells whether this watermark is greater than another.
   *
   * @param other the other watermark, of the same kind or {@link #start()}
   * @return whether this one is greater
   * @throws IllegalArgumentException if the kinds differ
   */
  default boolean isAfter(Watermark other) {
    return compareTo(other) > 0;
  }

  /** Tells whether this is the watermark of a load that never ran. */
  default boolean isStart() {
    return kind() == WatermarkKind.START;
  }

  /**
   * Tells whether another watermark can be compared with this one.
   *
   * @param other the other watermark
   * @return whether the kinds are the same, value by value, or one of the two is {@link #start()}
   */
  default boolean isComparableTo(Watermark other) {
    return kind() == other.kind() || isStart() || other.isStart();
  }

  /**
   * Returns the values of this watermark: several if it is composite, else itself alone.
   *
   * @return the values, left to right; never empty
   */
  default List<Watermark> values() {
    return List.of(this);
  }

  /**
   * Returns the greater of two watermarks.
   *
   * @param one a watermark
   * @param other another, of the same kind or {@link #start()}
   * @return the greater one; the first if they are equal
   * @throws IllegalArgumentException if the kinds differ
   */
  static Watermark max(Watermark one, Watermark other) {
    return other.isAfter(one) ? other : one;
  }

  /**
   * Compares two watermarks of one kind; {@link #start()} is before all.
   *
   * @param other the other watermark
   * @return negative, zero or positive
   * @throws IllegalArgumentException if the kinds differ
   */
  @Override
  default int compareTo(Watermark other) {
    if (isStart() || other.isStart()) {
      return Boolean.compare(other.isStart(), isStart());
    }

    if (!isComparableTo(other)) {
      throw new IllegalArgumentException(
          "Cannot compare watermark " + typed() + " with " + other.typed() + ": the kinds differ.");
    }

    return WatermarkOrder.compare(this, other);
  }

  /** The watermark of a load that never ran. */
  record Start() implements Watermark {
    private static final Start INSTANCE = new Start();

    @Override
    public WatermarkKind kind() {
      return WatermarkKind.START;
    }

    @Override
    public String text() {
      return "";
    }

    @Override
    public String toString() {
      return "the start";
    }
  }

  /**
   * A point in time.
   *
   * @param value the point in time, whole microseconds
   */
  record Timestamp(Instant value) implements Watermark {
    /** Checks the precision. */
    public Timestamp {
      WatermarkOrder.requireMicroseconds(value);
    }

    @Override
    public WatermarkKind kind() {
      return WatermarkKind.TIMESTAMP;
    }

    @Override
    public String text() {
      return value.toString();
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /**
   * A date and time of day without a zone.
   *
   * @param value the date and time, whole microseconds
   */
  record LocalTimestamp(LocalDateTime value) implements Watermark {
    /** Checks the precision. */
    public LocalTimestamp {
      WatermarkOrder.requireMicroseconds(value);
    }

    @Override
    public WatermarkKind kind() {
      return WatermarkKind.LOCAL_TIMESTAMP;
    }

    @Override
    public String text() {
      return value.toString();
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /**
   * A day.
   *
   * @param value the day
   */
  record Date(LocalDate value) implements Watermark {
    @Override
    public WatermarkKind kind() {
      return WatermarkKind.DATE;
    }

    @Override
    public String text() {
      return value.toString();
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /**
   * A whole number.
   *
   * @param value the number
   */
  record IntegerNumber(long value) implements Watermark {
    @Override
    public WatermarkKind kind() {
      return WatermarkKind.INTEGER;
    }

    @Override
    public String text() {
      return Long.toString(value);
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /**
   * A decimal number; two that differ only in zeros at the end are equal.
   *
   * @param value the number, without zeros at its end
   */
  record DecimalNumber(BigDecimal value) implements Watermark {
    /** Takes the zeros at the end away, so that equal numbers are equal. */
    public DecimalNumber {
      value = value.stripTrailingZeros();
    }

    @Override
    public WatermarkKind kind() {
      return WatermarkKind.DECIMAL;
    }

    @Override
    public String text() {
      return value.toPlainString();
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /**
   * Text, ordered by code points.
   *
   * @param value the text
   */
  record Text(String value) implements Watermark {
    @Override
    public WatermarkKind kind() {
      return WatermarkKind.TEXT;
    }

    @Override
    public String text() {
      return value;
    }

    @Override
    public String toString() {
      return "'" + value + "'";
    }
  }

  /**
   * The version of a table.
   *
   * @param value the version, zero or more
   */
  record Version(long value) implements Watermark {
    /** Checks the version. */
    public Version {
      if (value < 0) {
        throw new IllegalArgumentException(
            "Cannot make a watermark of table version " + value + ": versions start at 0.");
      }
    }

    @Override
    public WatermarkKind kind() {
      return WatermarkKind.VERSION;
    }

    @Override
    public String text() {
      return Long.toString(value);
    }

    @Override
    public String toString() {
      return "version " + value;
    }
  }

  /**
   * Several values, compared left to right.
   *
   * @param values two simple values or more
   */
  record Composite(List<Watermark> values) implements Watermark {
    /** Copies and checks the values. */
    public Composite {
      values = List.copyOf(values);

      if (values.size() < 2) {
        throw new IllegalArgumentException(
            "Cannot make a composite watermark of " + values + ": it needs two values or more.");
      }

      for (Watermark value : values) {
        if (value.isStart() || value instanceof Composite) {
          throw new IllegalArgumentException(
              "Cannot make a composite watermark of " + values + ": each value must be simple.");
        }
      }
    }

    static Composite parse(String text) {
      List<Watermark> values = new ArrayList<>();
      StringBuilder value = new StringBuilder();

      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);

        if (c == '\\') {
          i++;
          value.append(text.charAt(i));
        } else if (c == '|') {
          values.add(Watermark.parse(value.toString()));
          value.setLength(0);
        } else {
          value.append(c);
        }
      }

      values.add(Watermark.parse(value.toString()));
      return new Composite(values);
    }

    @Override
    public WatermarkKind kind() {
      return WatermarkKind.COMPOSITE;
    }

    @Override
    public boolean isComparableTo(Watermark other) {
      if (!(other instanceof Composite)) {
        return other.isStart();
      }

      return values.stream()
          .map(Watermark::kind)
          .toList()
          .equals(other.values().stream().map(Watermark::kind).toList());
    }

    @Override
    public String text() {
      return values.stream()
          .map(value -> value.typed().replace("\\", "\\\\").replace("|", "\\|"))
          .collect(joining("|"));
    }

    @Override
    public String toString() {
      return values.stream().map(Watermark::toString).collect(joining(", ", "(", ")"));
    }
  }
}
