package io.strandline.testkit.fault;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.testkit.assertion.RowDifference;
import io.strandline.testkit.fake.Rows;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Verifies that a load which is killed anywhere ends as one that was never killed.
 *
 * <p>Lands the batches one by one and runs the load after each; at one of those runs the process
 * dies, at one moment of one step, and the load is run again. In the end the target must hold what
 * one run over all batches gives, and one more run must change nothing. All of that is repeated for
 * every batch, step and moment, in a new world each; then once more with a part that throws an
 * exception instead of a process that dies.
 *
 * <pre>{@code
 * CrashVerifier.of(OrdersWorld::new).verify();
 * }</pre>
 *
 * <p>On Spark each world takes some seconds: choose steps with {@link #at}. Immutable.
 */
public final class CrashVerifier {
  private final Supplier<? extends CrashWorld> worlds;
  private final Set<LoadStep> steps;

  /** How a run is stopped. */
  private enum Kind {
    DEATH,
    EXCEPTION
  }

  private CrashVerifier(Supplier<? extends CrashWorld> worlds, Set<LoadStep> steps) {
    this.worlds = worlds;
    this.steps = steps;
  }

  /**
   * Makes a verifier that tries every step.
   *
   * @param worlds makes a new world each time it is asked
   * @return the verifier
   */
  public static CrashVerifier of(Supplier<? extends CrashWorld> worlds) {
    return new CrashVerifier(worlds, EnumSet.allOf(LoadStep.class));
  }

  /**
   * Chooses the steps to crash at.
   *
   * @param first a step
   * @param more further steps
   * @return a verifier for those steps
   */
  public CrashVerifier at(LoadStep first, LoadStep... more) {
    return new CrashVerifier(worlds, EnumSet.of(first, more));
  }

  /**
   * Runs the load with every crash.
   *
   * @return how many crashes happened; fewer than there are steps and moments, since a step that
   *     has nothing to do is not reached
   * @throws AssertionError if the target differs after any of them; the message names each and
   *     shows the rows
   */
  public int verify() {
    Rows expected = fullLoad();
    List<String> failures = new ArrayList<>();
    int crashes = 0;

    for (Kind kind : Kind.values()) {
      for (int batch = 0; batch < worlds.get().batches(); batch++) {
        for (LoadStep step : steps) {
          for (Moment moment : Moment.values()) {
            crashes += crash(kind, batch, step, moment, expected, failures);
          }
        }
      }
    }

    if (!failures.isEmpty()) {
      throw new AssertionError(
          failures.size()
              + " of "
              + crashes
              + " crashes did harm.\n\n"
              + String.join("\n\n", failures));
    }

    return crashes;
  }

  private Rows fullLoad() {
    CrashWorld world = worlds.get();

    for (int batch = 0; batch < world.batches(); batch++) {
      world.land(batch);
    }

    runOn(world);
    return world.target();
  }

  private int crash(
      Kind kind, int batch, LoadStep step, Moment moment, Rows expected, List<String> failures) {
    CrashWorld world = worlds.get();
    FaultPlan faults = Faults.none();
    FaultPlan.Then fault = faults.once(step, moment);
    faults = kind == Kind.DEATH ? fault.dies() : fault.fails();

    for (int landing = 0; landing < world.batches(); landing++) {
      world.land(landing);

      if (landing == batch) {
        runInto(world.load(faults));
      }

      runOn(world);
    }

    RowDifference difference = RowDifference.between(expected, world.target());
    String crash = kind + " " + fault + " of run " + (batch + 1);

    if (!difference.isEmpty()) {
      failures.add(crash + ": the target differs from a full load. " + difference);
    } else if (runOn(world).rowsMerged() > 0) {
      failures.add(crash + ": one more run merged rows, though nothing was new.");
    }

    return faults.fired();
  }

  private static LoadResult runOn(CrashWorld world) {
    return world.load(Faults.none()).run();
  }

  /** Runs a load to its end, of which nothing is asked. */
  private static void runInto(IncrementalLoad<?> load) {
    try {
      load.run();
    } catch (ProcessDeath | LoadException expected) {
      // The next run finds out what is true.
    }
  }
}
