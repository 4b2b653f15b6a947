package io.strandline.testkit.fault;

import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.testkit.assertion.LoadAssertions;
import io.strandline.testkit.assertion.RowDifference;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.Watermark;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Verifies that a load comes to the same end whatever happens on its way.
 *
 * <p>Makes random histories of landings, late rows, ties, corrections, rows that cannot be used,
 * crashes and failures at every step, hand edits of the watermark and reruns. After each, the
 * target must hold what one look at all rows gives, the watermark must never have moved back by
 * itself, every count must have added up, and one more run must find nothing new.
 *
 * <pre>{@code
 * HistoryVerifier.of(OrdersWorld::new).verify(100);
 * }</pre>
 *
 * <p>A failure names its seed; {@code -Dstrandline.seed=N} replays that history alone. Immutable.
 */
public final class HistoryVerifier {
  /** How far below the newest row late rows land; the load must look back as far. */
  public static final long LOOKBACK = 20;

  private static final int USUAL_EVENTS = 30;

  private final LongFunction<? extends HistoryWorld> worlds;
  private final int events;

  private HistoryVerifier(LongFunction<? extends HistoryWorld> worlds, int events) {
    this.worlds = worlds;
    this.events = events;
  }

  /**
   * Makes a verifier of histories with thirty events.
   *
   * @param worlds makes a new world from a seed, each time it is asked
   * @return the verifier
   */
  public static HistoryVerifier of(LongFunction<? extends HistoryWorld> worlds) {
    return new HistoryVerifier(worlds, USUAL_EVENTS);
  }

  /**
   * Says how much happens in a history.
   *
   * @param newEvents the number of events
   * @return a verifier of such histories
   */
  public HistoryVerifier events(int newEvents) {
    return new HistoryVerifier(worlds, newEvents);
  }

  /**
   * Verifies several histories, or the one that {@code strandline.seed} names.
   *
   * @param histories how many; their seeds are 0, 1, and so on
   * @throws AssertionError if one of them comes to another end; the message names its seed and
   *     tells what happened
   */
  public void verify(int histories) {
    Long replayed = Long.getLong("strandline.seed");

    if (replayed != null) {
      replay(replayed);
      return;
    }

    for (long seed = 0; seed < histories; seed++) {
      replay(seed);
    }
  }

  /**
   * Verifies one history.
   *
   * @param seed its seed
   * @throws AssertionError if it comes to another end
   */
  public void replay(long seed) {
    History history = new History(worlds.apply(seed), seed);

    try {
      history.run(events);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "Seed "
              + seed
              + " fails; replay it with -Dstrandline.seed="
              + seed
              + ". What happened: "
              + history.happened,
          e);
    }
  }

  /** One history, made from its seed. */
  private static final class History {
    private final HistoryWorld world;
    private final Random random;
    private final List<String> happened = new ArrayList<>();
    private Rows landed = Rows.none();
    private long now = 100;
    private long revisions;
    private Watermark highest = Watermark.start();

    private History(HistoryWorld world, long seed) {
      this.world = world;
      this.random = new Random(seed);
    }

    private void run(int events) {
      for (int event = 0; event < events; event++) {
        happen();
      }

      settle();
      RowDifference difference = RowDifference.between(newest(), world.target());

      if (!difference.isEmpty()) {
        throw new AssertionError("The target differs from a full load. " + difference);
      }
    }

    private void happen() {
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> land();
        case 3 -> landLate();
        case 4, 5 -> runWell();
        case 6, 7 -> runInto("dies");
        case 8 -> runInto("fails");
        default -> edit();
      }
    }

    private void land() {
      happened.add("land");
      now += random.nextInt(4);
      land(rows(now));
    }

    private void land(Rows rows) {
      landed = landed.concat(rows);
      world.land(rows);
    }

    /** Lands rows that are late, but not later than the lookback reaches from the newest of all. */
    private void landLate() {
      happened.add("land late");
      land(rows(now - random.nextInt((int) LOOKBACK)));
    }

    private Rows rows(long at) {
      Rows rows = Rows.columns("id", "value", "revision", "landed");

      for (int i = 0; i <= random.nextInt(3); i++) {
        long revision =
            random.nextInt(4) == 0 ? random.nextLong(revisions + 1) * 7 : ++revisions * 7;
        Object id = random.nextInt(12) == 0 ? null : (Object) random.nextLong(6);
        Object landing = random.nextInt(15) == 0 ? null : (Object) at;
        // Of equal revisions the later read stands, so each gets a value of its own revision.
        rows = rows.row(id, "value " + id + " of " + revision, revision, landing);
      }

      return rows;
    }

    private void runWell() {
      happened.add("run");
      run(Faults.none());
    }

    private void runInto(String how) {
      LoadStep step = anyOf(List.of(LoadStep.values()));
      Moment moment = anyOf(List.of(Moment.values()));
      happened.add(how + " " + moment + " " + step);
      FaultPlan.Then fault = Faults.once(step, moment);

      try {
        run(how.equals("dies") ? fault.dies() : fault.fails());
      } catch (ProcessDeath | LoadException expected) {
        // The next run finds out what is true.
      }

      requireForward();
    }

    private <T> T anyOf(List<T> values) {
      return values.get(random.nextInt(values.size()));
    }

    /** A person takes the watermark back a little, or deletes its row. */
    private void edit() {
      Watermark to = random.nextBoolean() ? Watermark.start() : world.watermark(lower());

      if (to.isAfter(world.stored())) {
        return;
      }

      happened.add("edit to " + to);
      world.edit(to);
      highest = to;
    }

    private long lower() {
      return now - random.nextInt(2 * (int) LOOKBACK);
    }

    private LoadResult run(FaultPlan faults) {
      world.change(random);
      LoadResult result = world.load(faults).run();
      happened.add(result.getClass().getSimpleName() + " " + result.counts());
      LoadAssertions.assertThat(result).addsUp();
      requireForward();
      return result;
    }

    private void requireForward() {
      Watermark stored = world.stored();

      if (highest.isAfter(stored)) {
        throw new AssertionError("The watermark moved back from " + highest + " to " + stored);
      }

      highest = stored;
    }

    /** Runs until nothing is left, however small the steps are. */
    private void settle() {
      happened.add("settle");

      for (int i = 0; i < 1_000; i++) {
        if (run(Faults.none()) instanceof LoadResult.NothingNew) {
          return;
        }
      }

      throw new AssertionError("It never comes to an end.");
    }

    /** The oracle: of every key that can be used, the row of the greatest revision. */
    private Rows newest() {
      Map<Long, Map<String, @Nullable Object>> newest = new TreeMap<>();

      for (Map<String, @Nullable Object> row : landed.maps()) {
        if (row.get("id") instanceof Long id && row.get("landed") instanceof Long) {
          newest.merge(id, row, History::newer);
        }
      }

      return Rows.columns("id", "value", "revision", "landed")
          .concat(Rows.of(List.copyOf(newest.values())));
    }

    private static Map<String, @Nullable Object> newer(
        Map<String, @Nullable Object> one, Map<String, @Nullable Object> other) {
      int order = Long.compare(number(one, "revision"), number(other, "revision"));
      int tie = Long.compare(number(one, "landed"), number(other, "landed"));
      return order > 0 || (order == 0 && tie >= 0) ? one : other;
    }

    private static long number(Map<String, @Nullable Object> row, String column) {
      return (Long) Objects.requireNonNull(row.get(column));
    }
  }
}
