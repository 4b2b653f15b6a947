package io.strandline.testkit.fault;

/**
 * Stands for the death of the process: nothing later happens.
 *
 * <p>An {@code Error}, since a load explains and logs exceptions but lets errors pass. A test
 * catches it where the process would have been started again.
 */
public final class ProcessDeath extends Error {
  private static final long serialVersionUID = 1L;

  ProcessDeath(String message) {
    super(message);
  }
}
