package io.strandline.spark.target;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.apache.spark.sql.functions.rand;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.spark.target.MergeColumns.Removal;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class FrozenRowsTest {

  @Test
  void chosen_ofTiedRows_areTheSameInEveryOrderPartitioningAndZone(SparkSession spark) {
    Dataset<Row> rows =
        spark
            .range(600)
            .selectExpr(
                "id % 50 AS key",
                "CAST(null AS TIMESTAMP) AS seq",
                "IF(id % 3 = 0, null, CAST(id AS STRING)) AS one",
                "IF(id % 3 = 0, CAST(id AS STRING), null) AS other",
                "map('id', id) AS tags",
                "timestamp_micros(id * 1000000) AS at");
    Rows expected = Lakehouse.collect(chosen(rows).drop("tags"));

    for (int variant = 1; variant <= 3; variant++) {
      spark.conf().set("spark.sql.shuffle.partitions", String.valueOf(variant * 3));
      spark.conf().set("spark.sql.session.timeZone", "America/New_York");
      Dataset<Row> shuffled = rows.repartition(variant + 1).orderBy(rand(variant));

      assertThat(chosen(shuffled.select("at", "tags", "other", "one", "seq", "key")))
          .showing("key", "seq", "one", "other", "at")
          .hasRows(expected);
    }

    assertThat(expected.size()).isEqualTo(50);
  }

  @Test
  void chosen_ofEachKey_areNewestBySequenceThenCursorThenTies(SparkSession spark) {
    Dataset<Row> rows =
        spark.sql(
            "SELECT * FROM VALUES (1, 1, 9, 9, 'older'), (1, 2, 1, 1, 'newest'), (1, null, 9, 9,"
                + " 'no sequence'), (2, 1, 1, 9, 'older cursor'), (2, 1, 2, 1, 'newer cursor'), (3,"
                + " 1, 1, 1, 'lower tie'), (3, 1, 1, 2, 'higher tie') AS t(key, seq, cursor, tie,"
                + " note)");
    MergeColumns columns =
        new MergeColumns(
            rows.schema(),
            List.of("key"),
            List.of("seq"),
            List.of("cursor"),
            List.of("tie"),
            List.of(),
            Removal.NONE,
            List.of());

    FrozenRows frozen =
        FrozenRows.of(rows, List.of(), columns, new KeyMatch(columns, NullKeys.REJECTED));

    assertThat(frozen.chosen().select("key", "note"))
        .hasRows(
            Rows.columns("key", "note")
                .row(1, "newest")
                .row(2, "newer cursor")
                .row(3, "higher tie"));
    assertThat(frozen.accepted()).isEqualTo(7);
    assertThat(frozen.winners()).isEqualTo(3);
  }

  @Test
  void of_rowsThatAnswerDifferentlyEachTime_answersOnce(SparkSession spark) {
    // Spark's own uuid() and rand() begin with the same seed at every look.
    Dataset<Row> rows =
        spark
            .range(20)
            .selectExpr("id AS key", "java_method('java.util.UUID', 'randomUUID') AS seq");
    MergeColumns columns =
        new MergeColumns(
            rows.schema(),
            List.of("key"),
            List.of("seq"),
            List.of(),
            List.of(),
            List.of(),
            Removal.NONE,
            List.of());
    FrozenRows frozen =
        FrozenRows.of(rows, List.of(), columns, new KeyMatch(columns, NullKeys.REJECTED));

    Rows first = Lakehouse.collect(frozen.chosen());

    assertThat(frozen.chosen()).hasRows(first);
  }

  private static Dataset<Row> chosen(Dataset<Row> rows) {
    MergeColumns columns =
        new MergeColumns(
            rows.schema(),
            List.of("key"),
            List.of("seq"),
            List.of(),
            List.of(),
            List.of(),
            Removal.NONE,
            List.of());
    return FrozenRows.of(rows, List.of(), columns, new KeyMatch(columns, NullKeys.REJECTED))
        .chosen();
  }
}
