package io.strandline.spark.target;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.struct;

import io.strandline.spark.internal.Columns;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The columns of a history and their parts in it, by the names that they have in the table.
 *
 * @param rows the columns of the cleaned rows, each row an event
 * @param effective the one that says from when on a row holds
 * @param tracked those whose change opens a version
 * @param names the columns that only the table has
 * @param event what a version keeps of an event
 */
record HistoryColumns(
    MergeColumns rows,
    String effective,
    List<String> tracked,
    HistoryNames names,
    StructType event) {
  private static final String ALWAYS = "_strandline_always";

  /** Copies the list. */
  HistoryColumns {
    tracked = List.copyOf(tracked);
  }

  /** Returns the columns of the events, of which each key has one for each instant. */
  MergeColumns events() {
    return rows.keyedBy(Stream.concat(rows.keys().stream(), Stream.of(effective)).toList());
  }

  /** Returns the columns of the table, of which each key has one row for each beginning. */
  MergeColumns versions() {
    return rows.keyedBy(Stream.concat(rows.keys().stream(), Stream.of(names.from())).toList())
        .of(versionSchema());
  }

  private StructType versionSchema() {
    StructType schema = new StructType();

    for (var field : rows.schema().fields()) {
      schema = schema.add(field);
    }

    DataType instant = rows.type(effective);
    return schema
        .add(names.from(), instant)
        .add(names.to(), instant)
        .add(names.current(), DataTypes.BooleanType)
        .add(HistoryNames.EVENTS, eventsType());
  }

  /** Returns how a version keeps its events but the last. */
  ArrayType eventsType() {
    return DataTypes.createArrayType(event, true);
  }

  /** Returns the columns in which the events of one version may differ. */
  List<String> carried() {
    return rows.names().stream()
        .filter(name -> !rows.keys().contains(name))
        .filter(name -> !tracked.contains(name))
        .toList();
  }

  /** Returns the same columns for a table that keeps events in a certain order of their columns. */
  HistoryColumns keepingAs(StructType kept) {
    StructType all = new StructType();

    List<String> carried = carried();

    for (StructField field : kept.fields()) {
      String name = field.name();
      all = all.add(name, carried.contains(name) ? rows.type(name) : field.dataType(), true);
    }

    for (String name : carried) {
      boolean isKept = List.of(kept.fieldNames()).contains(name);
      all = isKept ? all : all.add(name, rows.type(name), true);
    }

    return new HistoryColumns(rows, effective, tracked, names, all);
  }

  /** Returns what a delete says: who was deleted, when, and how new the news is. */
  boolean isOfDeletes(String name) {
    return rows.keys().contains(name)
        || name.equals(effective)
        || rows.versionColumns().contains(name);
  }

  /** Returns the tracked columns of an event as one value, equal if all of them are. */
  Column trackedOf(Function<String, Column> row) {
    return together(tracked.stream(), row);
  }

  /** Returns all that is compared of an event. */
  Column comparedOf(Function<String, Column> row) {
    return together(
        rows.names().stream()
            .filter(name -> !rows.keys().contains(name))
            .filter(name -> !rows.stamped().contains(name)),
        row);
  }

  /** Returns what a person sees of an event beside when it was and how new. */
  Column shownOf(Function<String, Column> row) {
    return together(
        rows.names().stream()
            .filter(name -> !isOfDeletes(name))
            .filter(name -> !rows.ties().contains(name))
            .filter(name -> !rows.stamped().contains(name)),
        row);
  }

  /** Returns what a version keeps of an event; what the rows no longer have is null. */
  Column carriedOf(Function<String, Column> row) {
    List<String> carried = carried();
    return struct(
        Arrays.stream(event.fields())
            .map(
                field ->
                    (carried.contains(field.name()) ? row.apply(field.name()) : lit(null))
                        .cast(field.dataType())
                        .as(field.name()))
            .toArray(Column[]::new));
  }

  /** Joins values, never to null; for that there is one that is always there. */
  private Column together(Stream<String> columns, Function<String, Column> row) {
    return struct(
        Stream.concat(
                Stream.of(lit(0).as(ALWAYS)),
                columns.map(name -> Values.comparable(row.apply(name), rows.type(name)).as(name)))
            .toArray(Column[]::new));
  }

  /** Returns the names of all columns of the table. */
  List<String> all() {
    return versions().names();
  }

  Column[] keys() {
    return rows.keys().stream().map(Columns::col).toArray(Column[]::new);
  }
}
