package io.strandline.spark.clean;

/** What happens to a row that does not pass a check. */
public enum Severity {
  /** The row is put into the quarantine; the rest is loaded. */
  REJECT,
  /** The run fails before anything is merged. */
  FAIL
}
