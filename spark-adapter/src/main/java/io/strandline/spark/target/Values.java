package io.strandline.spark.target;

import static org.apache.spark.sql.functions.array_sort;
import static org.apache.spark.sql.functions.collate;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.map_entries;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;
import static org.apache.spark.sql.functions.transform;
import static org.apache.spark.sql.functions.when;

import java.util.Arrays;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.VariantType;

/** Values in a form that can be compared, ordered and hashed, whatever their type. */
final class Values {
  private Values() {}

  /**
   * Returns a value in a form in which equal values are equal.
   *
   * <p>Spark neither compares nor hashes maps and variants: a map becomes its entries in the order
   * of the keys, a variant its JSON. Text under a collation is compared as the bytes it is, since
   * 'a' and 'A' are not the same data. Every other type is compared as Spark compares it: NaN
   * equals NaN, and -0.0 equals 0.0.
   */
  static Column comparable(Column value, DataType type) {
    if (isComparable(type)) {
      return value;
    }

    if (type instanceof StringType) {
      return collate(value, "UTF8_BINARY");
    }

    if (type instanceof VariantType) {
      return to_json(value);
    }

    if (type instanceof ArrayType array) {
      return transform(value, element -> comparable(element, array.elementType()));
    }

    if (type instanceof MapType map) {
      StructType entry =
          DataTypes.createStructType(
              new StructField[] {
                DataTypes.createStructField("key", map.keyType(), false),
                DataTypes.createStructField("value", map.valueType(), true)
              });
      return array_sort(transform(map_entries(value), pair -> comparable(pair, entry)));
    }

    StructType fields = (StructType) type;
    Column[] parts =
        Arrays.stream(fields.fields())
            .map(field -> comparable(value.getField(field.name()), field.dataType()))
            .toArray(Column[]::new);
    return when(value.isNull(), lit(null)).otherwise(struct(parts));
  }

  /** Tells whether Spark itself compares, orders and hashes values of a type. */
  static boolean isComparable(DataType type) {
    if (type instanceof StringType text) {
      return text.equals(DataTypes.StringType);
    }

    if (type instanceof ArrayType array) {
      return isComparable(array.elementType());
    }

    if (type instanceof StructType struct) {
      return Arrays.stream(struct.fields()).allMatch(field -> isComparable(field.dataType()));
    }

    return !(type instanceof MapType || type instanceof VariantType);
  }

  /** Tells whether Spark orders values of a type; text of any collation is ordered. */
  static boolean isOrderable(DataType type) {
    return type instanceof StringType || isComparable(type);
  }
}
