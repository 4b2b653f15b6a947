package io.strandline.spark.target;

import static org.apache.spark.sql.functions.floor;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;

import io.strandline.spark.internal.Columns;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * The intervals that whole-number keys lie in, where they lie in clumps: mostly new keys and a few
 * old ones have the whole table between the least and the greatest, and nearly none of it in them.
 *
 * @param key the key
 * @param type its type
 * @param clumps the intervals, in their order; empty if there are no clumps
 */
record KeyClumps(String key, DataType type, List<Clump> clumps) {
  private static final String KEY = "_strandline_key";

  /** The keys are sorted into so many intervals of equal length, which is what is collected. */
  private static final long INTERVALS = 1000;

  /** So many clumps are told apart at most: Delta compares each with the statistics of files. */
  private static final int MOST_CLUMPS = 32;

  /** A gap is this part of the keys between the ends at least, or it leaves out too little. */
  private static final long NARROWEST_GAP = 100;

  /** Clumps that cover more of the keys between the ends leave too little out. */
  private static final double LARGEST_SHARE = 0.5;

  KeyClumps {
    clumps = List.copyOf(clumps);
  }

  /**
   * An interval.
   *
   * @param low its least key
   * @param high its greatest key
   */
  record Clump(long low, long high) {}

  static KeyClumps none() {
    return new KeyClumps("", DataTypes.LongType, List.of());
  }

  /**
   * Finds the clumps, by one small job.
   *
   * @param rows the rows
   * @param key their key, which is never null
   * @param ends the least and the greatest key
   */
  static KeyClumps of(Dataset<Row> rows, String key, Clump ends) {
    long span = ends.high() - ends.low();

    // More than a long holds, as of hashes, which have no clumps.
    if (span < INTERVALS) {
      return none();
    }

    Column interval = floor(Columns.col(KEY).minus(ends.low()).divide(span / INTERVALS + 1));
    List<Clump> found =
        rows
            .select(Columns.col(key).cast("bigint").as(KEY))
            .groupBy(interval)
            .agg(min(KEY), max(KEY))
            .collectAsList()
            .stream()
            .map(row -> new Clump(row.getLong(1), row.getLong(2)))
            .sorted(Comparator.comparingLong(Clump::low))
            .toList();
    List<Clump> clumps = joined(found, span / NARROWEST_GAP);
    double covered = clumps.stream().mapToDouble(clump -> clump.high() - clump.low()).sum();
    return covered <= LARGEST_SHARE * span
        ? new KeyClumps(key, rows.schema().apply(key).dataType(), clumps)
        : none();
  }

  /** Joins neighbors across all gaps but the widest. */
  private static List<Clump> joined(List<Clump> found, long narrow) {
    Set<Integer> gaps = new HashSet<>();
    IntStream.range(1, found.size())
        .boxed()
        .filter(i -> found.get(i).low() - found.get(i - 1).high() > narrow)
        .sorted(
            Comparator.comparingLong((Integer i) -> found.get(i).low() - found.get(i - 1).high())
                .reversed())
        .limit(MOST_CLUMPS - 1L)
        .forEach(gaps::add);
    List<Clump> joined = new ArrayList<>();

    for (int i = 0; i < found.size(); i++) {
      Clump next = found.get(i);

      if (i == 0 || gaps.contains(i)) {
        joined.add(next);
      } else {
        Clump last = joined.remove(joined.size() - 1);
        joined.add(new Clump(last.low(), next.high()));
      }
    }

    return joined;
  }

  /**
   * Returns what every stored row of the keys fulfills, in literals.
   *
   * @param stored the columns of the table
   */
  Column holds(Function<String, Column> stored) {
    return clumps.stream()
        .map(
            clump ->
                stored
                    .apply(key)
                    .between(lit(clump.low()).cast(type), lit(clump.high()).cast(type)))
        .reduce(Column::or)
        .orElse(lit(true));
  }
}
