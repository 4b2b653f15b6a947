package io.strandline.watermark;

/** Whether a store keeps a run's number in the same commit as the watermark. */
public enum NumberKeeping {
  /** It does, so that comparing it with the target's number finds a crash. */
  WITH_THE_ROW,
  /** It does not; after a crash the range is read again, which only keyed targets allow. */
  NONE
}
