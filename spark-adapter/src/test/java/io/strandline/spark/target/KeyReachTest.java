package io.strandline.spark.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class KeyReachTest {
  private static final String[] KEY = {"id", "code", "day", "at", "amount"};
  private static final List<String> COLUMNS =
      List.of(
          "cast(id AS BIGINT) AS id",
          "concat('order ', id) AS code",
          "date_add(DATE'2026-06-01', cast(id AS INT)) AS day",
          "timestamp_micros(id * 1001) AS at",
          "cast(id / 100 AS DECIMAL(18, 2)) AS amount");

  @Test
  void merge_intoALargeTable_looksForItsKeysByASketchAndFindsThemAll(Lakehouse lakehouse) {
    // More than 64 MB that cannot be compressed.
    orders(lakehouse, "id % 70", 0, 70, "1", "randstr(1000000, 17)")
        .write()
        .format("delta")
        .saveAsTable("silver_orders");
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), "silver_orders")
            .matchedOn(KEY[0], KEY[1], KEY[2], KEY[3], KEY[4])
            .sequencedBy("seq");
    Dataset<Row> newer = orders(lakehouse, "id", 40, 80, "2", "'new'");
    Dataset<Row> older = orders(lakehouse, "id", 0, 20, "0", "'old'");

    MergeOutcome outcome = Loads.merge(target, newer.union(older), Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(10, 30, 0, 0, 0, 20));
    assertThat(lakehouse.spark().table("silver_orders").where("payload = 'new'").count())
        .isEqualTo(40);
    assertThat(predicate(lakehouse)).contains("may_have_a_key_of_the_run");
  }

  @Test
  void merge_ofNewKeysAndAFewOldOnes_leavesOutTheFilesBetweenThem(Lakehouse lakehouse)
      throws IOException {
    append(orders(lakehouse, "id", 0, 10, "1", "'stored'"));
    append(orders(lakehouse, "id + 500000", 0, 70, "1", "randstr(1000000, 17)"));
    String between = lakehouse.spark().table("silver_orders").where("id >= 500000").inputFiles()[0];
    append(orders(lakehouse, "id + 1000000", 0, 10, "1", "'stored'"));
    Files.delete(Path.of(URI.create(between)));
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), "silver_orders")
            .matchedOn("id")
            .sequencedBy("seq");

    MergeOutcome outcome =
        Loads.merge(
            target,
            orders(lakehouse, "id", 3, 5, "2", "'new'")
                .union(orders(lakehouse, "id + 1000000", 5, 15, "2", "'new'")),
            Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(5, 7, 0, 0, 0, 0));
  }

  @Test
  void merge_intoATablePartitionedByAKey_leavesOutThePartitionsBetween(Lakehouse lakehouse)
      throws IOException {
    partitioned(lakehouse, 0, 10);
    String between =
        lakehouse.spark().table("silver_orders").where("day = '2026-06-06'").inputFiles()[0];
    Files.delete(Path.of(URI.create(between)));
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), "silver_orders")
            .matchedOn("code", "day")
            .sequencedBy("seq");

    MergeOutcome outcome =
        Loads.merge(
            target,
            orders(lakehouse, "id", 3, 4, "2", "'new'")
                .union(orders(lakehouse, "id", 9, 11, "2", "'new'")),
            Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(1, 2, 0, 0, 0, 0));
    assertThat(predicate(lakehouse)).contains("IN (");
  }

  @Test
  void merge_intoATablePartitionedByAKeyThatMayBeNull_findsTheRowsWithoutOne(Lakehouse lakehouse) {
    partitioned(lakehouse, 0, 10);
    lakehouse.spark().sql("UPDATE silver_orders SET day = NULL WHERE id = 5");
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), "silver_orders")
            .matchedOn("code", "day")
            .sequencedBy("seq")
            .nullKeysMatch();

    MergeOutcome outcome =
        Loads.merge(
            target,
            orders(lakehouse, "id", 4, 7, "2", "'new'")
                .selectExpr(
                    "id", "code", "if(id = 5, NULL, day) AS day", "at", "amount", "seq", "payload"),
            Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(0, 3, 0, 0, 0, 0));
  }

  @Test
  void merge_ofVeryManyPartitions_namesNone(Lakehouse lakehouse) {
    partitioned(lakehouse, 0, 2);
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), "silver_orders")
            .matchedOn("code", "day")
            .sequencedBy("seq");

    MergeOutcome outcome =
        Loads.merge(target, orders(lakehouse, "id", 1, 110, "2", "'new'"), Loads.receipt(1));

    assertThat(outcome.counts()).isEqualTo(new MergeCounts(108, 1, 0, 0, 0, 0));
    assertThat(predicate(lakehouse)).doesNotContain("IN (");
  }

  private static void partitioned(Lakehouse lakehouse, long from, long to) {
    orders(lakehouse, "id", from, to, "1", "'stored'")
        .coalesce(1)
        .write()
        .format("delta")
        .partitionBy("day")
        .saveAsTable("silver_orders");
  }

  private static void append(Dataset<Row> rows) {
    rows.coalesce(1).write().format("delta").mode("append").saveAsTable("silver_orders");
  }

  @Test
  void merge_intoASmallTable_doesWithoutASketch(Lakehouse lakehouse) {
    orders(lakehouse, "id", 0, 70, "1", "'stored'")
        .write()
        .format("delta")
        .saveAsTable("silver_orders");
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), "silver_orders")
            .matchedOn("id")
            .sequencedBy("seq");

    Loads.merge(target, orders(lakehouse, "id", 69, 71, "2", "'new'"), Loads.receipt(1));

    assertThat(predicate(lakehouse)).contains("id").doesNotContain("may_have_a_key_of_the_run");
  }

  private static Dataset<Row> orders(
      Lakehouse lakehouse, String id, long from, long to, String sequence, String payload) {
    return lakehouse
        .spark()
        .range(from, to)
        .selectExpr(id + " AS id")
        .selectExpr(COLUMNS.toArray(String[]::new))
        .selectExpr("*", "cast(" + sequence + " AS BIGINT) AS seq", payload + " AS payload");
  }

  private static String predicate(Lakehouse lakehouse) {
    return lakehouse
        .spark()
        .sql("DESCRIBE HISTORY silver_orders LIMIT 1")
        .selectExpr("operationParameters['predicate']")
        .head()
        .getString(0);
  }
}
