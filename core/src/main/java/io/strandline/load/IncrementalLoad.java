package io.strandline.load;

import static java.util.Objects.requireNonNull;

import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import io.strandline.clean.Cleaner;
import io.strandline.problem.ProblemKind;
import io.strandline.source.IncrementalSource;
import io.strandline.source.Rereads;
import io.strandline.source.SourcePlan;
import io.strandline.target.DeleteSweep;
import io.strandline.target.MergeOutcome;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.RedrivableQuarantine;
import io.strandline.target.Redrive;
import io.strandline.target.Repeats;
import io.strandline.target.StagedMerge;
import io.strandline.target.Verb;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.NumberKeeping;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import io.strandline.watermark.WatermarkStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A named composition of source, cleaner, target and watermark store, which can be run.
 *
 * <p>A run reads only the rows that came after the stored watermark, cleans them, merges them into
 * the target, and moves the watermark on only when the merge is committed. Killed at any point and
 * run again, it ends as if it had never been killed.
 *
 * <p>Immutable. Two runs of one load at a time are safe, one of them fails with a conflict; they
 * are not useful.
 *
 * <pre>{@code
 * IncrementalLoad<Dataset<Row>> orders =
 *     IncrementalLoad.named("orders")
 *         .from(DeltaTableSource.forName(spark, "bronze_orders").newerBy("_loaded_at"))
 *         .cleanedBy(Orders::clean)
 *         .into(DeltaMergeTarget.forName(spark, "silver_orders").matchedOn("order_id"))
 *         .trackedIn(DeltaWatermarkStore.forName(spark, "etl_watermark"))
 *         .build();
 *
 * LoadResult result = orders.run();
 * }</pre>
 *
 * @param <D> how the engine holds rows
 */
public final class IncrementalLoad<D> {
  private static final int LONGEST_DELAY = 10;
  private static final double JITTER = 0.25;

  private final Parts<D> parts;

  private IncrementalLoad(Parts<D> parts) {
    this.parts = parts;
  }

  /**
   * Begins the composition of a load.
   *
   * @param name the name, which is the key of the watermark; not blank
   * @return the next stage
   * @throws IllegalArgumentException if the name is blank
   */
  public static Named named(String name) {
    return new Named(new LoadName(name));
  }

  /** Returns the name. */
  public LoadName name() {
    return parts.name();
  }

  /**
   * Loads what came after the stored watermark.
   *
   * @return what the run did
   * @throws LoadException if the run fails; it tells what is true now
   */
  public LoadResult run() {
    return retried(() -> Attempt.of(parts, Verb.RUN).logged(this::load));
  }

  /** Begins again from what is stored, as long as only other writers are in the way. */
  private LoadResult retried(Supplier<LoadResult> attempt) {
    Retries retries = parts.retries();

    if (retries.atMost() == 0) {
      return attempt.get();
    }

    RetryPolicy<LoadResult> policy =
        RetryPolicy.<LoadResult>builder()
            .handleIf(
                failure ->
                    failure instanceof LoadException e
                        && e.kind() == ProblemKind.TARGET_CONFLICT
                        && e.aftermath() == Aftermath.NOTHING_WRITTEN)
            .withMaxRetries(retries.atMost())
            .withBackoff(retries.firstDelay(), retries.firstDelay().multipliedBy(LONGEST_DELAY))
            .withJitter(JITTER)
            .build();
    return Failsafe.with(policy).get(attempt::get);
  }

  /** The eight steps; the last one, the log, is written by whoever asked for them. */
  private LoadResult load(Attempt<D> attempt) {
    StoredWatermarks stored = attempt.recover(attempt.read());
    SourcePlan<D> plan = attempt.plan(stored);

    if (!(plan instanceof SourcePlan.Planned<D> range)) {
      return attempt.isSweepDue()
          ? merge(attempt, stored, attempt.compareKeys(stored))
          : attempt.nothingNew(plan, stored);
    }

    return merge(attempt, stored, attempt.clean(range));
  }

  private LoadResult merge(Attempt<D> attempt, StoredWatermarks stored, StagedMerge<D> rows) {
    attempt.reject(rows);
    MergeOutcome merged = attempt.merge(rows);

    if (merged instanceof MergeOutcome.Committed committed) {
      attempt.advance(stored, committed);
    }

    return attempt.result(stored, merged);
  }

