package io.strandline.spark.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The tables that runs of this process are writing into just now. Safe for use by several threads.
 */
public final class TablesInUse {
  private static final Map<String, Integer> WRITERS = new ConcurrentHashMap<>();

  private TablesInUse() {}

  /**
   * Does some work that writes into a table.
   *
   * @param table the table
   * @param work the work
   * @param <T> what the work gives
   * @return what the work gave
   */
  public static <T> T during(DeltaRef table, Supplier<T> work) {
    String name = table.sqlIdentifier();
    WRITERS.merge(name, 1, Integer::sum);

    try {
      return work.get();
    } finally {
      WRITERS.computeIfPresent(name, (key, writers) -> writers == 1 ? null : writers - 1);
    }
  }

  /**
   * Tells whether a run of this process is writing into a table.
   *
   * @param table the table
   */
  public static boolean isInUse(DeltaRef table) {
    return WRITERS.containsKey(table.sqlIdentifier());
  }
}
