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
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A first load in steps that dies twice; {@code FirstLoadKillTest} kills a large one. */
@ExtendWith(LakehouseExtension.class)
class JdbcFirstLoadTest {
  private Lakehouse tables;
  private final TestDatabase database = TestDatabase.postgres();

  @BeforeEach
  void remember(Lakehouse lakehouse) {
    tables = lakehouse;
  }

  @Test
  void firstLoad_diedTwice_endsEqual() {
    assertThat(runsOf(15_000, 5_000)).isEqualTo(2);
  }

  /** Returns how many runs merged rows, apart from those that died. */
  private int runsOf(int size, int step) {
    database.run(
        "CREATE TABLE transactions (id BIGINT, account INT, amount NUMERIC(18, 2), modified"
            + " TIMESTAMPTZ NOT NULL)",
        "INSERT INTO transactions SELECT n, n % 1000, (n % 100000) / 100.0, TIMESTAMPTZ '2024-01-01"
            + " 00:00:00+00' + n * INTERVAL '1 second' FROM generate_series(1, "
            + size
            + ") n",
        "CREATE INDEX ON transactions (modified)",
        "ANALYZE transactions");
    dies(step, Faults.none().once(LoadStep.MERGE, Moment.AFTER).dies());
    LoadResult result = run(step, Faults.none());
    int runs = 0;
    dies(step, Faults.none().once(LoadStep.CLEAN, Moment.DURING).dies());

    while (result.rowsMerged() > 0) {
      runs++;
      result = run(step, Faults.none());
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
    return runs;
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
}
