package io.strandline.target;

/** What an operator or a schedule asked of a load. */
public enum Verb {
  /** Load what came after the stored watermark. */
  RUN,
  /** Load a given range again; the watermark stays. */
  BACKFILL,
  /** Load everything into one overwriting commit; the watermark becomes what was read. */
  RELOAD,
  /** Move the watermark on purpose; no rows are read. */
  REWIND,
  /** Load entries of the quarantine whose cause is mended; the watermark stays. */
  REDRIVE
}
