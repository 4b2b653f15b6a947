package io.strandline.testkit.load;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.source.Cursor;
import io.strandline.target.Deletes;
import io.strandline.testkit.fake.FakeMergeTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random inserts, updates and deletes of a few keys, in any order of arrival, in batches of any
 * size, with crashes and ranges that are read again: the target is what the newest version of each
 * key says.
 */
class DeleteHistoriesTest {
  private static final int HISTORIES = Boolean.getBoolean("strandline.extended") ? 10_000 : 500;
  private static final int VERSIONS = 24;
  private static final int KEYS = 4;

  /** What deletes do, and how much they carry. */
  enum Sort {
    HARD,
    HARD_WITH_KEYS_ALONE,
    SOFT,
    SOFT_WITH_KEYS_ALONE;

    Deletes deletes() {
      return this == HARD || this == HARD_WITH_KEYS_ALONE
          ? Deletes.hard("op", "D").notStoring("op")
          : Deletes.soft("gone", true);
    }
  }

  @ParameterizedTest
  @EnumSource(Sort.class)
  void versions_inAnyOrderOfArrival_giveTheSameTarget(Sort sort) {
    Long replayed = Long.getLong("strandline.seed");

    if (replayed != null) {
      new History(replayed, sort).run();
      return;
    }

    for (long seed = 0; seed < HISTORIES; seed++) {
      new History(seed, sort).run();
    }
  }

  /** One history, made from its seed. */
  private static final class History {
    private final long seed;
    private final Sort sort;
    private final Random random;
    private final FakeSource source = FakeSource.named("bronze");
    private final FakeWatermarkStore store = FakeWatermarkStore.empty();
    private final FakeMergeTarget target;
    private final List<String> events = new ArrayList<>();

    private History(long seed, Sort sort) {
      this.seed = seed;
      this.sort = sort;
      this.random = new Random(seed);
      this.target =
          FakeMergeTarget.named("silver")
              .matchedOn("id")
              .sequencedBy("revision")
              .deletedWhen(sort.deletes());
    }

    private void run() {
      Rows versions = versions();

      try {
        int landed = 0;
        long at = 1;

        while (landed < versions.size()) {
          int size = 1 + random.nextInt(5);
          Rows batch = slice(versions, landed, landed + size);
          landed += batch.size();
          long now = at++;
          events.add("land " + batch.maps());
          source.land(batch.with("landed", row -> now));
          runOnce();
        }

        assertThat(load(Faults.none()).run()).addsUp();
        assertThat(shown(target.rows())).hasRows(expected(versions));
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("Seed " + seed + " of " + sort + " fails. It was: " + events, e);
      }
    }

    private static Rows slice(Rows rows, int from, int to) {
      return Rows.columns(rows.columns().toArray(String[]::new))
          .concat(Rows.of(rows.maps().subList(from, Math.min(to, rows.size()))));
    }

    /** Makes versions, no two of them of one revision, in the order in which they arrive. */
    private Rows versions() {
      Rows versions = Rows.columns("id", "value", "op", "gone", "revision");

      for (long revision = 1; revision <= VERSIONS; revision++) {
        boolean isDelete = random.nextInt(3) == 0;
        boolean isBare = sort == Sort.HARD_WITH_KEYS_ALONE || sort == Sort.SOFT_WITH_KEYS_ALONE;
        long id = random.nextInt(KEYS);
        versions =
            versions.row(
                id,
                isDelete && isBare ? null : "value of " + revision,
                isDelete ? "D" : "U",
                isDelete,
                revision);
      }

      List<Map<String, @Nullable Object>> shuffled = new ArrayList<>(versions.maps());
      Collections.shuffle(shuffled, random);
      return sort.deletes().manner() instanceof Deletes.Hard
          ? Rows.of(shuffled).select("id", "value", "op", "revision")
          : Rows.of(shuffled).select("id", "value", "gone", "revision");
    }

    private void runOnce() {
      if (random.nextInt(3) > 0) {
        LoadResult result = load(Faults.none()).run();
        events.add(result.counts().toString());
        assertThat(result).addsUp();
        return;
      }

      LoadStep step = anyOf(random, List.of(LoadStep.values()));
      Moment moment = anyOf(random, List.of(Moment.values()));
      events.add("dies " + moment + " " + step);

      try {
        load(Faults.once(step, moment).dies()).run();
      } catch (ProcessDeath | LoadException expected) {
        // The next run finds out what is true.
      }
    }

    private static <T> T anyOf(Random random, List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    private IncrementalLoad<Rows> load(FaultPlan faults) {
      return IncrementalLoad.named("orders")
          .from(faults.wrap(source.newerBy(Cursor.on("landed").lookback(1 + random.nextInt(3)))))
          .into(faults.wrap(target))
          .trackedIn(faults.wrap(store))
          .redeclared()
          .build();
    }

    /** Of a row that is deleted by its key alone, the values depend on what was there before. */
    private Rows shown(Rows rows) {
      return rows.select(columns())
          .with(
              "value",
              row ->
                  sort == Sort.SOFT_WITH_KEYS_ALONE && Boolean.TRUE.equals(row.get("gone"))
                      ? null
                      : row.get("value"));
    }

    private String[] columns() {
      return sort.deletes().manner() instanceof Deletes.Hard
          ? new String[] {"id", "value", "revision"}
          : new String[] {"id", "value", "gone", "revision"};
    }

    private Rows expected(Rows versions) {
      Map<Object, Map<String, @Nullable Object>> newest = new LinkedHashMap<>();
      versions.stream()
          .sorted(Comparator.comparing(row -> (Long) Objects.requireNonNull(row.get("revision"))))
          .forEach(row -> newest.put(Objects.requireNonNull(row.get("id")), row));
      return Rows.columns(columns())
          .concat(
              Rows.of(newest.values().stream().filter(row -> !"D".equals(row.get("op"))).toList())
                  .select(columns()));
    }
  }
}
