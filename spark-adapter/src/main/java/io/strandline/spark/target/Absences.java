package io.strandline.spark.target;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.transform;
import static org.apache.spark.sql.functions.transform_values;
import static org.apache.spark.sql.functions.when;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What rows have no values for, though they are written into it: columns and fields that only the
 * table has.
 *
 * @param paths for each the names that lead to it, as the table spells them; {@code element} and
 *     {@code value} lead into arrays and maps
 */
record Absences(Set<List<String>> paths) {
  private static final Absences NONE = new Absences(Set.of());

  /** Copies the paths. */
  Absences {
    paths = Set.copyOf(paths);
  }

  static Absences none() {
    return NONE;
  }

  /** Tells whether a column, or anything in it, is absent. */
  boolean isIn(String column) {
    return isIn(List.of(column));
  }

  private boolean isIn(List<String> path) {
    return paths.stream().anyMatch(absent -> startsWith(absent, path));
  }

  private static boolean startsWith(List<String> path, List<String> start) {
    return path.size() >= start.size() && path.subList(0, start.size()).equals(start);
  }

  /** Returns a value with null for all that rows have no value for, so that it can be compared. */
  Column masked(StructField column, Column value) {
    return masked(value, column.dataType(), List.of(column.name()));
  }

  private Column masked(Column value, DataType type, List<String> path) {
    if (!isIn(path)) {
      return value;
    }

    if (paths.contains(path)) {
      return lit(null).cast(type);
    }

    if (type instanceof ArrayType array) {
      List<String> inside = Paths.to(path, Paths.ELEMENT);
      return transform(value, element -> masked(element, array.elementType(), inside));
    }

    if (type instanceof MapType map) {
      List<String> inside = Paths.to(path, Paths.VALUE);
      return transform_values(value, (key, each) -> masked(each, map.valueType(), inside));
    }

    return rebuilt(
        (StructType) type,
        value,
        field ->
            masked(value.getField(field.name()), field.dataType(), Paths.to(path, field.name())));
  }

  /** Returns the value of a row with all that it has no value for taken from another one. */
  Column kept(StructField column, Column value, Column from) {
    return kept(value, from, column.dataType(), List.of(column.name()));
  }

  private Column kept(Column value, Column from, DataType type, List<String> path) {
    if (paths.contains(path)) {
      return from;
    }

    if (!(type instanceof StructType struct) || !isIn(path)) {
      return value;
    }

    return rebuilt(
        struct,
        value,
        field ->
            kept(
                value.getField(field.name()),
                from.getField(field.name()),
                field.dataType(),
                Paths.to(path, field.name())));
  }

  private interface Part {
    Column of(StructField field);
  }

  private static Column rebuilt(StructType type, Column value, Part part) {
    Column[] parts =
        Arrays.stream(type.fields())
            .map(field -> part.of(field).as(field.name()))
            .toArray(Column[]::new);
    return when(value.isNotNull(), struct(parts));
  }
}
