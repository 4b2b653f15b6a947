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
  /** Puts the rows that cannot be used into the quarantine. */
  REJECT,
  /** Merges rows and receipt in one commit. */
  MERGE,
  /** Moves the watermark. */
  ADVANCE,
  /** Writes the load log. */
  LOG
}
