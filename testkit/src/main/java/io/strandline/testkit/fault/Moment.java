package io.strandline.testkit.fault;

/** When in a step a fault happens. */
public enum Moment {
  /** Before the step has done anything. */
  BEFORE,
  /**
   * When the step is half done.
   *
   * <p>Of {@code RECOVER}: the target was asked, the watermark is not moved yet. Of {@code CLEAN}:
   * the rows are read, but not cleaned and staged. Of {@code MERGE}: the rows are ready, nothing is
   * committed. Of all others, which do one thing or nothing: that thing is not done yet.
   */
  DURING,
  /** When the step has done its work, and before the next one begins. */
  AFTER
}
