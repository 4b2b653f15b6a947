package io.strandline.source;

/** What happens when rows have a watermark value beyond the source's clock. */
public enum FutureCursors {
  /** They are loaded and move the watermark, as every row does. */
  ALLOW,
  /** They are loaded, but the stored watermark stops at the last value not beyond the clock. */
  CAP
}
