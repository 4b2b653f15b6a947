package io.strandline.target;

import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;

/**
 * Takes rows in, in one atomic commit with the receipt of the run.
 *
 * <p>Implementations are immutable and safe for use by several threads.
 *
 * @param <D> how the engine holds rows
 */
public interface MergeTarget<D> {

  /** Returns the name of the target for messages, such as that of its table. */
  String name();

  /** Returns what is remembered of this target's declaration, to notice when it changes. */
  String declaration();

  /** Tells whether the target can be given the same rows twice. */
  Repeats repeats();

  /** Returns the quarantine that goes with this target, for loads that name no other. */
  Quarantine<D> quarantine();

  /**
   * Returns what the target knows of a load.
   *
   * @param identity what the load's receipts are filed under
   * @param lastSeen what the target was when the load saw it last; unknown if nobody remembers
   * @return number, receipt, and what others did to the target since
   * @throws io.strandline.problem.Problem if the target cannot be read, or does not exist and shall
   *     not be created
   */
  TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen);

  /**
   * Checks rows against the target and makes them ready, without writing to the target.
   *
   * <p>Rows that the target cannot place, such as those without a key, are rejected here.
   *
   * @param request the rows
   * @return the rows, ready to be merged
   * @throws io.strandline.problem.Problem if the rows do not fit the target
   */
  StagedMerge<D> stage(StageRequest<D> request);
}
