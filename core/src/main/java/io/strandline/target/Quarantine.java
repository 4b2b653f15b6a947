package io.strandline.target;

/**
 * Keeps the rows that cannot be used, with the reason.
 *
 * <p>Rows are told apart by content: load, raw row and reason. A row that is seen again is not
 * stored again, so that putting the same rows twice leaves what putting them once leaves.
 *
 * @param <D> how the engine holds rows
 */
public interface Quarantine<D> {

  /** Returns the name of the quarantine for messages, such as that of its table. */
  String name();

  /**
   * Keeps rejected rows, in one commit or none.
   *
   * @param rows the rows and where they came from
   * @return how many rows were not there before
   * @throws io.strandline.problem.Problem if the rows cannot be kept
   */
  long put(RejectedRows<D> rows);
}