  /**
   * Sweeps now, whether it is due or not, without loading what is new; the watermark stays.
   *
   * @return what the run did
   * @throws IllegalStateException if the load was built without {@code swept(..)}
   * @throws LoadException if the run fails; it tells what is true now
   */
  public LoadResult sweep() {
    requireSweep("sweep()");
    return retried(
        () ->
            Attempt.of(parts, Verb.RUN)
                .logged(
                    attempt -> {
                      StoredWatermarks stored = attempt.recover(attempt.read());
                      return merge(attempt, stored, attempt.compareKeys(stored));
                    }));
  }

  /**
   * Lets the sweep pass that a person was asked about; see {@link LoadException#approval}.
   *
   * @param token the token that the failure carried
   * @return another load; all else about it is the same, and any other sweep is stopped as before
   * @throws IllegalStateException if the load was built without {@code swept(..)}
   */
  public IncrementalLoad<D> approving(String token) {
    return new IncrementalLoad<>(parts.sweptBy(requireSweep("approving(..)").approvedBy(token)));
  }

  private DeleteSweep requireSweep(String call) {
    DeleteSweep sweep = parts.sweep();

    if (sweep == null) {
      throw new IllegalStateException(
          "Cannot call "
              + call
              + " of load '"
              + parts.name()
              + "': it was built without swept(..).");
    }

    return sweep;
  }

  /**
   * Loads a given range again, of a load with one stream; the watermark stays.
   *
   * @param range the range
   * @return what the run did
   * @throws LoadException if the run fails; it tells what is true now
   */
  public LoadResult backfill(WatermarkRange range) {
    return backfill(StreamName.only(), range);
  }

  /**
   * Loads a given range of one stream again; the watermark stays.
   *
   * <p>Killed and called again, it ends the same. Newer rows of the target are not replaced by
   * older ones.
   *
   * @param stream the stream
   * @param range the range
   * @return what the run did
   * @throws LoadException if the run fails; it tells what is true now
   */
  public LoadResult backfill(StreamName stream, WatermarkRange range) {
    return retried(() -> Attempt.backfill(parts, stream, range).logged(this::load));
  }

  /**
   * Loads the entries of the quarantine again that wait there, after their cause is mended: by
   * another cleaner, or by a person who corrected the raw row. The watermark stays.
   *
   * <p>They are cleaned and merged like any rows, so that an older one does not replace a newer row
   * of the target. What passes is redriven: its entry is kept, and never loaded again. What is
   * rejected again goes on to wait, for whatever reason it has now; also what does not pass a check
   * that would stop a run, and the limit of {@link Builder#rejectingAtMost} does not count. Killed
   * and called again, it ends the same, for an append target too.
   *
   * @return what was done; rows of the quarantine are counted as read
   * @throws IllegalStateException if the quarantine cannot give rows back
   * @throws LoadException if it fails; it tells what is true now
   */
  public LoadResult redrive() {
    if (!(parts.quarantine() instanceof RedrivableQuarantine<D> quarantine)) {
      throw new IllegalStateException(
          "Cannot call redrive() of load '"
              + parts.name()
              + "': "
              + parts.quarantine().name()
              + " keeps rows and cannot give them back. Name a RedrivableQuarantine with"
              + " quarantinedIn(..), or none, for the target's own.");
    }

    return retried(
        () -> Attempt.of(parts, Verb.REDRIVE).logged(attempt -> redriven(attempt, quarantine)));
  }

  private LoadResult redriven(Attempt<D> attempt, RedrivableQuarantine<D> quarantine) {
    StoredWatermarks stored = attempt.recover(attempt.read());
    Redrive<D> entries = attempt.takeUp(quarantine, stored);

    if (entries.rows() == 0) {
      return attempt.nothingWaits(stored);
    }

    StagedMerge<D> rows = attempt.clean(entries);
    attempt.begin(entries, rows);
    MergeOutcome merged = attempt.merge(rows);
    attempt.finish(entries);
    return attempt.result(stored, merged);
  }

  /**
   * Loads everything into one commit that overwrites the target; the watermark becomes what was
   * read, lower than before too.
   *
   * <p>Accepts a target that others have restored, replaced or emptied.
   *
   * @return what the run did
   * @throws LoadException if the run fails; it tells what is true now
   */
  public LoadResult reload() {
    return retried(() -> Attempt.of(parts, Verb.RELOAD).logged(this::load));
  }

  /**
   * Moves the watermark on purpose, of a load with one stream; no rows are read or written.
   *
   * @param to the watermark to go on from, {@link Watermark#start()} to read everything again
   * @return what was done
   * @throws LoadException if the watermark cannot be moved; it tells what is true now
   */
  public LoadResult rewind(Watermark to) {
    return rewind(Map.of(StreamName.only(), to));
  }

