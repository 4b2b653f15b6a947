package io.strandline.testkit.fault;

import io.strandline.load.LoadStep;

/**
 * Plans failures of a load's parts.
 *
 * <pre>{@code
 * FaultPlan faults = Faults.once(LoadStep.MERGE, Moment.AFTER).dies();
 *
 * IncrementalLoad<Rows> orders =
 *     IncrementalLoad.named("orders")
 *         .from(faults.wrap(source))
 *         .into(faults.wrap(target))
 *         .trackedIn(faults.wrap(store))
 *         .build();
 * }</pre>
 */
public final class Faults {
  private Faults() {}

  /** Returns a plan without faults, to which some can be added. */
  public static FaultPlan none() {
    return new FaultPlan();
  }

  /**
   * Plans a fault for the first time that a step is reached.
   *
   * @param step the step
   * @param moment when in the step
   * @return asks what happens there
   */
  public static FaultPlan.Then once(LoadStep step, Moment moment) {
    return none().once(step, moment);
  }

  /**
   * Plans a fault for every time that a step is reached.
   *
   * @param step the step
   * @param moment when in the step
   * @return asks what happens there
   */
  public static FaultPlan.Then always(LoadStep step, Moment moment) {
    return none().always(step, moment);
  }
}
