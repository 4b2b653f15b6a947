package io.strandline.load;

/** The steps of a run, in their order. */
public enum LoadStep {
  /** Reads the stored watermark. */
  READ,
  /** Finishes a run that committed and died before its watermark was moved. */
  RECOVER,
  /** Fixes the range and the version of the source. */
  PLAN,
  /** Reads the range, cleans it, and checks it against the target. */
  CLEAN,
  /**
   * Puts the rows that cannot be used into the quarantine; a redrive marks there what it is about
   * to merge.
   */
  REJECT,
  /** Merges rows and receipt in one commit. */
  MERGE,
  /** Moves the watermark; a redrive marks what it has merged as redriven. */
  ADVANCE,
  /** Writes the load log. */
  LOG
}
