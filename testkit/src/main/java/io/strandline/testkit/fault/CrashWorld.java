package io.strandline.testkit.fault;

import io.strandline.load.IncrementalLoad;
import io.strandline.testkit.fake.Rows;

/**
 * A load with everything around it, as new: empty tables, and batches of rows that are still to
 * come.
 */
public interface CrashWorld {

  /** Returns how many batches of rows there are. */
  int batches();

  /**
   * Lands a batch of rows in the source.
   *
   * @param batch which one, from zero; each lands once, in order
   */
  void land(int batch);

  /**
   * Composes the load anew, as a process does when it starts.
   *
   * @param faults wraps the parts: {@code faults.wrap(store)}, and so on
   * @return the load, always of the same name
   */
  IncrementalLoad<?> load(FaultPlan faults);

  /** Returns what the target holds, without columns that differ from run to run. */
  Rows target();
}
