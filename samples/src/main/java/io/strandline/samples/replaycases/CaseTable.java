package io.strandline.samples.replaycases;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;

/**
 * One load of a case: from which source, how, and into which target.
 *
 * @param name the name of the table, and of the load
 * @param source where the rows come from
 * @param load how they are loaded
 * @param target what the target is before the first step
 */
record CaseTable(String name, Source source, Load load, Target target) {

  /**
   * Where the rows come from.
   *
   * @param kind delta, jdbc, parquet, csv or cdf
   * @param columns the types of the columns by name, in their order
   * @param partitionBy the columns that the source is partitioned by
   * @param csv the reader's options
   */
  record Source(
      String kind,
      Map<String, String> columns,
      List<String> partitionBy,
      Map<String, String> csv) {}

  /**
   * How the rows are loaded.
   *
   * @param mode scd1 or scd2
   * @param keys the key columns
   * @param watermark what tells new rows
   * @param maxRows the most rows of a run; zero if there is no limit
   * @param orderBy what tells which version is newer
   * @param clean what is done to a column, by column
   * @param casts the type that a column is cast to, by column
   * @param nullKey quarantine or match
   * @param deletes how deleted rows are told, if they are
   * @param sweep how rows that left the source are found, if they are
   * @param schema what happens when columns change, by kind of change
   * @param track the columns whose change opens a version
   * @param skipUnchanged whether it is asked that equal rows are not written
   * @param scd2 the names of the history's columns
   */
  record Load(
      String mode,
      List<String> keys,
      Optional<Newer> watermark,
      long maxRows,
      List<Order> orderBy,
      Map<String, List<String>> clean,
      Map<String, String> casts,
      String nullKey,
      Optional<Deletes> deletes,
      Optional<Sweep> sweep,
      Map<String, String> schema,
      List<String> track,
      boolean skipUnchanged,
      Map<String, String> scd2) {}

  /**
   * What tells new rows.
   *
   * @param columns the watermark columns, left to right; empty if an expression is given
   * @param expression the expression; empty if columns are given
   * @param bound inclusive or exclusive
   * @param lag how far below the watermark to read again: an ISO duration or a number; empty if not
   * @param nullCursor quarantine or load
   * @param future allow or cap
   * @param sentinels values that count as none, as the case writes them
   */
  record Newer(
      List<String> columns,
      String expression,
      String bound,
      String lag,
      String nullCursor,
      String future,
      List<@Nullable Object> sentinels) {}

  /**
   * One column of the order of versions.
   *
   * @param column the column
   * @param direction desc or asc
   * @param nulls first or last
   */
  record Order(String column, String direction, String nulls) {}

  /**
   * How deleted rows are told.
   *
   * @param column the column that tells; empty if the source itself tells
   * @param equals the value that it has in a deleted row
   * @param how hard or soft
   */
  record Deletes(String column, @Nullable Object equals, String how) {}

  /**
   * How rows that left the source are found.
   *
   * @param how hard, soft or close
   * @param flag the column that is set by soft deletes; empty otherwise
   * @param onEmptySource what an empty source means; empty if it is not said
   * @param maxFraction the largest share that may go; empty if it is not said
   */
  record Sweep(String how, String flag, String onEmptySource, String maxFraction) {}

  /**
   * What the target is before the first step.
   *
   * @param columns the types of its columns by name; a type may be left out
   * @param preload its rows
   * @param properties the properties of the table
   */
  record Target(
      Map<String, @Nullable Object> columns,
      List<Map<String, @Nullable Object>> preload,
      Map<String, String> properties) {
    boolean existsBefore() {
      return !columns.isEmpty() || !preload.isEmpty();
    }
  }

  /** Returns the types of the source's columns, nanoseconds as what is stored of them. */
  Map<String, DataType> sourceTypes() {
    Map<String, DataType> types = new LinkedHashMap<>();
    source.columns().forEach((column, type) -> types.put(column, CaseValues.type(type)));
    return types;
  }

  /** Returns the types that the cleaned rows have, which are those of a new target. */
  Map<String, DataType> cleanedTypes() {
    Map<String, DataType> types = sourceTypes();
    load.casts().forEach((column, type) -> types.put(column, CaseValues.type(type)));
    return types;
  }

  /** Returns the types of a target that is there before the first step. */
  Map<String, DataType> targetTypes() {
    Map<String, DataType> cleaned = cleanedTypes();

    if (target.columns().isEmpty()) {
      return cleaned;
    }

    Map<String, DataType> types = new LinkedHashMap<>();
    target
        .columns()
        .forEach(
            (column, type) ->
                types.put(
                    column,
                    type == null
                        ? cleaned.getOrDefault(column, CaseValues.type("string"))
                        : CaseValues.type(type.toString())));
    return types;
  }

  /** Returns every type that the table names. */
  Stream<String> typeNames() {
    return Stream.of(
            source.columns().values().stream(),
            load.casts().values().stream(),
            target.columns().values().stream().map(String::valueOf))
        .flatMap(names -> names);
  }
}