  /**
   * Moves the watermarks of some streams on purpose; no rows are read or written.
   *
   * <p>Accepts the target as it is, also one that others have restored, replaced or emptied.
   *
   * @param to the watermark to go on from, by stream; other streams stay
   * @return what was done
   * @throws LoadException if a watermark cannot be moved; it tells what is true now
   */
  public LoadResult rewind(Map<StreamName, Watermark> to) {
    return Attempt.of(parts, Verb.REWIND)
        .logged(attempt -> attempt.rewind(attempt.recover(attempt.read()), to));
  }

  /**
   * Tells what the next run would read, without writing anything.
   *
   * <p>An earlier run that died is not finished by this; the plan starts from what is stored.
   *
   * @return the plan
   * @throws LoadException if the watermark or the source cannot be read
   */
  public SourcePlan<D> plan() {
    Attempt<D> attempt = Attempt.of(parts, Verb.RUN);
    return attempt.plan(attempt.read());
  }

  /**
   * Tells in sentences what the next run would do, without writing anything: what is stored, what
   * would be read, or why nothing is new.
   *
   * <p>For people; the wording may change in any release.
   *
   * @return the sentences, without secrets
   * @throws LoadException if watermark, target or source cannot be read
   */
  public String explain() {
    Attempt<D> attempt = Attempt.of(parts, Verb.RUN);
    StoredWatermarks stored = attempt.read();
    return Explanation.of(parts, stored, attempt.standing(stored), attempt.plan(stored));
  }

  /** Returns the name and the parts. */
  @Override
  public String toString() {
    return "load '"
        + parts.name()
        + "' from "
        + parts.source().name()
        + " into "
        + parts.target().name()
        + ", tracked in "
        + parts.store().name();
  }

  /** The first stage of a composition, which has the name alone. */
  public static final class Named {
    private final LoadName name;

    private Named(LoadName name) {
      this.name = name;
    }

    /**
     * Names the source, which fixes how rows are held.
     *
     * @param source where the rows come from
     * @param <D> how the engine holds rows
     * @return the builder
     */
    public <D> Builder<D> from(IncrementalSource<D> source) {
      return new Builder<>(name, source);
    }
  }

  /**
   * Collects the parts of a load.
   *
   * <p>Required are {@code into} and {@code trackedIn}. By default rows are not cleaned, rejected
   * rows go to the target's own quarantine, nobody listens, and no log is kept. Not for use by
   * several threads.
   *
   * @param <D> how the engine holds rows
   */
  public static final class Builder<D> {
    private final LoadName name;
    private final IncrementalSource<D> source;
    private @Nullable Cleaner<D> cleaner;
    private @Nullable MergeTarget<D> target;
    private @Nullable WatermarkStore store;
    private @Nullable Quarantine<D> quarantine;
    private final List<LoadListener> listeners = new ArrayList<>();
    private LoadLog log = LoadLog.none();
    private Clock clock = Clock.systemUTC();
    private Retries retries = Retries.usual();
    private Redeclaration redeclaration = Redeclaration.REFUSED;
    private @Nullable DeleteSweep sweep;
    private double largestRejectedShare = 1;

    private Builder(LoadName name, IncrementalSource<D> source) {
      this.name = name;
      this.source = requireNonNull(source, "source");
    }

    /**
     * Names the cleaner; by default rows are taken as they come.
     *
     * @param newCleaner turns raw rows into what the target expects
     * @return this builder
     * @throws IllegalStateException if a cleaner was named before
     */
    public Builder<D> cleanedBy(Cleaner<D> newCleaner) {
      requireUnset(cleaner, "cleanedBy");
      cleaner = requireNonNull(newCleaner, "cleaner");
      return this;
    }

    /**
     * Names the target.
     *
     * @param newTarget takes the rows in
     * @return this builder
     * @throws IllegalStateException if a target was named before
     */
    public Builder<D> into(MergeTarget<D> newTarget) {
      requireUnset(target, "into");
      target = requireNonNull(newTarget, "target");
      return this;
    }

    /**
     * Names the watermark store.
     *
     * @param newStore remembers how far the load got
     * @return this builder
     * @throws IllegalStateException if a store was named before
     */
    public Builder<D> trackedIn(WatermarkStore newStore) {
      requireUnset(store, "trackedIn");
      store = requireNonNull(newStore, "store");
      return this;
    }

    /**
     * Names the quarantine; by default the target's own.
     *
     * @param newQuarantine keeps the rows that cannot be used
     * @return this builder
     * @throws IllegalStateException if a quarantine was named before
     */
    public Builder<D> quarantinedIn(Quarantine<D> newQuarantine) {
      requireUnset(quarantine, "quarantinedIn");
      quarantine = requireNonNull(newQuarantine, "quarantine");
      return this;
    }

