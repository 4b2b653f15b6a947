package io.strandline.spark.target;

import static org.apache.spark.sql.functions.not;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.spark.internal.Columns;
import io.strandline.spark.target.KeyClumps.Clump;
import io.strandline.testkit.spark.LakehouseExtension;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class KeyClumpsTest {
  @Test
  void of_manyNewKeysAndAFewOldOnes_areSoManyIntervals(SparkSession spark) {
    Dataset<Row> keys = ids(spark, "id").where("id >= 1900000 OR id IN (0, 1000000)");

    KeyClumps clumps = KeyClumps.of(keys, "id", new Clump(0, 1_999_000));

    assertThat(clumps.clumps())
        .containsExactly(
            new Clump(0, 0), new Clump(1_000_000, 1_000_000), new Clump(1_900_000, 1_999_000));
    assertThat(keys.where(not(clumps.holds(Columns::col))).count()).isZero();
    assertThat(ids(spark, "id").where(clumps.holds(Columns::col)).count()).isEqualTo(102);
  }

  @Test
  void of_manyClumps_areJoinedWhereTheGapsAreNarrow(SparkSession spark) {
    Dataset<Row> keys =
        ids(spark, "cast(id AS INT) AS id").where("id % 50000 < 2000 OR id BETWEEN 0 AND 90000");

    KeyClumps clumps = KeyClumps.of(keys, "id", new Clump(0, 1_951_000));

    assertThat(clumps.clumps()).hasSizeLessThanOrEqualTo(32);
    assertThat(keys.where(not(clumps.holds(Columns::col))).count()).isZero();
  }

  @Test
  void of_keysThatLieEverywhere_areNone(SparkSession spark) {
    assertThat(KeyClumps.of(ids(spark, "id"), "id", new Clump(0, 1_999_000)))
        .isEqualTo(KeyClumps.none());
    assertThat(
            KeyClumps.of(
                ids(spark, "id - 5000000000000000000 AS id"),
                "id",
                new Clump(Long.MIN_VALUE, Long.MAX_VALUE)))
        .isEqualTo(KeyClumps.none());
  }

  /** Two thousand keys, a thousand apart. */
  private static Dataset<Row> ids(SparkSession spark, String id) {
    return spark.range(0, 2_000_000, 1000).selectExpr(id);
  }
}
