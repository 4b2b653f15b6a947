package io.strandline.spark.source;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** The first load of a large table, in steps, which dies twice on the way. */
@ExtendWith(LakehouseExtension.class)
class JdbcFirstLoadTest {
  private Lakehouse tables;
  private final TestDatabase database = TestDatabase.postgres();

  @BeforeEach
  void remember(Lakehouse lakehouse) {
    tables = lakehouse;
  }

  @Test
  void firstLoad_killedTwice_endsEqual() {
    assertThat(load(15_000, 5_000)).hasSize(3);
  }

  /** Prints how much memory is used after each step. */
  @Test
  @EnabledIfSystemProperty(named = "strandline.extended", matches = "true")
  void firstLoad_ofFiveMillionRows_needsNoMoreMemoryWithEachStep() {
    List<Long> used = load(5_000_000, 500_000);

    System.out.println("Megabytes used after each step: " + used);
    assertThat(used.get(used.size() - 1)).isLessThan(used.get(2) * 3 / 2);
  }

  /** Returns how many megabytes were used after each run, dead ones left out. */
  private List<Long> load(int size, int step) {
    database.run(
        "CREATE TABLE transactions (id BIGINT, account INT, amount NUMERIC(18, 2), modified"
            + " TIMESTAMPTZ NOT NULL)",
        "INSERT INTO transactions SELECT n, n % 1000, (n % 100000) / 100.0, TIMESTAMPTZ '2024-01-01"
            + " 00:00:00+00' + n * INTERVAL '1 second' FROM generate_series(1, "
            + size
            + ") n",
        "CREATE INDEX ON transactions (modified)",
        "ANALYZE transactions");
    List<Long> used = new ArrayList<>();
    dies(step, Faults.none().once(LoadStep.MERGE, Moment.AFTER).dies());
    LoadResult result = run(step, Faults.none());
    used.add(usedMegabytes());
    dies(step, Faults.none().once(LoadStep.CLEAN, Moment.DURING).dies());

    while (result.rowsMerged() > 0) {
      result = run(step, Faults.none());
      used.add(usedMegabytes());
    }

    Row totals =
        tables
            .spark()
            .table("silver")
            .agg(count(lit(1)), sum(col("id")), sum(col("amount")))
            .head();
    assertThat(totals.getLong(0)).isEqualTo(size);
    assertThat(totals.getLong(1)).isEqualTo((long) size * (size + 1) / 2);
    assertThat(totals.getDecimal(2))
        .isEqualByComparingTo(database.texts("SELECT sum(amount)::text FROM transactions").get(0));
    return used;
  }

  private void dies(int step, FaultPlan faults) {
    try {
      run(step, faults);
    } catch (ProcessDeath e) {
      return;
    }

    throw new AssertionError("The process did not die.");
  }

  private LoadResult run(int step, FaultPlan faults) {
    IncrementalSource<Dataset<Row>> source =
        JdbcTableSource.forTable(tables.spark(), database.database(), "transactions")
            .newerBy(Cursor.on("modified").exclusive().atMost(step))
            .splitInto(2);
    return IncrementalLoad.named("transactions")
        .from(faults.wrap(source))
        .into(
            faults.wrap(
                DeltaMergeTarget.forName(tables.spark(), "silver")
                    .matchedOn("id")
                    .createdIfMissing()))
        .trackedIn(DeltaWatermarkStore.forName(tables.spark(), "etl_watermark"))
        .build()
        .run();
  }

  private static long usedMegabytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) >> 20;
  }
}
