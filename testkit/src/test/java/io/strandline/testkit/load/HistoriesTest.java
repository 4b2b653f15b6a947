package io.strandline.testkit.load;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.source.Cursor;
import io.strandline.source.NullCursors;
import io.strandline.testkit.fake.FakeMergeTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random histories of landings, late rows, ties, corrections, crashes, hand edits and reruns, each
 * against an oracle of a few lines.
 *
 * <p>A failure names its seed; {@code -Dstrandline.seed=N} replays that history alone.
 */
class HistoriesTest {
  private static final int HISTORIES = Boolean.getBoolean("strandline.extended") ? 5_000 : 150;
  private static final int EVENTS = 30;
  private static final long LOOKBACK = 20;

  @Test
  void histories_ofEverySort_endAsOneFullLoad() {
    Long replayed = Long.getLong("strandline.seed");

    if (replayed != null) {
      new History(replayed).run();
      return;
    }

    for (long seed = 0; seed < HISTORIES; seed++) {
      new History(seed).run();
    }
  }

  /** One history, made from its seed. */
  private static final class History {
    private static final LoadName ORDERS = new LoadName("orders");

    private final long seed;
    private final Random random;
    private final List<String> events = new ArrayList<>();
    private final FakeWatermarkStore store;
    private final FakeSource source;
    private final FakeMergeTarget target =
        FakeMergeTarget.named("silver").matchedOn("id").sequencedBy("revision");
    private Rows landed = Rows.none();
    private long now = 100;
    private long revisions;
    private Watermark highest = Watermark.start();

    private History(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.store =
          random.nextInt(5) == 0
              ? FakeWatermarkStore.withoutNumbers("load_control")
              : FakeWatermarkStore.empty();
      Cursor cursor = Cursor.on("landed").lookback(LOOKBACK).nulls(NullCursors.QUARANTINE);
      cursor = random.nextBoolean() ? cursor.exclusive() : cursor;
      cursor = random.nextInt(3) == 0 ? cursor.atMost(1 + random.nextInt(3)) : cursor;
      FakeSource bronze = FakeSource.named("bronze").newerBy(cursor);
      bronze = random.nextInt(4) == 0 ? bronze.withoutVersions() : bronze;
      this.source = random.nextBoolean() ? bronze.undisturbed() : bronze;
    }

    private void run() {
      try {
        for (int event = 0; event < EVENTS; event++) {
          happen();
        }

        settle();
        assertThat(target.rows()).hasRows(fullLoad());
        assertThat(load(Faults.none()).run()).foundNothingNew();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(
            "Seed "
                + seed
                + " fails; replay it with -Dstrandline.seed="
                + seed
                + ". What happened: "
                + events,
            e);
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
      events.add("land");
      now += random.nextInt(4);
      land(rows(now));
    }

    private void land(Rows rows) {
      landed = landed.concat(rows);
      source.land(rows);
    }

    /** Lands rows that are late, but not later than the lookback reaches from the newest of all. */
    private void landLate() {
      events.add("land late");
      land(rows(now - random.nextInt((int) LOOKBACK)));
    }

    private Rows rows(long landed) {
      Rows rows = Rows.columns("id", "value", "revision", "landed");

      for (int i = 0; i <= random.nextInt(3); i++) {
        long revision =
            random.nextInt(4) == 0 ? random.nextLong(revisions + 1) * 7 : ++revisions * 7;
        Object id = random.nextInt(12) == 0 ? null : (Object) random.nextLong(6);
        Object at = random.nextInt(15) == 0 ? null : (Object) landed;
        // Of equal revisions the later read stands, so each gets a value of its own revision.
        rows = rows.row(id, "value " + id + " of " + revision, revision, at);
      }

      return rows;
    }

    private void runWell() {
      events.add("run");
      remember(load(Faults.none()).run());
    }

    private void runInto(String how) {
      LoadStep step = anyOf(List.of(LoadStep.values()));
      Moment moment = anyOf(List.of(Moment.values()));
      events.add(how + " " + moment + " " + step);
      FaultPlan.Then fault = Faults.once(step, moment);

      try {
        remember(load(how.equals("dies") ? fault.dies() : fault.fails()).run());
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
      if (random.nextBoolean()) {
        events.add("delete the row");
        store.delete(ORDERS);
        highest = Watermark.start();
        return;
      }

      Watermark stored = stored();

      if (stored instanceof Watermark.IntegerNumber number) {
        Watermark lower = Watermark.of(number.value() - random.nextInt(30));
        events.add("edit to " + lower);
        store.edit(ORDERS, lower);
        highest = lower;
      }
    }

    private void remember(LoadResult result) {
      events.add(result.getClass().getSimpleName() + " " + result.counts());
      assertThat(result).addsUp();
      requireForward();
    }

    private void requireForward() {
      Watermark stored = stored();
      assertThat(highest.isAfter(stored))
          .as("moved back from " + highest + " to " + stored)
          .isFalse();
      highest = stored;
    }

    private Watermark stored() {
      return store.last(ORDERS, Set.of(StreamName.only())).value(StreamName.only());
    }

    /** Runs until nothing is left, however small the steps are. */
    private void settle() {
      for (int i = 0; i < 1_000; i++) {
        LoadResult result = load(Faults.none()).run();
        remember(result);

        if (result instanceof LoadResult.NothingNew) {
          return;
        }
      }

      throw new AssertionError("It never comes to an end.");
    }

    private IncrementalLoad<Rows> load(FaultPlan faults) {
      return IncrementalLoad.named("orders")
          .from(faults.wrap(source))
          .into(faults.wrap(target))
          .trackedIn(faults.wrap(store))
          .loggedIn(faults.wrapLog(entry -> {}))
          .build();
    }

    /** The oracle: of every key that can be used, the row of the greatest revision. */
    private Rows fullLoad() {
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
