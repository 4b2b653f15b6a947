package io.strandline.watermark;

/** Which way a watermark may move. */
public enum Direction {
  /** Never below the stored value: what every run does. */
  FORWARD,
  /** Anywhere: what an operator does on purpose with rewind or reload. */
  ANYWHERE
}
