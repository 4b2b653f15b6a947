package io.strandline.load;

/** What is true after a run has failed. */
public enum Aftermath {
  /** The target is unchanged and the watermark has not moved; the next run reads the same rows. */
  NOTHING_WRITTEN,
  /**
   * The rows are merged but the watermark has not moved; the next run finds the receipt, moves the
   * watermark, and merges nothing twice.
   */
  ROWS_MERGED,
  /** Nobody can tell whether the rows are merged; the next run finds out from the receipt. */
  UNKNOWN
}
