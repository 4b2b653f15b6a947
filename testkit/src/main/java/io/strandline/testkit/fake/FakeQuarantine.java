package io.strandline.testkit.fake;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Reading;
import io.strandline.target.Quarantine;
import io.strandline.target.RejectedRows;
import io.strandline.watermark.LoadName;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A quarantine in memory, which tells rows by load, content and reason.
 *
 * <p>Strict by default: a row without a reason is refused. Safe for use by several threads.
 */
public final class FakeQuarantine implements Quarantine<Rows> {
  private final String name;
  private final Set<Entry> entries = new LinkedHashSet<>();
  private int commits;

  /** What makes a row the same row. */
  private record Entry(LoadName load, Map<String, @Nullable Object> row) {}

  private FakeQuarantine(String name) {
    this.name = name;
  }

  /**
   * Makes an empty quarantine.
   *
   * @param name its name
   * @return the quarantine
   */
  public static FakeQuarantine named(String name) {
    return new FakeQuarantine(name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized long put(RejectedRows<Rows> rejected) {
    Set<Entry> added = new LinkedHashSet<>();

    for (Rows rows : rejected.rows()) {
      for (Map<String, @Nullable Object> row : rows.maps()) {
        requireReason(row);
        added.add(new Entry(rejected.load(), row));
      }
    }

    added.removeAll(entries);

    if (!added.isEmpty()) {
      entries.addAll(added);
      commits++;
    }

    return added.size();
  }

  private void requireReason(Map<String, @Nullable Object> row) {
    if (row.get(Reading.REASON_COLUMN) == null) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "put a row into " + name,
          "it does not say why it was rejected, in column '" + Reading.REASON_COLUMN + "'",
          "Give each rejected row its reason.");
    }
  }

  /**
   * Returns what is kept of a load.
   *
   * @param load the load
   * @return its rows, oldest first, each with its reason in the last column
   */
  public synchronized Rows rows(LoadName load) {
    return Rows.of(
        entries.stream().filter(entry -> entry.load().equals(load)).map(Entry::row).toList());
  }

  /** Returns how many times rows were added. */
  public synchronized int commits() {
    return commits;
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
