package io.strandline.spark.proof;

import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.source.QuerySource;
import io.strandline.spark.target.DeltaAppendTarget;
import io.strandline.spark.target.DeltaOverwriteTarget;
import io.strandline.target.MergeTarget;
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
  },

  /** Orders, every version of which is kept with its time. */
  HISTORY {
    @Override
    KilledLoad open(SparkSession spark, Path folder, OrderHistory history) {
      return new OrderVersionsLoad(spark, folder, history);
    }
  },

  /** Orders, appended as they landed. */
  APPEND {
    @Override
    KilledLoad open(SparkSession spark, Path folder, OrderHistory history) {
      return new OrderCopyLoad(spark, folder, history) {
        @Override
        IncrementalSource<Dataset<Row>> source() {
          return DeltaTableSource.forPath(spark(), path("bronze"))
              .newerBy(Cursor.on("_loaded_at").exclusive());
        }

        @Override
        MergeTarget<Dataset<Row>> target() {
          return DeltaAppendTarget.forPath(spark(), path("silver")).createdIfMissing();
        }
      };
    }
  },

  /** Orders, all of them put in the place of all. */
  OVERWRITE {
    @Override
    KilledLoad open(SparkSession spark, Path folder, OrderHistory history) {
      return new OrderCopyLoad(spark, folder, history) {
        @Override
        IncrementalSource<Dataset<Row>> source() {
          return DeltaTableSource.forPath(spark(), path("bronze"))
              .newerBy(Cursor.on("_loaded_at").readingAll());
        }

        @Override
        MergeTarget<Dataset<Row>> target() {
          return DeltaOverwriteTarget.forPath(spark(), path("silver")).createdIfMissing();
        }
      };
    }
  },

  /** Orders, merged by key, some of which go from their source without a word. */
  SWEEP {
    @Override
    KilledLoad open(SparkSession spark, Path folder, OrderHistory history) {
      return new SweptOrderLoad(spark, folder, history);
    }
  },

  /** Orders, merged by key into tables that are kept up after every load. */
  UPKEEP {
    @Override
    KilledLoad open(SparkSession spark, Path folder, OrderHistory history) {
      return new KeptUpOrderLoad(spark, folder, history);
    }
  };

  /** Opens the load over a folder, with the orders of a history. */
  abstract KilledLoad open(SparkSession spark, Path folder, OrderHistory history);
}
