package io.strandline.spark.target;

import static java.util.Comparator.comparing;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.xxhash64;

import com.google.common.collect.Lists;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The columns of one merge and their parts in it, by the names that they have in the table.
 *
 * @param schema all columns of the cleaned rows
 * @param keys what tells rows apart
 * @param sequence what says which version is newer; empty if the row read last wins
 * @param cursor the watermark columns, as far as they survived cleaning
 * @param ties what decides between versions of equal sequence and cursor
 * @param stamped what is written but neither compared nor hashed
 * @param removal what a delete does
 * @param flags the flag of soft deletes; empty if there is none
 * @param drift how the columns of the rows differ from those of the table
 */
record MergeColumns(
    StructType schema,
    List<String> keys,
    List<String> sequence,
    List<String> cursor,
    List<String> ties,
    List<String> stamped,
    Removal removal,
    List<String> flags,
    Drift drift) {

  /** Columns are found by the names that the table has. */
  private static final Shape SHAPE = new Shape(ColumnNames.CASE_SENSITIVE);

  /** What a delete does. */
  enum Removal {
    /** No row is a delete. */
    NONE,
    HARD,
    SOFT
  }

  /** Makes the columns of rows that have those of the table. */
  MergeColumns(
      StructType schema,
      List<String> keys,
      List<String> sequence,
      List<String> cursor,
      List<String> ties,
      List<String> stamped,
      Removal removal,
      List<String> flags) {
    this(schema, keys, sequence, cursor, ties, stamped, removal, flags, Drift.none());
  }

  List<String> names() {
    return List.of(schema.fieldNames());
  }

  DataType type(String name) {
    return schema.apply(name).dataType();
  }

  /** Returns the same columns with another key. */
  MergeColumns keyedBy(List<String> newKeys) {
    return new MergeColumns(
        schema, newKeys, sequence, cursor, ties, stamped, removal, flags, drift);
  }

  /** Returns the same parts among other columns. */
  MergeColumns of(StructType newSchema) {
    return new MergeColumns(
        newSchema, keys, sequence, cursor, ties, stamped, removal, flags, drift);
  }

  /**
   * Returns the order of the versions of a key within a range, newest first.
   *
   * <p>It is total: after sequence, cursor, deletes and ties comes a hash of the columns by name,
   * and where two hashes are equal the columns themselves, so that neither the order of rows nor
   * the partitioning nor the session's zone ever decides.
   */
  Column[] newestFirst() {
    List<Column> order = new ArrayList<>();
    versionColumns().forEach(name -> order.add(Columns.col(name).desc_nulls_last()));

    if (removal != Removal.NONE) {
      order.add(Columns.col(Deletion.MARK).desc());
    }

    ties.stream()
        .map(name -> Values.comparable(Columns.col(name), type(name)).desc_nulls_last())
        .forEach(order::add);
    order.add(hash().desc());
    Stream.concat(comparedByName(), stampedByName())
        .filter(field -> !keys.contains(field.name()))
        .map(field -> Values.comparable(Columns.col(field.name()), field.dataType()).desc())
        .forEach(order::add);
    return order.toArray(new Column[0]);
  }

  /** Returns a hash of the columns that are not stamped, by name; null has its own place in it. */
  Column hash() {
    return xxhash64(
        comparedByName()
            .flatMap(
                field -> {
                  Column column = drift.absent().masked(field, Columns.col(field.name()));
                  return Stream.of(Values.comparable(column, field.dataType()), column.isNull());
                })
            .toArray(Column[]::new));
  }

  /**
   * Tells whether a row is older than the stored one: by sequence, then by cursor; null is the
   * oldest. Never null.
   */
  Column isOlder(Function<String, Column> row, Function<String, Column> stored) {
    if (sequence.isEmpty()) {
      return lit(false);
    }

    Column older = lit(false);

    for (String name : Lists.reverse(versionColumns())) {
      Column mine = row.apply(name);
      Column theirs = stored.apply(name);
      Column less = mine.isNull().and(theirs.isNotNull()).or(coalesce(mine.lt(theirs), lit(false)));
      older = less.or(mine.eqNullSafe(theirs).and(older));
    }

    return older;
  }

  /** Tells whether a row has what the stored one has, in all columns but keys and stamped ones. */
  Column isEqual(Function<String, Column> row, Function<String, Column> stored) {
    return comparedByName()
        .filter(field -> !keys.contains(field.name()))
        .map(
            field ->
                compared(field, row.apply(field.name()))
                    .eqNullSafe(compared(field, stored.apply(field.name()))))
        .reduce(Column::and)
        .orElse(lit(true));
  }

  /** Returns what is compared of a column: what rows have values for. */
  Column compared(StructField column, Column value) {
    return Values.comparable(drift.absent().masked(column, value), column.dataType());
  }

  /** Returns the value that a row leaves in the table: what it lacks is kept. */
  Column kept(String name, Column value, Column stored) {
    return drift.absent().isIn(name)
        ? drift.absent().kept(schema.apply(name), value, stored)
        : value;
  }

  /**
   * Makes a table ready to be given these columns: creates it, or adds what it lacks.
   *
   * @param found what the table is; empty if it is missing
   * @param creation how to create it; null if it must exist
   * @throws Problem if it cannot be changed so, or others have changed it meanwhile
   */
  void makeReady(DeltaRef table, Optional<DeltaSnapshot> found, @Nullable TableCreation creation) {
    if (found.isEmpty()) {
      if (creation != null) {
        creation.create();
      }

      return;
    }

    TableChange change = new TableChange(schema);

    if (!drift.changesTable() && change.lack(found.get().schema()).isOfRows()) {
      throw new Problem(
          ProblemKind.TARGET_CONFLICT,
          "merge rows into " + table.name(),
          "somebody has changed its columns during the run",
          "Run the load again.");
    }

    change.make(table, found.get());
  }

  /** Gives rows of the table these columns as they will be in it, where they are not yet. */
  Dataset<Row> in(Dataset<Row> table) {
    return SHAPE.covering(table, schema);
  }

  /** Tells whether a row is a delete. Never null. */
  Column isDelete(Function<String, Column> row) {
    return removal == Removal.NONE ? lit(false) : row.apply(Deletion.MARK);
  }

  /** Tells whether a row is a soft delete that says only who is deleted, and when. Never null. */
  Column isBare(Function<String, Column> row) {
    if (removal != Removal.SOFT || data().isEmpty()) {
      return lit(false);
    }

    return data().stream().map(name -> row.apply(name).isNull()).reduce(isDelete(row), Column::and);
  }

  /** Returns the columns that a bare delete leaves as they are. */
  List<String> data() {
    return names().stream()
        .filter(
            name ->
                Stream.of(keys, versionColumns(), stamped, flags)
                    .noneMatch(others -> others.contains(name)))
        .toList();
  }

  /** Returns the columns that say which version is newer: the sequence, then the cursor. */
  List<String> versionColumns() {
    return Stream.concat(sequence.stream(), cursor.stream()).distinct().toList();
  }

  /**
   * Returns the column that says first which version is newer, if literals and the statistics of
   * files agree on its order, and two versions that differ in it are not the same.
   */
  Optional<String> measuredVersion() {
    return sequence.stream()
        .limit(1)
        .filter(name -> !stamped.contains(name))
        .filter(name -> Values.isComparable(type(name)))
        .filter(name -> Columns.kindOf(type(name)).isPresent())
        .findFirst();
  }

  private Stream<StructField> comparedByName() {
    return byName().filter(field -> !stamped.contains(field.name()));
  }

  private Stream<StructField> stampedByName() {
    return byName().filter(field -> stamped.contains(field.name()));
  }

  private Stream<StructField> byName() {
    return Arrays.stream(schema.fields())
        .sorted(
            comparing((StructField field) -> field.name().toLowerCase(Locale.ROOT))
                .thenComparing(StructField::name));
  }
}
