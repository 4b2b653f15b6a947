package io.strandline.samples.benchmark;

import java.nio.file.Path;
import java.util.Set;

/** Work that is ready to be done, once, and measured. */
interface Trial extends AutoCloseable {
  /** Does the work; this is what is measured. */
  void run();

  /** Returns how many rows the work has to read, if it reads each once. */
  long rowsInRange();

  /** Returns the tables that the work reads from. */
  Set<Path> sources();

  /** Returns the tables that the work writes to. */
  Set<Path> targets();

  /** Returns what the work has come to; the same for all contestants, else one of them is wrong. */
  String outcome();

  /** Removes what the trial alone has needed. */
  @Override
  void close();
}
