package io.strandline.spark.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.source.Reading;
import io.strandline.target.RejectedRows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class DeltaQuarantineTest {
  private static final LoadName ORDERS = new LoadName("orders");
  private static final Instant NOW = Instant.parse("2026-07-02T06:30:00.000001Z");
  private static final String REASON = Reading.REASON_COLUMN;

  private final SparkSession spark;
  private final Lakehouse lakehouse;
  private final String table;
  private final DeltaQuarantine quarantine;

  DeltaQuarantineTest(SparkSession spark, Lakehouse lakehouse) {
    this.spark = spark;
    this.lakehouse = lakehouse;
    this.table = lakehouse.table("silver_orders_quarantine");
    this.quarantine =
        DeltaQuarantine.forName(spark, table).timedBy(Clock.fixed(NOW, ZoneOffset.UTC));
  }

  @Test
  void put_ofARow_keepsItWithWhereItCameFrom() {
    long stored = put(7, rejected(row("A-17", "no key")));

    assertThat(stored).isEqualTo(1);
    Map<String, Object> entry = entries().get(0);
    assertThat(entry)
        .containsEntry("load_name", "orders")
        .containsEntry("run_number", 7L)
        .containsEntry("source", "bronze_orders")
        .containsEntry("source_range", "[1, 9]")
        .containsEntry("reason", "no key")
        .containsEntry("raw_row", "{\"id\":\"A-17\"}")
        .containsEntry("quarantined_at", NOW);
    assertThat((String) entry.get("content_hash")).matches("[0-9a-f]{64}");
  }

  @Test
  void put_ofTheSameRowsAgain_keepsThemOnceAndCommitsNothing() {
    Dataset<Row> rows = rejected(row("A-17", "no key"), row("A-18", "no key"));
    put(7, rows);
    long before = version();
    long again = put(8, rows);
    long commits = version() - before;
    long more = put(8, rejected(row("A-18", "no key"), row("A-18", "no date")));

    assertThat(again).isZero();
    assertThat(commits).isZero();
    assertThat(more).isEqualTo(1);
    assertThat(entries()).hasSize(3);
  }

  @Test
  void put_ofEqualRowsAtOnce_isOneEntry() {
    long stored = put(1, rejected(row("A-17", "no key"), row("A-17", "no key")));

    assertThat(stored).isEqualTo(1);
    assertThat(entries()).hasSize(1);
  }

  @Test
  void put_ofRowsOfAnotherLoad_keepsThemToo() {
    Dataset<Row> rows = rejected(row("A-17", "no key"));
    put(7, rows);
    long stored = quarantine.put(rejectedRows(new LoadName("returns"), 1, List.of(rows)));

    assertThat(stored).isEqualTo(1);
  }

  @Test
  void put_ofNoRows_makesNoTable() {
    long none = quarantine.put(rejectedRows(ORDERS, 1, List.of()));
    long empty = put(1, rejected());

    assertThat(none + empty).isZero();
    assertThat(spark.catalog().tableExists(table)).isFalse();
  }

  @Test
  void put_ofRowsWithDifferentColumns_keepsThemAll() {
    Dataset<Row> others =
        lakehouse.dataset("line STRING, " + REASON + " STRING", RowFactory.create("torn", null));
    long stored =
        quarantine.put(rejectedRows(ORDERS, 1, List.of(rejected(row("A-17", "no key")), others)));

    assertThat(stored).isEqualTo(2);
    assertThat(entries().stream().map(entry -> entry.get("raw_row") + " " + entry.get("reason")))
        .containsExactlyInAnyOrder("{\"id\":\"A-17\"} no key", "{\"line\":\"torn\"} ");
  }

  @Test
  void put_ofEveryType_keepsTheRowExactlyInAnyZone() {
    Dataset<Row> rows =
        spark.sql(
            "SELECT 'x\"\\n' AS `a.b`, CAST(NULL AS INT) AS n, 1.10BD AS d,"
                + " 12345678901234567890.123456789012345678BD AS big, TIMESTAMP"
                + " '2026-11-01 06:30:00.000001Z' AS t, TIMESTAMP_NTZ '2026-03-29 02:30:00.5' AS l,"
                + " DATE '0001-01-01' AS day, X'00FF' AS bin, double('NaN') AS nan, array(1, NULL)"
                + " AS list, map('k', NULL) AS m, named_struct('x', NULL, 'y', 1) AS s, 'r' AS "
                + REASON);
    spark.conf().set("spark.sql.session.timeZone", "America/New_York");
    put(1, rows);
    spark.conf().set("spark.sql.session.timeZone", "Asia/Kolkata");
    long again = put(2, rows);

    assertThat(again).isZero();
    assertThat(entries().get(0).get("raw_row"))
        .isEqualTo(
            "{\"a.b\":\"x\\\"\\n\",\"n\":null,\"d\":1.10,\"big\":12345678901234567890.123456789012345678,"
                + "\"t\":\"2026-11-01T06:30:00.000001Z\",\"l\":\"2026-03-29T02:30:00.500000\","
                + "\"day\":\"0001-01-01\",\"bin\":\"AP8=\",\"nan\":\"NaN\",\"list\":[1,null],"
                + "\"m\":{\"k\":null},\"s\":{\"x\":null,\"y\":1}}");
  }

  @Test
  void put_ofTheSameRowsByFourAtOnce_keepsThemOnce() throws Exception {
    Dataset<Row> rows = rejected(row("A-17", "no key"), row("A-18", "no key"));
    CyclicBarrier start = new CyclicBarrier(4);
    ExecutorService pool = Executors.newFixedThreadPool(4);
    List<Future<Long>> puts = new ArrayList<>();

    for (int i = 0; i < 4; i++) {
      puts.add(
          pool.submit(
              () -> {
                start.await();
                return put(1, rows);
              }));
    }

    long stored = 0;

    for (Future<Long> each : puts) {
      stored += each.get();
    }

    pool.shutdown();
    assertThat(stored).isEqualTo(2);
    assertThat(entries()).hasSize(2);
  }

  private long put(long number, Dataset<Row> rows) {
    return quarantine.put(rejectedRows(ORDERS, number, List.of(rows)));
  }

  private static RejectedRows<Dataset<Row>> rejectedRows(
      LoadName load, long number, List<Dataset<Row>> rows) {
    StreamRange range =
        new StreamRange(
            StreamName.only(),
            Watermark.of(1),
            new WatermarkRange(Watermark.of(1), Bound.INCLUSIVE, Watermark.of(9)),
            Watermark.of(9));
    return new RejectedRows<>(load, number, "bronze_orders", List.of(range), rows);
  }

  private static Row row(String id, String reason) {
    return RowFactory.create(id, reason);
  }

  private Dataset<Row> rejected(Row... rows) {
    return lakehouse.dataset("id STRING, " + REASON + " STRING", rows);
  }

  private List<Map<String, Object>> entries() {
    List<Map<String, Object>> entries = new ArrayList<>();

    for (Row row : spark.table(table).collectAsList()) {
      Map<String, Object> entry = new java.util.HashMap<>();
      Arrays.stream(row.schema().fieldNames())
          .forEach(
              name -> {
                Object value = row.getAs(name);
                entry.put(
                    name, value instanceof java.sql.Timestamp time ? time.toInstant() : value);
              });
      entries.add(entry);
    }

    return entries;
  }

  private long version() {
    return spark.sql("DESCRIBE HISTORY " + table + " LIMIT 1").head().getLong(0);
  }
}
