package io.strandline.source;

/** What happens to rows that have no value in a watermark column. */
public enum NullCursors {
  /** They are put into the quarantine, each once. */
  QUARANTINE,
  /** They are loaded, on every run again; what the target holds already is not written again. */
  LOAD,
  /** The run fails before anything is written. */
  REFUSE
}
