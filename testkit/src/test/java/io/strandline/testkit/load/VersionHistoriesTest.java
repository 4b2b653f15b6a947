package io.strandline.testkit.load;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.source.Cursor;
import io.strandline.target.Deletes;
import io.strandline.testkit.fake.FakeHistoryTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random changes, touches, deletes, reinserts and corrections of a few keys, in any order of
 * arrival, split into any runs, with crashes: the history is what all events together say.
 *
 * <p>A failure names its seed; {@code -Dstrandline.seed=N} replays that history alone.
 */
class VersionHistoriesTest {
  private static final int HISTORIES = Boolean.getBoolean("strandline.extended") ? 50_000 : 3_000;
  private static final int KEYS = 3;
  private static final int INSTANTS = 9;

  @Test
  void events_inAnyOrderAndSplit_giveTheSameHistory() {
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
    private final long seed;
    private final Random random;
    private final FakeSource source = FakeSource.named("crm");
    private final FakeWatermarkStore store = FakeWatermarkStore.empty();
    private final FakeHistoryTarget target =
        FakeHistoryTarget.named("dim_customer")
            .matchedOn("id")
            .effectiveFrom("at")
            .sequencedBy("revision")
            .tracking("city")
            .deletedWhen(Deletes.hard("op", "D").notStoring("op"));
    private final List<String> happened = new ArrayList<>();

    private History(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    private void run() {
      List<Map<String, @Nullable Object>> events = events();

      try {
        List<Map<String, @Nullable Object>> arriving = new ArrayList<>(events);
        Collections.shuffle(arriving, random);
        long landing = 0;

        while (!arriving.isEmpty()) {
          int size = Math.min(arriving.size(), 1 + random.nextInt(5));
          List<Map<String, @Nullable Object>> batch = new ArrayList<>(arriving.subList(0, size));
          arriving.subList(0, size).clear();

          if (random.nextInt(4) == 0) {
            batch.add(events.get(random.nextInt(events.size())));
          }

          long landed = ++landing;
          happened.add("land " + batch);
          source.land(Rows.of(batch).with("landed", row -> landed));
          perhapsDie();
          assertThat(load(Faults.none()).run()).addsUp();
        }

        assertThat(shown(target.rows())).hasRows(oracle(events));
        assertThat(load(Faults.none()).run().rowsMerged()).isZero();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("Seed " + seed + " fails. What happened: " + happened, e);
      }
    }

    /** Makes events with revisions of their own, in any order of their instants. */
    private List<Map<String, @Nullable Object>> events() {
      List<Map<String, @Nullable Object>> events = new ArrayList<>();
      int count = 1 + random.nextInt(16);

      for (long revision = 1; revision <= count; revision++) {
        Map<String, @Nullable Object> event = new LinkedHashMap<>();
        boolean isDelete = random.nextInt(4) == 0;
        event.put("id", (long) random.nextInt(KEYS));
        event.put("city", isDelete ? null : anyCity());
        event.put("visits", isDelete ? null : (Object) (long) random.nextInt(4));
        event.put("op", isDelete ? "D" : "U");
        event.put("at", (long) random.nextInt(INSTANTS));
        event.put("revision", revision);
        events.add(event);
      }

      return events;
    }

    private @Nullable Object anyCity() {
      int city = random.nextInt(4);
      return city == 0 ? null : List.of("Berlin", "Oslo", "Rome").get(city - 1);
    }

    private void perhapsDie() {
      if (random.nextInt(3) > 0) {
        return;
      }

      LoadStep step = anyOf(List.of(LoadStep.values()));
      Moment moment = anyOf(List.of(Moment.values()));
      happened.add("dies " + moment + " " + step);

      try {
        LoadResult result = load(Faults.once(step, moment).dies()).run();
        assertThat(result).addsUp();
      } catch (ProcessDeath | LoadException expected) {
        // The next run finds out what is true.
      }
    }

    private <T> T anyOf(List<T> values) {
      return values.get(random.nextInt(values.size()));
    }

    private IncrementalLoad<Rows> load(FaultPlan faults) {
      return IncrementalLoad.named("customers")
          .from(faults.wrap(source.newerBy(Cursor.on("landed"))))
          .into(faults.wrap(target))
          .trackedIn(faults.wrap(store))
          .build();
    }

    private static Rows shown(Rows rows) {
      return rows.isEmpty()
          ? none()
          : rows.select("id", "city", "visits", "valid_from", "valid_to", "is_current");
    }

    private static Rows none() {
      return Rows.columns("id", "city", "visits", "valid_from", "valid_to", "is_current");
    }
  }

  /** The oracle: of every key and instant the newest event, and then one after the other. */
  private static Rows oracle(List<Map<String, @Nullable Object>> events) {
    Rows rows = History.none();

    for (long id = 0; id < KEYS; id++) {
      TreeMap<Long, Map<String, @Nullable Object>> instants = new TreeMap<>();

      for (Map<String, @Nullable Object> event : events) {
        if (event.get("id").equals(id)) {
          instants.put((Long) event.get("at"), event); // The later one has the greater revision.
        }
      }

      rows = rows.concat(versions(id, instants));
    }

    return rows;
  }

  private static Rows versions(long id, SortedMap<Long, Map<String, @Nullable Object>> instants) {
    Rows versions = History.none();
    Object city = null;
    Object visits = null;
    Long from = null;

    for (Map.Entry<Long, Map<String, @Nullable Object>> instant : instants.entrySet()) {
      Map<String, @Nullable Object> event = instant.getValue();
      boolean isDelete = "D".equals(event.get("op"));
      boolean ends = from != null && (isDelete || !Objects.equals(event.get("city"), city));

      if (ends) {
        versions = versions.row(id, city, visits, from, instant.getKey(), false);
        from = null;
      }

      if (!isDelete) {
        city = event.get("city");
        visits = event.get("visits");
        from = from == null ? instant.getKey() : from;
      }
    }

    return from == null ? versions : versions.row(id, city, visits, from, null, true);
  }
}
