package io.strandline.testkit.spark;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** Values on their way into Spark and out of it. */
final class SparkValues {
  private SparkValues() {}

  /** Makes each value what the schema says. */
  static Row fitted(StructType type, Row row) {
    if (row.length() != type.length()) {
      throw new IllegalArgumentException(
          "Cannot make the row "
              + row
              + ": it has "
              + row.length()
              + " values, the schema "
              + type.length()
              + " columns, "
              + Arrays.toString(type.fieldNames())
              + ".");
    }

    Object[] values = new Object[row.length()];

    for (int i = 0; i < values.length; i++) {
      StructField field = type.fields()[i];
      values[i] = fitted(field.dataType(), row.get(i));
    }

    return RowFactory.create(values);
  }

  private static @Nullable Object fitted(DataType type, @Nullable Object value) {
    if (value == null) {
      return null;
    }

    if (value instanceof Number number) {
      return fittedNumber(type, number);
    }

    if (value instanceof String text) {
      return fittedText(type, text);
    }

    return value;
  }

  private static Object fittedNumber(DataType type, Number number) {
    if (type.equals(DataTypes.LongType)) {
      return number.longValue();
    }

    if (type.equals(DataTypes.IntegerType)) {
      return Math.toIntExact(number.longValue());
    }

    if (type.equals(DataTypes.ShortType)) {
      return number.shortValue();
    }

    if (type.equals(DataTypes.ByteType)) {
      return number.byteValue();
    }

    if (type.equals(DataTypes.DoubleType)) {
      return number.doubleValue();
    }

    if (type.equals(DataTypes.FloatType)) {
      return number.floatValue();
    }

    return type instanceof DecimalType ? new BigDecimal(number.toString()) : number;
  }

  private static Object fittedText(DataType type, String text) {
    if (type instanceof DecimalType) {
      return new BigDecimal(text);
    }

    if (type.equals(DataTypes.TimestampType)) {
      return Instant.parse(text);
    }

    if (type.equals(DataTypes.TimestampNTZType)) {
      return LocalDateTime.parse(text);
    }

    return type.equals(DataTypes.DateType) ? LocalDate.parse(text) : text;
  }

  /** Makes equal values equal, whatever classes the session's settings bring them in. */
  static @Nullable Object canonical(@Nullable Object value) {
    if (value instanceof Timestamp timestamp) {
      return timestamp.toInstant();
    }

    if (value instanceof java.sql.Date date) {
      return date.toLocalDate();
    }

    if (value instanceof byte[] bytes) {
      return ByteBuffer.wrap(bytes);
    }

    if (value instanceof Row row) {
      return canonical(row);
    }

    if (value instanceof scala.collection.Seq<?> sequence) {
      return CollectionConverters.asJava(sequence).stream().map(SparkValues::canonical).toList();
    }

    if (value instanceof scala.collection.Map<?, ?> map) {
      return CollectionConverters.asJava(map);
    }

    return value;
  }

  private static Object canonical(Row row) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    List<String> names = row.schema() == null ? List.of() : List.of(row.schema().fieldNames());

    for (int i = 0; i < row.length(); i++) {
      values.put(names.isEmpty() ? "_" + (i + 1) : names.get(i), canonical(row.get(i)));
    }

    return values;
  }
}
