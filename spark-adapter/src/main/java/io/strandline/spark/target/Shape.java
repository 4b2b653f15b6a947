package io.strandline.spark.target;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.map_entries;
import static org.apache.spark.sql.functions.map_from_entries;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.transform;
import static org.apache.spark.sql.functions.when;

import io.strandline.spark.internal.Columns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.delta.TypeWidening;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.AtomicType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Rows in the columns that they are written into, or compared in, found by name at every depth. */
final class Shape {
  private final ColumnNames names;

  Shape(ColumnNames names) {
    this.names = names;
  }

  /**
   * Gives rows other columns: null for those that they lack, without those that are not wanted.
   *
   * @param rows the rows
   * @param wanted the columns, whose types hold all values of those of the rows
   * @param more columns to keep as they are
   */
  Dataset<Row> shaped(Dataset<Row> rows, StructType wanted, String... more) {
    StructType there = rows.schema();
    List<Column> columns = new ArrayList<>();

    for (StructField column : wanted.fields()) {
      Optional<StructField> found = names.find(column.name(), there);
      columns.add(
          found
              .map(field -> shaped(Columns.col(field.name()), field.dataType(), column.dataType()))
              .orElseGet(() -> lit(null).cast(column.dataType()))
              .as(column.name()));
    }

    Arrays.stream(more).map(Columns::col).forEach(columns::add);
    return rows.select(columns.toArray(Column[]::new));
  }

  /** Gives rows the columns that they lack, if any; what they have more may stay. */
  Dataset<Row> covering(Dataset<Row> rows, StructType wanted) {
    StructType there = rows.schema();
    boolean isCovered =
        Arrays.stream(wanted.fields())
            .allMatch(
                column ->
                    names
                        .find(column.name(), there)
                        .filter(field -> isSame(field.dataType(), column.dataType()))
                        .isPresent());
    return isCovered ? rows : shaped(rows, wanted);
  }

  private Column shaped(Column value, DataType type, DataType wanted) {
    if (isSame(type, wanted)) {
      return value;
    }

    if (type instanceof ArrayType array && wanted instanceof ArrayType other) {
      return transform(value, element -> shaped(element, array.elementType(), other.elementType()));
    }

    if (type instanceof MapType map && wanted instanceof MapType other) {
      return map_from_entries(
          transform(
              map_entries(value),
              entry ->
                  struct(
                      shaped(entry.getField("key"), map.keyType(), other.keyType()),
                      shaped(entry.getField("value"), map.valueType(), other.valueType()))));
    }

    if (type instanceof StructType fields && wanted instanceof StructType others) {
      Column[] parts =
          Arrays.stream(others.fields())
              .map(field -> part(value, fields, field).as(field.name()))
              .toArray(Column[]::new);
      return when(value.isNotNull(), struct(parts));
    }

    return value.cast(wanted);
  }

  private Column part(Column value, StructType fields, StructField wanted) {
    return names
        .find(wanted.name(), fields)
        .map(field -> shaped(value.getField(field.name()), field.dataType(), wanted.dataType()))
        .orElseGet(() -> lit(null).cast(wanted.dataType()));
  }

  /** Tells whether two types are one, whatever may be null in them. */
  static boolean isSame(DataType one, DataType other) {
    return DataType.equalsIgnoreNullability(one, other);
  }

  /** Tells whether a type holds all values of another and more, and Delta can widen it so. */
  static boolean isWider(DataType type, DataType than) {
    return !type.equals(than)
        && type instanceof AtomicType wide
        && than instanceof AtomicType narrow
        && TypeWidening.isTypeChangeSupported(narrow, wide);
  }
}
