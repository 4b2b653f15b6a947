package io.strandline.target;

import java.util.List;

/**
 * Rows that were checked against the target and counted, but not written.
 *
 * @param <D> how the engine holds rows
 */
public interface StagedMerge<D> {

  /** Returns how many rows will be merged, before the newest of each key is chosen. */
  long accepted();

  /** Returns how many rows were rejected, by the source, the cleaner or the target. */
  long rejectedRows();

  /** Returns the rejected rows, each with its reason; empty if there are none. */
  List<D> rejected();

  /** Returns what checks found that only warn of a row; empty if there is nothing to tell. */
  default List<CheckFinding> warned() {
    return List.of();
  }

  /**
   * Returns what checks found that stop a run, each with a few of its rows, which are among the
   * rejected ones; empty if there is nothing to tell.
   */
  default List<CheckFinding> failed() {
    return List.of();
  }

  /**
   * Writes rows and receipt in one atomic commit.
   *
   * <p>The commit is made even without rows if the receipt moves a watermark; it is not made if no
   * row changes and no watermark moves.
   *
   * @param receipt what the commit remembers
   * @return what was done
   * @throws io.strandline.problem.Problem of kind {@code CONCURRENT_RUN} if the receipt's number is
   *     used already, {@code TARGET_CONFLICT} if another writer interfered; nothing is written then
   */
  MergeOutcome merge(Receipt receipt);
}
