package io.strandline.load;

/**
 * Keeps one row per attempt of a load, failed ones included.
 *
 * <p>A log that cannot be written does not fail the run; the result names it as a warning.
 */
@FunctionalInterface
public interface LoadLog {

  /**
   * Keeps an entry.
   *
   * @param entry what happened
   */
  void write(LoadLogEntry entry);

  /** Returns a log that keeps nothing. */
  static LoadLog none() {
    return entry -> {};
  }
}
