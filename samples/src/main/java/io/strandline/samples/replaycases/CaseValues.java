package io.strandline.samples.replaycases;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Values as a case writes them, as rows in memory hold them, and as Spark wants them.
 *
 * <p>In memory whole numbers are {@code Long}, floating ones {@code Double}, decimals {@code
 * BigDecimal} without zeros at their end, times those of {@code java.time}: as the testkit holds
 * them.
 */
final class CaseValues {
  /** The type of a source that is finer than what is stored of it. */
  static final String NANOSECONDS = "timestamp_nanos";

  private CaseValues() {}

  /** Returns the type that a column of that name is stored as. */
  static DataType type(String name) {
    return DataType.fromDDL(name.equals(NANOSECONDS) ? "timestamp" : name);
  }

  /**
   * Finds a column by its name: exactly, else whatever its case; the name itself if there is none.
   */
  static String find(String name, Collection<String> columns) {
    return columns.contains(name)
        ? name
        : columns.stream().filter(name::equalsIgnoreCase).findFirst().orElse(name);
  }

  /** Makes a value in memory of what a case writes, or of a value of another type. */
  static @Nullable Object read(@Nullable Object json, DataType type) {
    if (json == null) {
      return null;
    }

    if (type instanceof StructType struct && json instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();

      for (StructField field : struct.fields()) {
        values.put(field.name(), read(map.get(field.name()), field.dataType()));
      }

      return values;
    }

    if (type instanceof ArrayType array && json instanceof List<?> list) {
      List<@Nullable Object> values = new ArrayList<>();
      list.forEach(value -> values.add(read(value, array.elementType())));
      return values;
    }

    if (type instanceof MapType entries && json instanceof Map<?, ?> map) {
      Map<Object, @Nullable Object> values = new LinkedHashMap<>();
      map.forEach(
          (key, value) ->
              values.put(simple(key, entries.keyType()), read(value, entries.valueType())));
      return values;
    }

    return simple(json, type);
  }

  private static Object simple(Object json, DataType type) {
    String text = json instanceof BigDecimal number ? number.toPlainString() : json.toString();

    if (isWhole(type)) {
      return new BigDecimal(text.strip()).longValueExact();
    }

    if (type instanceof DecimalType) {
      BigDecimal stripped = new BigDecimal(text).stripTrailingZeros();
      return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    if (type instanceof FloatType) {
      return (double) Float.parseFloat(text);
    }

    if (type instanceof DoubleType) {
      return Double.parseDouble(text);
    }

    if (type instanceof BooleanType) {
      return Boolean.parseBoolean(text);
    }

    if (type instanceof TimestampType) {
      return json instanceof Instant ? json : Instant.parse(text);
    }

    if (type instanceof TimestampNTZType) {
      return json instanceof LocalDateTime ? json : LocalDateTime.parse(text);
    }

    if (type instanceof DateType) {
      return json instanceof LocalDate ? json : LocalDate.parse(text);
    }

    if (json instanceof ByteBuffer) {
      return json;
    }

    return type instanceof BinaryType ? ByteBuffer.wrap(text.getBytes(UTF_8)) : text;
  }

  /** Returns what is stored of a value, which is no finer than a microsecond. */
  static @Nullable Object stored(@Nullable Object value) {
    return value instanceof Instant instant ? instant.truncatedTo(ChronoUnit.MICROS) : value;
  }

  /** Makes the value that Spark wants of a value in memory. */
  static @Nullable Object forSpark(@Nullable Object value, DataType type) {
    if (value instanceof Long number) {
      if (type instanceof IntegerType) {
        return Math.toIntExact(number);
      }

      if (type instanceof ShortType) {
        return number.shortValue();
      }

      return type instanceof ByteType ? (Object) number.byteValue() : number;
    }

    if (value instanceof Double number && type instanceof FloatType) {
      return number.floatValue();
    }

    if (value instanceof ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.duplicate().get(copy);
      return copy;
    }

    if (value instanceof Map<?, ?> map && type instanceof StructType struct) {
      return RowFactory.create(
          Arrays.stream(struct.fields())
              .map(field -> forSpark(map.get(field.name()), field.dataType()))
              .toArray());
    }

    if (value instanceof Map<?, ?> map && type instanceof MapType entries) {
      Map<@Nullable Object, @Nullable Object> values = new LinkedHashMap<>();
      map.forEach(
          (key, element) ->
              values.put(forSpark(key, entries.keyType()), forSpark(element, entries.valueType())));
      return values;
    }

    if (value instanceof List<?> list && type instanceof ArrayType array) {
      return list.stream().map(element -> forSpark(element, array.elementType())).toArray();
    }

    return value;
  }

  /** Makes the row that Spark wants. */
  static Row forSpark(Map<String, @Nullable Object> row, StructType columns) {
    return RowFactory.create(
        Arrays.stream(columns.fields())
            .map(field -> forSpark(row.get(field.name()), field.dataType()))
            .toArray());
  }

  /** Makes rows in memory of what a case writes; the columns are those that it shows. */
  static List<Map<String, @Nullable Object>> rows(
      List<Map<String, @Nullable Object>> json, Map<String, DataType> types) {
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();

    for (Map<String, @Nullable Object> row : json) {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();

      for (Map.Entry<String, @Nullable Object> entry : row.entrySet()) {
        String column = find(entry.getKey(), types.keySet());
        DataType type = types.get(column);

        if (type == null) {
          throw new IllegalArgumentException(
              "There is no column '" + entry.getKey() + "'; there are " + types.keySet() + ".");
        }

        values.put(column, read(entry.getValue(), type));
      }

      rows.add(values);
    }

    return rows;
  }

  /** Tells whether values of that type are whole numbers. */
  static boolean isWhole(DataType type) {
    return type instanceof LongType
        || type instanceof IntegerType
        || type instanceof ShortType
        || type instanceof ByteType;
  }

  /** Tells whether values of that type can be held by the fakes. */
  static boolean isSimple(DataType type) {
    return !(type instanceof StructType)
        && !(type instanceof ArrayType)
        && !(type instanceof MapType)
        && !(type instanceof BinaryType);
  }

  /** Returns a value as a person wants to see it. */
  static String text(@Nullable Object value) {
    if (value instanceof String text) {
      return "\"" + text + "\"";
    }

    if (value instanceof BigDecimal number) {
      return number.toPlainString();
    }

    return String.valueOf(value);
  }

  /** Returns rows as a person wants to see them, in an order of their own. */
  static String text(List<Map<String, @Nullable Object>> rows, List<String> columns) {
    return rows.stream()
        .map(
            row ->
                columns.stream()
                    .map(column -> column + "=" + text(row.get(column)))
                    .collect(joining(", ", "{", "}")))
        .sorted()
        .collect(joining(", ", "[", "]"));
  }
}
