package io.strandline.spark.target;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.target.Deletes;
import io.strandline.target.MergeOutcome;
import io.strandline.target.MergeTarget;
import io.strandline.target.StageRequest;
import io.strandline.target.Verb;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.FakeHistoryTarget;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Random events in random runs, given to the table and to the history in memory, which is held to
 * what all events together say: both are the same after every run, and count the same.
 */
@ExtendWith(LakehouseExtension.class)
class DeltaHistoriesTest {
  private static final int HISTORIES = Boolean.getBoolean("strandline.extended") ? 200 : 1;
  private static final int RUNS = 4;
  private static final String COLUMNS =
      "id BIGINT, part STRING, city STRING, visits BIGINT, gone BOOLEAN, at BIGINT, seq BIGINT";

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void events_inRandomRuns_giveTheHistoryInMemory(Lakehouse lakehouse) {
    for (long seed = 0; seed < HISTORIES; seed++) {
      Random random = new Random(seed);
      MergeTarget<Dataset<Row>> delta = delta(lakehouse, "dim_" + seed);
      FakeHistoryTarget memory =
          FakeHistoryTarget.named("memory")
              .matchedOn("id", "part")
              .effectiveFrom("at")
              .sequencedBy("seq")
              .tracking("city")
              .deletedWhen(Deletes.hard("gone", true).notStoring("gone"));
      List<Row> all = new ArrayList<>();

      for (long run = 1; run <= RUNS; run++) {
        List<Row> events = events(random, all.size());
        events.addAll(again(random, all));
        all.addAll(events);
        Dataset<Row> rows = lakehouse.dataset(COLUMNS, events.toArray(new Row[0]));

        MergeOutcome merged = Loads.merge(delta, rows, Loads.receipt(run));
        MergeOutcome expected =
            memory
                .stage(
                    new StageRequest<>(
                        Loads.ORDERS.load(),
                        Lakehouse.collect(rows),
                        List.of(),
                        List.of("_loaded_at"),
                        Verb.RUN,
                        Instant.EPOCH))
                .merge(Loads.receipt(run));

        assertThat(merged.counts()).as("run " + run + " of " + seed).isEqualTo(expected.counts());
        assertThat(lakehouse.spark().table(delta.name()).drop(HistoryNames.EVENTS))
            .hasRows(versions(memory));
      }
    }
  }

  private static MergeTarget<Dataset<Row>> delta(Lakehouse lakehouse, String name) {
    return DeltaHistoryTarget.forName(lakehouse.spark(), lakehouse.table(name))
        .matchedOn("id", "part")
        .effectiveFrom("at")
        .sequencedBy("seq")
        .tracking("city")
        .deletedWhen(Deletes.hard("gone", true).notStoring("gone"))
        .createdIfMissing();
  }

  private static Rows versions(FakeHistoryTarget memory) {
    List<Map<String, @Nullable Object>> rows = memory.rows().maps();
    return Rows.of(rows);
  }

  private static List<Row> again(Random random, List<Row> all) {
    return all.isEmpty() ? List.of() : List.of(all.get(random.nextInt(all.size())));
  }

  private static List<Row> events(Random random, int before) {
    List<Row> events = new ArrayList<>();

    for (int i = 1; i <= 12; i++) {
      events.add(
          RowFactory.create(
              (long) random.nextInt(3),
              random.nextBoolean() ? "a" : "b",
              List.of("Oslo", "Rome").get(random.nextInt(2)),
              (long) random.nextInt(3),
              random.nextInt(4) == 0,
              (long) random.nextInt(8),
              (long) before * 100 + i));
    }

    return events;
  }
}
