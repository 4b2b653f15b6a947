package io.strandline.spark.target;

import java.util.List;

/**
 * What a user declared of a history beside what every merge needs.
 *
 * @param effective the column that says from when on a row holds; empty for the watermark column
 * @param tracked the columns whose change opens a version; empty for all that are data
 * @param names the columns that the history adds
 */
record HistoryDeclaration(String effective, List<String> tracked, HistoryNames names) {
  /** Copies the list. */
  HistoryDeclaration {
    tracked = List.copyOf(tracked);
  }

  static HistoryDeclaration usual() {
    return new HistoryDeclaration("", List.of(), HistoryNames.USUAL);
  }

  HistoryDeclaration effectiveFrom(String column) {
    return new HistoryDeclaration(column, tracked, names);
  }

  HistoryDeclaration tracking(List<String> columns) {
    return new HistoryDeclaration(effective, columns, names);
  }

  HistoryDeclaration named(HistoryNames newNames) {
    return new HistoryDeclaration(effective, tracked, newNames);
  }

  /** Returns what is remembered, as it follows the declaration of the merge. */
  @Override
  public String toString() {
    return (effective.isEmpty() ? "; effective by the watermark" : "; effective from " + effective)
        + (tracked.isEmpty() ? "" : "; tracking " + String.join(", ", tracked));
  }
}
