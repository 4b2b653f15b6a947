package io.strandline.target;

/** Whether a target can be given the same rows twice. */
public enum Repeats {
  /** It recognizes rows by key, so reading a range again does no harm. */
  ABSORBED,
  /** It would hold the rows twice, so a range is never read again without being asked. */
  APPENDED
}