    /**
     * Deletes from the target what is gone from the source, found by comparing all keys; by default
     * nothing is swept.
     *
     * @param newSweep when it is due, and how far it may go
     * @return this builder
     * @throws IllegalStateException if a sweep was named before
     */
    public Builder<D> swept(DeleteSweep newSweep) {
      requireUnset(sweep, "swept");
      sweep = requireNonNull(newSweep, "sweep");
      return this;
    }

    /**
     * Stops a run that rejects too many of its rows; by default however many may be rejected.
     *
     * <p>The rejected rows are put into the quarantine first, so that a person can look at them;
     * nothing is merged then, and the watermark stays.
     *
     * @param share the largest share of the rows of a run that may be rejected: from 0, where one
     *     is too many, to 1
     * @return this builder
     * @throws IllegalArgumentException if the share is not from 0 to 1
     */
    public Builder<D> rejectingAtMost(double share) {
      if (!(share >= 0 && share <= 1)) {
        throw new IllegalArgumentException(
            "Cannot reject at most a share of " + share + ": it must be from 0 to 1.");
      }

      largestRejectedShare = share;
      return this;
    }

    /**
     * Adds a listener.
     *
     * @param listener is told of every step
     * @return this builder
     */
    public Builder<D> heardBy(LoadListener listener) {
      listeners.add(requireNonNull(listener, "listener"));
      return this;
    }

    /**
     * Names the load log; by default none is kept.
     *
     * @param newLog keeps one row per attempt
     * @return this builder
     */
    public Builder<D> loggedIn(LoadLog newLog) {
      log = requireNonNull(newLog, "log");
      return this;
    }

    /**
     * Names the clock that dates the load log; by default the system's.
     *
     * <p>No watermark ever comes from it.
     *
     * @param newClock the clock
     * @return this builder
     */
    public Builder<D> timedBy(Clock newClock) {
      clock = requireNonNull(newClock, "clock");
      return this;
    }

    /**
     * Says how often a run begins again after another writer interfered with its merge.
     *
     * @param newRetries the policy; {@link Retries#usual()} by default
     * @return this builder
     */
    public Builder<D> retrying(Retries newRetries) {
      retries = requireNonNull(newRetries, "retries");
      return this;
    }

    /**
     * Confirms that keys, sequence, mode or watermark column are declared differently than before,
     * on purpose; by default such a change is refused.
     *
     * @return this builder
     */
    public Builder<D> redeclared() {
      redeclaration = Redeclaration.CONFIRMED;
      return this;
    }

    /**
     * Checks the parts and composes the load.
     *
     * @return the load
     * @throws IllegalStateException if a part is missing, or two parts do not go together
     */
    public IncrementalLoad<D> build() {
      MergeTarget<D> into = requireSet(target, "into");
      WatermarkStore trackedIn = requireSet(store, "trackedIn");

      if (into.repeats() == Repeats.APPENDED && trackedIn.numberKeeping() == NumberKeeping.NONE) {
        throw new IllegalStateException(
            "Cannot build load '"
                + name
                + "': after a crash "
                + trackedIn.name()
                + " cannot tell whether the last range was appended to "
                + into.name()
                + ". Track the load in a store that keeps the run's number with the row, or merge"
                + " by key.");
      }

      if (into.repeats() == Repeats.APPENDED && source.rereads() == Rereads.SOMETIMES) {
        throw new IllegalStateException(
            "Cannot build load '"
                + name
                + "': "
                + source.name()
                + " may read rows again that an earlier run has read, and "
                + into.name()
                + " would hold them twice. Let the cursor be exclusive(), without a lookback and"
                + " without rows that are read on every run; or declare a key by which the target"
                + " recognizes rows.");
      }

      return new IncrementalLoad<>(
          new Parts<>(
              name,
              source,
              cleaner == null ? Cleaner.none() : cleaner,
              into,
              trackedIn,
              quarantine == null ? into.quarantine() : quarantine,
              List.copyOf(listeners),
              log,
              clock,
              retries,
              redeclaration,
              sweep,
              largestRejectedShare));
    }

    private void requireUnset(@Nullable Object part, String call) {
      if (part != null) {
        throw new IllegalStateException(
            "Cannot call " + call + "(..) of load '" + name + "' again: it was called before.");
      }
    }

    private <T> T requireSet(@Nullable T part, String call) {
      if (part == null) {
        throw new IllegalStateException(
            "Cannot build load '" + name + "': call " + call + "(..) before build().");
      }

      return part;
    }
  }
}
