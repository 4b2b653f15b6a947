package io.strandline.testkit.fake;

import io.strandline.load.LoadLog;
import io.strandline.load.LoadLogEntry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A load log in memory. Safe for use by several threads. */
public final class FakeLoadLog implements LoadLog {
  private final List<LoadLogEntry> entries = new CopyOnWriteArrayList<>();

  /** Makes an empty log. */
  public FakeLoadLog() {}

  @Override
  public void write(LoadLogEntry entry) {
    entries.add(entry);
  }

  /** Returns the entries, oldest first. */
  public List<LoadLogEntry> entries() {
    return List.copyOf(entries);
  }

  /**
   * Returns the newest entry.
   *
   * @throws IllegalStateException if nothing was written
   */
  public LoadLogEntry last() {
    if (entries.isEmpty()) {
      throw new IllegalStateException("Cannot tell the last entry of the load log: it is empty.");
    }

    return entries.get(entries.size() - 1);
  }
}
