package io.strandline.testkit.fault;

import io.strandline.clean.Cleaner;
import io.strandline.load.LoadLog;
import io.strandline.load.LoadStep;
import io.strandline.source.IncrementalSource;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.RedrivableQuarantine;
import io.strandline.watermark.WatermarkStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * What goes wrong, and where; shared by the parts that it wraps.
 *
 * <p>A fault happens only in wrapped parts: {@code READ} and {@code ADVANCE} in the store, {@code
 * PLAN} and {@code CLEAN} in the source, {@code CLEAN} in the cleaner and the target, {@code
 * RECOVER} in target and source, {@code REJECT} in the quarantine (a wrapped target wraps its own),
 * {@code MERGE} in the target, {@code LOG} in the load log; of a redrive, {@code PLAN} and {@code
 * ADVANCE} in the quarantine too. Wrap those that the load has.
 *
 * <p>Follows one run at a time; safe for use by several threads otherwise.
 */
public final class FaultPlan {
  private final List<Fault> faults = new ArrayList<>();
  private final AtomicInteger fired = new AtomicInteger();
  private LoadStep current = LoadStep.READ;

  /** How often a fault happens. */
  private enum Times {
    ONCE,
    ALWAYS
  }

  /** One thing that goes wrong. */
  private record Fault(LoadStep step, Moment moment, Times times, Runnable action) {}

  FaultPlan() {}

  /**
   * Adds a fault for the first time that a step is reached.
   *
   * @param step the step
   * @param moment when in the step
   * @return asks what happens there
   */
  public Then once(LoadStep step, Moment moment) {
    return new Then(step, moment, Times.ONCE);
  }

  /**
   * Adds a fault for every time that a step is reached.
   *
   * @param step the step
   * @param moment when in the step
   * @return asks what happens there
   */
  public Then always(LoadStep step, Moment moment) {
    return new Then(step, moment, Times.ALWAYS);
  }

  /** Asks what happens at a step. */
  public final class Then {
    private final LoadStep step;
    private final Moment moment;
    private final Times times;

    private Then(LoadStep step, Moment moment, Times times) {
      this.step = step;
      this.moment = moment;
      this.times = times;
    }

    /** Lets the process die there: a {@link ProcessDeath} is thrown. */
    public FaultPlan dies() {
      return runs(
          () -> {
            throw new ProcessDeath("The process died " + this + ".");
          });
    }

    /** Lets the part fail there with an exception that no engine knows. */
    public FaultPlan fails() {
      return failsWith(() -> new IllegalStateException("made to fail " + this));
    }

    /**
     * Lets the part fail there with a given exception.
     *
     * @param exception makes the exception
     * @return the plan with this fault
     */
    public FaultPlan failsWith(Supplier<? extends RuntimeException> exception) {
      return runs(
          () -> {
            throw exception.get();
          });
    }

    /**
     * Runs something there, such as the landing of somebody else's rows.
     *
     * @param action what to run; what it throws, the part throws
     * @return the plan with this action
     */
    public FaultPlan runs(Runnable action) {
      add(new Fault(step, moment, times, action));
      return FaultPlan.this;
    }

    /** Returns where it happens. */
    @Override
    public String toString() {
      return moment.name().toLowerCase(Locale.ROOT) + " step " + step;
    }
  }

  private synchronized void add(Fault fault) {
    faults.add(fault);
  }

  /** Returns how many faults have happened. */
  public int fired() {
    return fired.get();
  }

  /**
   * Wraps a store, which then fails as planned.
   *
   * @param store the store
   * @return the wrapped store
   */
  public WatermarkStore wrap(WatermarkStore store) {
    return new FaultyStore(this, store);
  }

  /**
   * Wraps a source, which then fails as planned.
   *
   * @param source the source
   * @param <D> how the engine holds rows
   * @return the wrapped source
   */
  public <D> IncrementalSource<D> wrap(IncrementalSource<D> source) {
    return new FaultySource<>(this, source);
  }

  /**
   * Wraps a cleaner, which then fails as planned.
   *
   * @param cleaner the cleaner
   * @param <D> how the engine holds rows
   * @return the wrapped cleaner
   */
  public <D> Cleaner<D> wrapCleaner(Cleaner<D> cleaner) {
    return new FaultyCleaner<>(this, cleaner);
  }

  /**
   * Wraps a target and its own quarantine, which then fail as planned.
   *
   * @param target the target
   * @param <D> how the engine holds rows
   * @return the wrapped target
   */
  public <D> MergeTarget<D> wrap(MergeTarget<D> target) {
    return new FaultyTarget<>(this, target);
  }

  /**
   * Wraps a quarantine, which then fails as planned; one that can give rows back still can.
   *
   * @param quarantine the quarantine
   * @param <D> how the engine holds rows
   * @return the wrapped quarantine
   */
  public <D> Quarantine<D> wrap(Quarantine<D> quarantine) {
    return quarantine instanceof RedrivableQuarantine<D> redrivable
        ? new FaultyRedrivableQuarantine<>(this, redrivable)
        : new FaultyQuarantine<>(this, quarantine);
  }

  /**
   * Wraps a load log, which then fails as planned.
   *
   * @param log the log
   * @return the wrapped log
   */
  public LoadLog wrapLog(LoadLog log) {
    return entry ->
        during(
            LoadStep.LOG,
            () -> {
              log.write(entry);
              return entry;
            });
  }

  /** Does the only work of a step, with the faults around it. */
  <T> T during(LoadStep step, Supplier<T> work) {
    reach(step, Moment.BEFORE);
    reach(step, Moment.DURING);
    T done = work.get();
    reach(step, Moment.AFTER);
    return done;
  }

  /** Lets happen what is planned there. */
  void reach(LoadStep step, Moment moment) {
    List<Fault> due = new ArrayList<>();

    synchronized (this) {
      current = step;

      for (Fault fault : List.copyOf(faults)) {
        if (fault.step() == step && fault.moment() == moment) {
          due.add(fault);
          fired.incrementAndGet();

          if (fault.times() == Times.ONCE) {
            faults.remove(fault);
          }
        }
      }
    }

    due.forEach(fault -> fault.action().run());
  }

  /** Tells which step the run is in, by what was reached last. */
  synchronized LoadStep current() {
    return current;
  }
}
