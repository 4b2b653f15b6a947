package io.strandline.testkit.fault;

import io.strandline.load.IncrementalLoad;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.Watermark;
import java.util.Random;

/**
 * A load with everything around it, as new, for a random history of what can happen to it.
 *
 * <p>The rows have the columns {@code id}, {@code value}, {@code revision} and {@code landed},
 * which are a whole number, a text, and two whole numbers; {@code id} and {@code landed} can be
 * null. The load is newer by {@code landed}, reads again what lies less than {@link
 * HistoryVerifier#LOOKBACK} below the watermark, is matched on {@code id} and sequenced by {@code
 * revision}; rows that have no {@code id} or no {@code landed} go to the quarantine.
 */
public interface HistoryWorld {

  /**
   * Lands rows in the source.
   *
   * @param rows the rows
   */
  void land(Rows rows);

  /**
   * Composes the load anew, as a process does when it starts.
   *
   * @param faults wraps the parts: {@code faults.wrap(store)}, and so on
   * @return the load, always of the same name
   */
  IncrementalLoad<?> load(FaultPlan faults);

  /** Returns what the target holds, in the columns that the rows had when they landed. */
  Rows target();

  /** Returns the stored watermark; the start if there is none. */
  Watermark stored();

  /**
   * Writes a watermark into the store by hand, as a person does.
   *
   * @param watermark the watermark; the start to delete the row
   */
  void edit(Watermark watermark);

  /**
   * Returns the watermark of a value of {@code landed}.
   *
   * @param landed the value
   * @return the number itself, unless the source measures by something else
   */
  default Watermark watermark(long landed) {
    return Watermark.of(landed);
  }

  /**
   * Changes something that must not matter, such as a setting; by default nothing.
   *
   * @param random decides what
   */
  default void change(Random random) {}
}
