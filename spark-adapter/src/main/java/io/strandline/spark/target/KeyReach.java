package io.strandline.spark.target;

import static org.apache.spark.sql.functions.udf;
import static org.apache.spark.sql.functions.xxhash64;

import io.strandline.spark.internal.Columns;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.util.sketch.BloomFilter;
import org.jspecify.annotations.Nullable;

/**
 * Which stored rows can have one of the keys that are merged, as far as a look at one row tells.
 *
 * <p>Literal bounds leave out files, and so do those of clumps, where most keys are new and a few
 * old, and those of the partitions, where the table is partitioned by keys. Keys without an order
 * lie in all files; there a sketch of the keys, a Bloom filter, leaves out nearly all rows before
 * they are joined, so that a MERGE does not shuffle the key of every stored row. None of them ever
 * leaves out a row that has one of the keys.
 */
final class KeyReach {
  /** The bytes that a table must have at least for a sketch to be worth the job that makes it. */
  private static final long LARGE = 16L << 20;

  /** Up to so many keys are sketched, in about a megabyte, which goes to every reader. */
  private static final long MOST_KEYS = 1_000_000;

  /** Keys are close together if there are so many places for each, so that bounds suffice. */
  private static final long CLOSE = 100;

  /** So many stored rows are few, or so many bytes of them. */
  private static final long FEW = 1_000_000;

  private static final long FEW_BYTES = 64L << 20;

  private static final double SHARE_OF_OTHERS = 0.03;
  private static final String HASH = "_strandline_hash";

  private final KeyMatch keys;
  private final FrozenRows rows;
  private final MergeColumns columns;
  private final KeyClumps clumps;
  private final KeyPartitions partitions;
  private final @Nullable BloomFilter sketch;

  /** How large the table is; the greatest number if nobody has asked. */
  private final long bytes;

  private KeyReach(
      KeyMatch keys,
      FrozenRows rows,
      MergeColumns columns,
      KeyClumps clumps,
      KeyPartitions partitions,
      @Nullable BloomFilter sketch,
      long bytes) {
    this.keys = keys;
    this.rows = rows;
    this.columns = columns;
    this.clumps = clumps;
    this.partitions = partitions;
    this.sketch = sketch;
    this.bytes = bytes;
  }

  /** Returns the literal bounds of the keys alone. */
  static KeyReach bounded(KeyMatch keys, FrozenRows rows, MergeColumns columns) {
    return new KeyReach(
        keys,
        rows,
        columns,
        KeyClumps.none(),
        KeyPartitions.none(),
        /* sketch= */ null,
        Long.MAX_VALUE);
  }

  /**
   * Returns the bounds, the partitions of a table that is partitioned by keys, and a sketch of the
   * keys if the table is large enough to need it, and the bounds leave little out.
   *
   * @param table the table
   * @param partitioned the columns that it is partitioned by
   */
  static KeyReach of(
      KeyMatch keys,
      FrozenRows rows,
      MergeColumns columns,
      Dataset<Row> table,
      List<String> partitioned) {
    long bytes = bytes(table);
    boolean isSketched =
        keys.areBounded()
            && rows.winners() <= MOST_KEYS
            && rows.places(keys) > (double) CLOSE * rows.winners()
            && bytes >= LARGE;
    return new KeyReach(
        keys,
        rows,
        columns,
        isSketched ? rows.clumps(keys) : KeyClumps.none(),
        KeyPartitions.of(rows.chosen(), columns, keys.bounded(partitioned)),
        isSketched ? sketched(rows, columns) : null,
        bytes);
  }

  /** Tells whether the table is so large that a look at its statistics is cheap beside it. */
  boolean isOfLargeTable() {
    return bytes >= LARGE;
  }

  /** Tells whether there are few rows in the table that can have one of the keys. */
  boolean isShort() {
    double reached = sketch == null ? bytes : SHARE_OF_OTHERS * bytes;
    return reached < FEW_BYTES || rows.places(keys) <= FEW;
  }

  private static long bytes(Dataset<Row> table) {
    scala.math.BigInt bytes =
        ((org.apache.spark.sql.classic.Dataset<Row>) table)
            .queryExecution()
            .analyzed()
            .stats()
            .sizeInBytes();
    return bytes.isValidLong() ? bytes.toLong() : Long.MAX_VALUE;
  }

  private static BloomFilter sketched(FrozenRows rows, MergeColumns columns) {
    return rows.chosen()
        .select(hash(columns, Columns::col).as(HASH))
        .stat()
        .bloomFilter(HASH, rows.winners(), SHARE_OF_OTHERS);
  }

  /** Hashes the key, in a form in which it does not matter how wide a column is. */
  private static Column hash(MergeColumns columns, Function<String, Column> row) {
    return xxhash64(
        columns.keys().stream()
            .map(key -> Columns.encode(row.apply(key).cast(columns.type(key)), columns.type(key)))
            .toArray(Column[]::new));
  }

  /**
   * Returns what every stored row of the keys fulfills.
   *
   * @param stored the columns of the table
   */
  Column holds(Function<String, Column> stored) {
    Column bounds =
        rows.bounds(keys, stored).and(clumps.holds(stored)).and(partitions.holds(stored));
    BloomFilter filter = sketch;

    if (filter == null) {
      return bounds;
    }

    UDF1<Long, Boolean> mayHold = filter::mightContainLong;
    return bounds.and(
        udf(mayHold, DataTypes.BooleanType)
            .withName("may_have_a_key_of_the_run")
            .apply(hash(columns, stored)));
  }
}
