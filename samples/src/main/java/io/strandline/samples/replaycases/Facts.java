package io.strandline.samples.replaycases;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What must be true of a table; what is left out may be anything.
 *
 * @param statuses how the run may have ended: ok, noop, failed or crashed; empty if it is not said
 * @param error the code of the error; empty if it is not said
 * @param target the rows of the target, by the columns shown
 * @param watermark the stored value
 * @param watermarkRows how many rows the store has
 * @param rowsMerged the least and the most rows that the run may have merged
 * @param quarantine the rows in the quarantine, by the columns shown
 * @param quarantineCount how many rows are in the quarantine
 * @param targetColumns the columns of the target
 * @param oneOf alternatives, of which one must hold in full; empty if there are none
 */
record Facts(
    List<String> statuses,
    String error,
    Optional<List<Map<String, @Nullable Object>>> target,
    Optional<Stored> watermark,
    Optional<Long> watermarkRows,
    Optional<Between> rowsMerged,
    Optional<List<Map<String, @Nullable Object>>> quarantine,
    Optional<Long> quarantineCount,
    Optional<List<String>> targetColumns,
    List<Facts> oneOf) {

  /**
   * The stored value, as the case writes it.
   *
   * @param allowed the values of which one must be stored; null stands for none
   */
  record Stored(List<@Nullable Object> allowed) {}

  /**
   * A number within bounds.
   *
   * @param min the least
   * @param max the most
   */
  record Between(long min, long max) {
    boolean contains(long number) {
      return min <= number && number <= max;
    }

    @Override
    public String toString() {
      return min == max ? Long.toString(min) : min + " to " + max;
    }
  }
}
