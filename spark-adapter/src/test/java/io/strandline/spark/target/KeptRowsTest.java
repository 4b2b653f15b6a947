package io.strandline.spark.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.strandline.testkit.spark.LakehouseExtension;
import java.math.BigInteger;
import java.util.List;
import java.util.Set;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class KeptRowsTest {

  @Test
  void rows_ofEveryTypeAndSize_areThoseThatWereComputed(SparkSession spark) {
    Dataset<Row> computed =
        spark
            .range(0, 700, 1, 3)
            .selectExpr(
                "id",
                "IF(id % 7 = 0, null, CAST(id % 100 AS TINYINT)) AS small",
                "repeat('x', CAST(id * 3 AS INT)) AS text",
                "CAST(id / 7 AS DECIMAL(30, 9)) AS number",
                "CAST('ab' AS BINARY) AS bytes",
                "timestamp_micros(id) AS at",
                "array(id, null) AS list",
                "map('id', struct(id, null AS nothing)) AS tags");

    KeptRows kept = KeptRows.of(computed);

    assertThat(asJson(kept.rows())).isEqualTo(asJson(computed));
    assertThat(kept.rows().schema()).isEqualTo(computed.schema());
    kept.release();
  }

  @Test
  void rows_largerThanABlock_areKeptWhole(SparkSession spark) {
    Dataset<Row> computed =
        spark.range(0, 6, 1, 1).selectExpr("id", "repeat('x', IF(id % 3 = 1, 1000000, 1)) AS text");
    KeptRows kept = KeptRows.of(computed);

    assertThat(
            kept.rows().selectExpr("id", "length(text)").collectAsList().stream()
                .map(Row::toString))
        .containsExactly("[0,1]", "[1,1000000]", "[2,1]", "[3,1]", "[4,1000000]", "[5,1]");
    kept.release();
  }

  @Test
  void rows_thatFillBlocksToTheLastByte_areAllThere(SparkSession spark) {
    // A row of two numbers takes 32 bytes with its header: 8192 of them are a block.
    for (long rows : List.of(8191L, 8192L, 8193L, 16384L)) {
      KeptRows kept = KeptRows.of(spark.range(0, rows, 1, 1).selectExpr("id", "-id AS opposite"));

      assertThat(kept.rows().selectExpr("count(*)", "sum(id)", "min(opposite)").head().toString())
          .isEqualTo("[%d,%d,%d]", rows, rows * (rows - 1) / 2, 1 - rows);
      kept.release();
    }
  }

  @Test
  void rows_ofNone_areNone(SparkSession spark) {
    KeptRows kept = KeptRows.of(spark.range(0, 100, 1, 2).selectExpr("id").where("id < 0"));

    assertThat(kept.rows().count()).isZero();
    kept.release();
  }

  @Test
  void rows_thatAreComputedDifferentlyEachTime_areTheSameAtEveryLook(SparkSession spark) {
    // Spark's own uuid() and rand() begin with the same seed at every look.
    KeptRows kept =
        KeptRows.of(
            spark
                .range(50)
                .selectExpr("id", "java_method('java.util.UUID', 'randomUUID') AS token"));

    List<String> first = asJson(kept.rows());

    assertThat(asJson(kept.rows().select("id", "token"))).isEqualTo(first);
    assertThat(Set.copyOf(first)).hasSize(50);
    kept.release();
  }

  @Test
  void rows_areExpectedToBeAsManyAsWereExpectedBefore(SparkSession spark) {
    Dataset<Row> computed = spark.range(50).selectExpr("id");
    KeptRows kept = KeptRows.of(computed);

    assertThat(expectedBytes(kept.rows())).isEqualTo(expectedBytes(computed));
  }

  @Test
  void release_ofRowsThatWereLookedAt_freesThemForGood(SparkSession spark) {
    KeptRows kept = KeptRows.of(spark.range(50).selectExpr("id"));
    kept.rows().count();
    int before = kept(spark);

    kept.release();

    assertThat(kept(spark)).isEqualTo(before - 1);
    assertThatExceptionOfType(SparkException.class)
        .isThrownBy(() -> kept.rows().count())
        .withMessageContaining("Checkpoint block");
  }

  private static List<String> asJson(Dataset<Row> rows) {
    return rows.toJSON().collectAsList().stream().sorted().toList();
  }

  private static BigInteger expectedBytes(Dataset<Row> rows) {
    return ((org.apache.spark.sql.classic.Dataset<Row>) rows)
        .queryExecution()
        .optimizedPlan()
        .stats()
        .sizeInBytes()
        .bigInteger();
  }

  private static int kept(SparkSession spark) {
    return new JavaSparkContext(((org.apache.spark.sql.classic.SparkSession) spark).sparkContext())
        .getPersistentRDDs()
        .size();
  }
}
