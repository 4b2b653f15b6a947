package io.strandline.watermark;

/** Whether the lower end of a range belongs to the range. */
public enum Bound {
  /**
   * Rows that share the lower end are read again; a row that landed there after the last run is not
   * lost. Of a composite watermark, every row that shares its first value is read again.
   */
  INCLUSIVE,
  /** Rows that share the lower end are not read again; for watermark columns without ties. */
  EXCLUSIVE
}
