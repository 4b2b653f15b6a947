package io.strandline.samples.benchmark;

/** How a target is laid out. */
enum TargetLayout {
  /** As a DataFrame's {@code saveAsTable} makes a table. */
  PLAIN,
  /** With deletion vectors, so that an update need not copy a file; what Strandline creates. */
  DELETION_VECTORS,
  /** Not there, if the load is its first; else as {@link #DELETION_VECTORS}. */
  MADE_BY_THE_LOAD
}
