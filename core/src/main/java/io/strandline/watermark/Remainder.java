package io.strandline.watermark;

/** Whether a run left rows behind that its source could already show. */
public enum Remainder {
  /** Nothing was left: every row that the source showed was read. */
  NONE,
  /** Rows wait for a later run: they have not settled yet, or a row limit cut the range. */
  WAITING,
  /** Nobody has looked: a person has moved the watermark here on purpose. */
  UNKNOWN
}
