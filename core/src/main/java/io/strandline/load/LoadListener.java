package io.strandline.load;

/**
 * Is told of every step of a run, as it begins and ends.
 *
 * <p>Called on the thread of the run, in order. A listener that throws an exception does not stop
 * the run; the result names it as a warning.
 */
@FunctionalInterface
public interface LoadListener {

  /**
   * Takes note of an event.
   *
   * @param event what happened
   */
  void on(LoadEvent event);
}
