package io.strandline.watermark;

import java.util.List;
import java.util.Set;

/**
 * Remembers how far each load got.
 *
 * <p>One row per stream of a load, which a person may read and change by hand; what stands there is
 * obeyed. Implementations are safe for use by many loads at once.
 */
public interface WatermarkStore {

  /** Returns the name of the store for messages, such as that of its table; no secrets. */
  String name();

  /**
   * Returns what tells this store from every other, such as the id of its table; it never changes.
   *
   * @throws io.strandline.problem.Problem if the store cannot be reached
   */
  String identity();

  /** Tells whether the store keeps a run's number in the same commit as the watermark. */
  NumberKeeping numberKeeping();

  /**
   * Returns what the store holds of a load, as of now.
   *
   * @param load the load
   * @param streams the streams of the load
   * @return the number, and a row for every stream; rows never stored come as {@link
   *     StoredStream#none()}
   * @throws io.strandline.problem.Problem of kind {@code MULTIPLE_WATERMARK_ROWS} if a stream has
   *     two rows or more, and of other kinds if the store cannot be read
   */
  StoredWatermarks last(LoadName load, Set<StreamName> streams);

  /**
   * Refuses, before anything is merged, what could not be stored after it.
   *
   * @param load the load
   * @param ranges what a run is about to read, and the watermarks that it will store
   * @throws io.strandline.problem.Problem if the store has no room for one of these watermarks; by
   *     default a store has room for every one
   */
  default void preflight(LoadName load, List<StreamRange> ranges) {}

  /**
   * Moves the watermarks of a load, all of them in one commit or none.
   *
   * <p>A stream without a row gets one. The number is kept with the rows, so that the same advance
   * made twice is made once.
   *
   * <p>A move {@link Direction#ANYWHERE} is made even if the store has seen the number.
   *
   * @param advance the moves
   * @throws io.strandline.problem.Problem of kind {@code CONCURRENT_RUN} if the store no longer
   *     holds what a move expects, or has seen the number; nothing is changed then
   */
  void advance(Advance advance);
}
