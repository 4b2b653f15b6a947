package io.strandline.samples.benchmark;

import java.util.List;

/** What is measured, for several sizes and by several contestants. */
interface BenchmarkCase {
  /** Returns the name, for arguments and results. */
  String name();

  /** Returns what is measured, in a sentence without a subject. */
  String story();

  /**
   * Returns the sizes to measure at: mostly rows of the target.
   *
   * @param quantities what was asked for
   */
  List<Long> sizes(Quantities quantities);

  /**
   * Makes everything ready that all trials share.
   *
   * @param workshop where tables are made
   * @param size the size
   * @return who takes part
   */
  List<Contestant> contestants(Workshop workshop, long size);
}
