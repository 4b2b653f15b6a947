package io.strandline.source;

/** Whether a run may read rows that an earlier run of the load has read. */
public enum Rereads {
  /** Each row is read by one run, unless somebody takes the watermark back. */
  NEVER,
  /** Some rows are read again on purpose, so the target must recognize them. */
  SOMETIMES
}
