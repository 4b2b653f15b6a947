package io.strandline.spark.target;

import java.util.List;

/**
 * The names of the columns that a history adds to the cleaned rows.
 *
 * @param from the column of the instant from which on a version holds
 * @param to the column of the instant from which on it holds no more
 * @param current the column of the flag of versions that hold still
 */
record HistoryNames(String from, String to, String current) {
  /** The column in which a version keeps its events but the last. */
  static final String EVENTS = "_strandline_events";

  static final HistoryNames USUAL = new HistoryNames("valid_from", "valid_to", "is_current");

  List<String> all() {
    return List.of(from, to, current, EVENTS);
  }
}
