package io.strandline.spark.target;

import static org.apache.spark.sql.functions.lit;

import io.strandline.spark.internal.Columns;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;

/**
 * What keys have in columns that the table is partitioned by, where these are few values. No other
 * partition is looked at then, where bounds would keep all that lie between an old one and the
 * newest; and Delta takes nothing that others write into them for a conflict.
 *
 * @param partitions the columns
 */
record KeyPartitions(List<Partition> partitions) {
  /** So many are named at most: the log of the table repeats them with every commit. */
  private static final int MOST = 100;

  KeyPartitions {
    partitions = List.copyOf(partitions);
  }

  /**
   * What keys have in one column.
   *
   * @param key the column
   * @param values a condition on the column, in literals
   */
  record Partition(String key, Function<Column, Column> values) {}

  static KeyPartitions none() {
    return new KeyPartitions(List.of());
  }

  /**
   * Finds the values, by one small job if there is a column to ask for.
   *
   * @param rows the rows
   * @param columns the columns of the merge
   * @param partitioned the keys that the table is partitioned by, of types that have literals
   */
  static KeyPartitions of(Dataset<Row> rows, MergeColumns columns, List<String> partitioned) {
    if (partitioned.isEmpty()) {
      return none();
    }

    List<Row> found =
        rows.select(
                partitioned.stream()
                    .map(key -> Columns.encode(Columns.col(key), columns.type(key)).as(key))
                    .toArray(Column[]::new))
            .distinct()
            .limit(MOST + 1)
            .collectAsList();
    return found.size() > MOST
        ? none()
        : new KeyPartitions(
            IntStream.range(0, partitioned.size())
                .mapToObj(i -> partition(found, i, partitioned.get(i), columns))
                .toList());
  }

  private static Partition partition(List<Row> found, int index, String key, MergeColumns columns) {
    DataType type = columns.type(key);
    Object[] literals =
        found.stream()
            .map(row -> Columns.decode(row, index, type))
            .flatMap(Optional::stream)
            .distinct()
            .map(value -> Columns.literal(value).cast(type))
            .toArray();
    return found.stream().anyMatch(row -> row.isNullAt(index))
        ? new Partition(key, stored -> stored.isin(literals).or(stored.isNull()))
        : new Partition(key, stored -> stored.isin(literals));
  }

  /**
   * Returns what every stored row of the keys fulfills.
   *
   * @param stored the columns of the table
   */
  Column holds(Function<String, Column> stored) {
    return partitions.stream()
        .map(partition -> partition.values().apply(stored.apply(partition.key())))
        .reduce(lit(true), Column::and);
  }
}
