package io.strandline.load;

/** Where in a step a run is. */
public enum LoadPhase {
  /** The step begins. */
  STARTED,
  /** The step has done its work. */
  FINISHED,
  /** The step has failed, and the run with it. */
  FAILED
}
