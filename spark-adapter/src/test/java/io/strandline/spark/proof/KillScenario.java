package io.strandline.spark.proof;

import io.strandline.source.IncrementalSource;
import io.strandline.spark.source.QuerySource;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The loads that are killed, each by a name that a process in another JVM can be told.
 *
 * <p>Another one joins with a few lines here: an {@link OrderLoad} that says what is different
 * about it, or a {@link KilledLoad} of its own.
 */
enum KillScenario {
  /** Orders, merged by key. */
  MERGE {
    @Override
    KilledLoad open(SparkSession spark, Path folder, OrderHistory history) {
      return new OrderLoad(spark, folder, history);
    }
  },

  /** Orders of a source that knows no versions, merged by key. */
  QUERY {
    @Override
    KilledLoad open(SparkSession spark, Path folder, OrderHistory history) {
      return new OrderLoad(spark, folder, history) {
        @Override
        IncrementalSource<Dataset<Row>> source() {
          return QuerySource.named("bronze", () -> read("bronze")).newerBy("_loaded_at");
        }
      };
    }
  };

  /** Opens the load over a folder, with the orders of a history. */
  abstract KilledLoad open(SparkSession spark, Path folder, OrderHistory history);
}
