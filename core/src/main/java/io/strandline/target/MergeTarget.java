package io.strandline.target;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.util.List;

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
   * @throws Problem if the target cannot be read, or does not exist and shall not be created
   */
  TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen);

  /**
   * Checks rows against the target and makes them ready, without writing to the target.
   *
   * <p>Rows that the target cannot place, such as those without a key, are rejected here.
   *
   * @param request the rows
   * @return the rows, ready to be merged
   * @throws Problem if the rows do not fit the target
   */
  StagedMerge<D> stage(StageRequest<D> request);

  /** Returns the columns that tell rows apart; empty if none do. */
  default List<String> keys() {
    return List.of();
  }

  /**
   * Says which of the stored rows a run reads, and what would make it cheaper. Nothing is changed.
   *
   * @return sentences for people, without secrets; none unless overridden
   */
  default List<String> advice() {
    return List.of();
  }

  /**
   * Makes rows ready like {@link #stage(StageRequest)}, and with them the deletes of a sweep.
   *
   * <p>What the sweep would delete is fixed here, and its brakes are checked.
   *
   * @param request the rows
   * @param sweep the sweep
   * @return rows and deletes, ready to be merged
   * @throws Problem of kind {@code EMPTY_SOURCE_SWEEP} or {@code SWEEP_TOO_LARGE} if the sweep is
   *     stopped, {@code BAD_CONFIGURATION} if it needs a scope, or the target cannot be swept, as
   *     it cannot unless overridden
   */
  default StagedMerge<D> stage(StageRequest<D> request, SweepRequest<D> sweep) {
    throw unswept();
  }

  /**
   * Makes the deletes of a sweep ready, without rows.
   *
   * @param sweep the sweep
   * @return the deletes, ready to be merged
   * @throws Problem as {@link #stage(StageRequest, SweepRequest)} does
   */
  default StagedMerge<D> stage(SweepRequest<D> sweep) {
    throw unswept();
  }

  private Problem unswept() {
    return new Problem(
        ProblemKind.BAD_CONFIGURATION,
        "sweep " + name(),
        "it cannot be compared with a source by key",
        "Leave swept(..) away, or merge by key.");
  }
}
