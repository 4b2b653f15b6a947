package io.strandline.clean;

/** What becomes of a row that does not pass a check. */
public enum Severity {
  /** The row is put into the quarantine; the others are loaded. */
  REJECT,
  /** The row is loaded; the result, the load log and the listeners tell how many there were. */
  WARN,
  /**
   * The run stops before anything is merged, and says how many rows there were and which; they are
   * put into the quarantine.
   */
  FAIL
}
