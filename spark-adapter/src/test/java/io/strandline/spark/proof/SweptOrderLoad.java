package io.strandline.spark.proof;

import static org.apache.spark.sql.functions.col;

import io.delta.tables.DeltaTable;
import io.strandline.load.IncrementalLoad;
import io.strandline.target.DeleteSweep;
import io.strandline.testkit.fake.Rows;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Orders that land day by day in bronze and are merged by key into silver; those that are gone from
 * bronze are swept.
 */
final class SweptOrderLoad extends OrderLoad {
  SweptOrderLoad(SparkSession spark, Path folder, OrderHistory history) {
    super(spark, folder, history);
  }

  /** An order that is gone is gone again if a version of it lands later, before a load sees it. */
  @Override
  public void land(int day) {
    super.land(day);
    DeltaTable.forPath(spark(), path("bronze"))
        .delete(col("order_id").isin(history().gone(day).toArray()));
  }

  @Override
  public IncrementalLoad.Builder<Dataset<Row>> load() {
    return super.load().swept(DeleteSweep.everyRun());
  }

  @Override
  Rows expectedSilver(int lastDay) {
    return withoutGone(super.expectedSilver(lastDay), lastDay);
  }

  @Override
  Rows expectedBronze(int lastDay) {
    return withoutGone(super.expectedBronze(lastDay), lastDay);
  }

  private Rows withoutGone(Rows rows, int lastDay) {
    return rows.filter(row -> !history().gone(lastDay).contains(row.get("order_id")));
  }
}
