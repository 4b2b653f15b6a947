package io.strandline.spark.internal;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.unix_date;
import static org.apache.spark.sql.functions.unix_micros;

import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.UTF8String;

/** Columns by exact name, and watermarks as Spark's values. */
public final class Columns {
  /** Of two names, one in so many letters may be wrong for a near miss. */
  private static final int LETTERS_PER_SLIP = 4;

  private Columns() {}

  /**
   * Returns a column by its exact name, whatever characters the name has.
   *
   * @param name the name, unquoted
   * @return the column
   */
  public static Column col(String name) {
    return functions.col(quoted(name));
  }

  /**
   * Returns a column of an aliased set of rows by its exact name.
   *
   * @param alias the alias, unquoted
   * @param name the name, unquoted
   * @return the column
   */
  public static Column col(String alias, String name) {
    return functions.col(quoted(alias) + "." + quoted(name));
  }

  /**
   * Returns a name quoted for SQL.
   *
   * @param name the name, unquoted
   * @return the name in backticks
   */
  public static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }

  /**
   * Returns the kind of watermark that a type of column can hold.
   *
   * @param type the type
   * @return the kind; empty if the type has no total order that a watermark can keep
   */
  public static Optional<WatermarkKind> kindOf(DataType type) {
    if (type instanceof TimestampType) {
      return Optional.of(WatermarkKind.TIMESTAMP);
    }

    if (type instanceof TimestampNTZType) {
      return Optional.of(WatermarkKind.LOCAL_TIMESTAMP);
    }

    if (type instanceof DateType) {
      return Optional.of(WatermarkKind.DATE);
    }

    if (type instanceof LongType
        || type instanceof IntegerType
        || type instanceof ShortType
        || type instanceof ByteType) {
      return Optional.of(WatermarkKind.INTEGER);
    }

    if (type instanceof DecimalType) {
      return Optional.of(WatermarkKind.DECIMAL);
    }

    return type instanceof StringType ? Optional.of(WatermarkKind.TEXT) : Optional.empty();
  }

  /**
   * Returns a simple watermark as a typed literal; no session zone touches it.
   *
   * @param watermark the watermark, neither the start nor composite
   * @return the literal
   */
  public static Column literal(Watermark watermark) {
    if (watermark instanceof Watermark.Timestamp timestamp) {
      return lit(timestamp.value());
    }

    if (watermark instanceof Watermark.LocalTimestamp timestamp) {
      return lit(timestamp.value());
    }

    if (watermark instanceof Watermark.Date date) {
      return lit(date.value());
    }

    if (watermark instanceof Watermark.IntegerNumber number) {
      return lit(number.value());
    }

    if (watermark instanceof Watermark.Version version) {
      return lit(version.value());
    }

    if (watermark instanceof Watermark.DecimalNumber number) {
      // A negative scale, as of 1E+3, is none that Spark's decimals have.
      BigDecimal value = number.value();
      return lit(value.scale() < 0 ? value.setScale(0) : value);
    }

    if (watermark instanceof Watermark.Text text) {
      return lit(text.value());
    }

    throw new IllegalArgumentException("Cannot write " + watermark.typed() + " as one literal.");
  }

  /**
   * Returns a watermark column in the form in which {@link #decode} reads it, exactly and in no
   * session's zone or calendar.
   *
   * @param column the column
   * @param type its type
   * @return microseconds, days, or the column itself
   */
  public static Column encode(Column column, DataType type) {
    if (type instanceof TimestampType) {
      return unix_micros(column);
    }

    if (type instanceof DateType) {
      return unix_date(column);
    }

    return kindOf(type).filter(kind -> kind == WatermarkKind.INTEGER).isPresent()
        ? column.cast("bigint")
        : column;
  }

  /**
   * Reads a value that {@link #encode} wrote.
   *
   * @param row the row
   * @param index where in the row the value stands
   * @param type the type of the column before it was encoded
   * @return the watermark; empty if the value is null
   */
  public static Optional<Watermark> decode(Row row, int index, DataType type) {
    if (row.isNullAt(index)) {
      return Optional.empty();
    }

    WatermarkKind kind =
        kindOf(type)
            .orElseThrow(
                () -> new IllegalArgumentException("Cannot measure by type " + type.sql() + "."));
    return Optional.of(
        switch (kind) {
          case TIMESTAMP -> Watermark.at(Instant.EPOCH.plus(row.getLong(index), ChronoUnit.MICROS));
          case LOCAL_TIMESTAMP -> Watermark.at(row.<LocalDateTime>getAs(index));
          case DATE -> Watermark.on(LocalDate.ofEpochDay(row.getInt(index)));
          case INTEGER -> Watermark.of(row.getLong(index));
          case DECIMAL -> Watermark.of(row.getDecimal(index));
          case TEXT -> Watermark.of(row.getString(index));
          case START, VERSION, COMPOSITE -> throw new AssertionError(kind);
        });
  }

  /**
   * Suggests the name that was perhaps meant.
   *
   * @param name a name that does not exist
   * @param names those that do
   * @return a sentence with a blank before it; empty if no name is near
   */
  public static String nearMiss(String name, List<String> names) {
    return names.stream()
        .min(Comparator.comparingInt(other -> distance(name, other)))
        .filter(other -> distance(name, other) <= Math.max(1, name.length() / LETTERS_PER_SLIP))
        .map(other -> " Did you mean '" + other + "'?")
        .orElse("");
  }

  private static int distance(String one, String other) {
    return plain(one).levenshteinDistance(plain(other));
  }

  private static UTF8String plain(String name) {
    return UTF8String.fromString(name.toLowerCase(Locale.ROOT));
  }
}
