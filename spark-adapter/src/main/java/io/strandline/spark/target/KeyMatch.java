package io.strandline.spark.target;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.trim;
import static org.apache.spark.sql.functions.when;

import io.strandline.spark.internal.Columns;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;

/** How rows find the stored row of their key, and what becomes of rows without a key. */
final class KeyMatch {
  /** What may stand in a text that is blank: what Java's and SQL's white space have in common. */
  private static final String WHITE_SPACE = " \t\n\u000B\f\r";

  private final MergeColumns columns;
  private final NullKeys nulls;

  /** Columns that are no keys, and without which a row cannot be placed either. */
  private final List<String> required;

  KeyMatch(MergeColumns columns, NullKeys nulls) {
    this(columns, nulls, List.of());
  }

  private KeyMatch(MergeColumns columns, NullKeys nulls, List<String> required) {
    this.columns = columns;
    this.nulls = nulls;
    this.required = required;
  }

  /** Rejects rows without a value in a column that is no key. */
  KeyMatch requiring(String column) {
    return new KeyMatch(columns, nulls, List.of(column));
  }

  /** Makes blank keys null where null is a key like any other, since blank counts as null. */
  Dataset<Row> normalized(Dataset<Row> rows) {
    if (nulls == NullKeys.REJECTED) {
      return rows;
    }

    Dataset<Row> normalized = rows;

    for (String key : columns.keys()) {
      if (columns.type(key) instanceof StringType) {
        Column column = Columns.col(key);
        normalized = normalized.withColumn(key, when(not(isBlank(column)), column));
      }
    }

    return normalized;
  }

  /** Returns why a row cannot be merged; null if it can. */
  Column rejection() {
    List<Column> reasons = new ArrayList<>();
    reasons.add(lit(null).cast(DataTypes.StringType));

    for (String name : required) {
      reasons.add(when(Columns.col(name).isNull(), lit("column '" + name + "' is null")));
    }

    reasons.addAll(unkeyed());
    return coalesce(reasons.toArray(new Column[0]));
  }

  /** Tells whether a row has a key, whatever else it lacks. */
  Column isKeyed() {
    return unkeyed().stream().map(Column::isNull).reduce(lit(true), Column::and);
  }

  private List<Column> unkeyed() {
    List<Column> reasons = new ArrayList<>();

    for (String key : nulls == NullKeys.MATCHED ? List.<String>of() : columns.keys()) {
      Column column = Columns.col(key);
      Column reason = when(column.isNull(), lit("key column '" + key + "' is null"));
      reasons.add(
          columns.type(key) instanceof StringType
              ? reason.when(isBlank(column), lit("key column '" + key + "' is blank"))
              : reason);
    }

    return reasons;
  }

  /** Tells whether two rows are of one key. */
  Column matches(Function<String, Column> row, Function<String, Column> stored) {
    return columns.keys().stream()
        .map(
            key ->
                nulls == NullKeys.MATCHED
                    ? stored.apply(key).eqNullSafe(row.apply(key))
                    : stored.apply(key).equalTo(row.apply(key)))
        .reduce(Column::and)
        .orElseThrow();
  }

  /** Returns what to aggregate over rows to learn where their keys lie. */
  List<Column> measures(Column isCounted) {
    List<Column> measures = new ArrayList<>();

    for (String key : boundedKeys()) {
      Column counted = when(isCounted, Columns.encode(Columns.col(key), columns.type(key)));
      measures.add(min(counted));
      measures.add(max(counted));
      measures.add(count(when(isCounted.and(Columns.col(key).isNull()), lit(1))));
    }

    return measures;
  }

  /**
   * Returns what every stored row of the measured keys fulfills, in literals, so that Delta leaves
   * files unread that cannot hold them.
   *
   * @param measured a row of {@link #measures}
   * @param offset where in the row they begin
   * @param stored the columns of the table
   */
  Column bounds(Row measured, int offset, Function<String, Column> stored) {
    Column bounds = lit(true);
    int index = offset;

    for (String key : boundedKeys()) {
      DataType type = columns.type(key);
      Column column = stored.apply(key);
      Optional<Watermark> low = Columns.decode(measured, index, type);
      Optional<Watermark> high = Columns.decode(measured, index + 1, type);
      boolean hasNulls = measured.getLong(index + 2) > 0;
      index += 3;

      if (low.isEmpty() || high.isEmpty()) {
        bounds = hasNulls ? bounds.and(column.isNull()) : bounds;
        continue;
      }

      Column within =
          column
              .geq(Columns.literal(low.get()).cast(type))
              .and(column.leq(Columns.literal(high.get()).cast(type)));
      bounds = bounds.and(hasNulls ? column.isNull().or(within) : within);
    }

    return bounds;
  }

  /**
   * Counts the whole numbers between the bounds of the keys, which is how many keys there can be.
   *
   * @param measured a row of {@link #measures}
   * @param offset where in the row they begin
   * @return the number; infinite if a key is of another type
   */
  double places(Row measured, int offset) {
    double places = areBounded() ? 1 : Double.POSITIVE_INFINITY;
    int index = offset;

    for (String key : boundedKeys()) {
      Optional<WatermarkKind> kind = Columns.kindOf(columns.type(key));
      boolean isWhole =
          kind.filter(k -> k == WatermarkKind.INTEGER || k == WatermarkKind.DATE).isPresent();

      if (!isWhole || measured.isNullAt(index)) {
        return Double.POSITIVE_INFINITY;
      }

      double low = ((Number) measured.get(index)).doubleValue();
      double high = ((Number) measured.get(index + 1)).doubleValue();
      places *= high - low + 1;
      index += 3;
    }

    return places;
  }

  /**
   * Returns the least and the greatest key, if it is one column of whole numbers and never null.
   *
   * @param measured a row of {@link #measures}
   * @param offset where in the row they begin
   */
  Optional<KeyClumps.Clump> ends(Row measured, int offset) {
    boolean isWhole =
        columns.keys().size() == 1
            && Columns.kindOf(columns.type(columns.keys().get(0)))
                .filter(kind -> kind == WatermarkKind.INTEGER)
                .isPresent();
    return isWhole && !measured.isNullAt(offset) && measured.getLong(offset + 2) == 0
        ? Optional.of(new KeyClumps.Clump(measured.getLong(offset), measured.getLong(offset + 1)))
        : Optional.empty();
  }

  /** Tells whether literals, hashes and file statistics agree on all keys. */
  boolean areBounded() {
    return boundedKeys().size() == columns.keys().size();
  }

  /** Returns those of some columns that are keys, of types whose literals say what a row has. */
  List<String> bounded(List<String> names) {
    return boundedKeys().stream().filter(names::contains).toList();
  }

  /** Returns the keys of types whose order literals and file statistics share. */
  private List<String> boundedKeys() {
    return columns.keys().stream()
        .filter(key -> Values.isComparable(columns.type(key)))
        .filter(key -> Columns.kindOf(columns.type(key)).isPresent())
        .toList();
  }

  private static Column isBlank(Column text) {
    return coalesce(trim(text, WHITE_SPACE).equalTo(""), lit(false));
  }
}
