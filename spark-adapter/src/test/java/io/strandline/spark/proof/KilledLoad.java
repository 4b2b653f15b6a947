package io.strandline.spark.proof;

import io.strandline.load.IncrementalLoad;
import java.util.function.Consumer;

/** A load that is killed, with the landing of its rows, and the truth that it must end in. */
interface KilledLoad {

  /**
   * Lands the rows of a day; done again after a kill, each row is there once.
   *
   * @param day the day, from 1, in order
   */
  void land(int day);

  /** Composes the load anew, as a process does when it starts. */
  IncrementalLoad.Builder<?> load();

  /**
   * Does what follows a load, saying each thing to a listener before it is done; nothing, unless a
   * load says otherwise.
   *
   * @param listener is told what is done next
   */
  default void keepUp(Consumer<String> listener) {}

  /**
   * Verifies that everything the load writes is as if it had never been killed.
   *
   * @param lastDay the last day that was landed and loaded
   */
  void verify(int lastDay);
}
