package io.strandline.samples.benchmark;

/** One of those who do the same work, each in its own way. */
interface Contestant {
  /** Returns the name. */
  String name();

  /** Makes the next trial ready, from the same state as all others. Not measured. */
  Trial trial();
}
