package io.strandline.spark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.LoadLogEntry;
import io.strandline.load.RowCounts;
import io.strandline.target.Verb;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Instant;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class DeltaLoadLogTest {
  @Test
  void write_ofTwoAttempts_keepsARowEach(SparkSession spark, Lakehouse lakehouse) {
    String table = lakehouse.table("load_log");
    DeltaLoadLog log = DeltaLoadLog.forName(spark, table);
    log.write(entry(LoadLogEntry.Outcome.FAILED, 0, List.of(), "It's \"broken\"."));
    log.write(
        entry(
            LoadLogEntry.Outcome.COMMITTED,
            7,
            List.of(
                new StreamRange(
                    StreamName.only(),
                    Watermark.of(5),
                    new WatermarkRange(Watermark.of(3), Bound.INCLUSIVE, Watermark.of(9)),
                    Watermark.of(9))),
            ""));

    List<Row> rows =
        spark.table(table).orderBy("run_number").selectExpr("to_json(struct(*))").collectAsList();
    assertThat(rows.stream().map(row -> row.getString(0)))
        .containsExactly(
            "{\"load_name\":\"orders\",\"attempt\":\"a-1\",\"verb\":\"RUN\",\"run_number\":0,"
                + "\"outcome\":\"FAILED\",\"source\":\"bronze\",\"target\":\"silver\",\"ranges\":[],"
                + "\"rows_read\":36,\"rows_inserted\":1,\"rows_updated\":2,\"rows_deleted\":3,"
                + "\"rows_unchanged\":4,\"rows_superseded\":5,\"rows_stale\":6,\"rows_rejected\":7,"
                + "\"rows_filtered\":8,\"rows_swept\":0,\"rows_late\":9,\"earliest_late\":\"integer:4\",\"rows_waiting\":10,"
                + "\"message\":\"It's"
                + " \\\"broken\\\".\",\"started_at\":\"2026-07-01T00:00:00.000Z\",\"finished_at\":"
                + "\"2026-07-01T00:00:01.000Z\"}",
            "{\"load_name\":\"orders\",\"attempt\":\"a-1\",\"verb\":\"RUN\",\"run_number\":7,"
                + "\"outcome\":\"COMMITTED\",\"source\":\"bronze\",\"target\":\"silver\",\"ranges\":"
                + "[{\"stream\":\"\",\"stored\":\"integer:5\",\"after\":\"integer:3\",\"bound\":"
                + "\"INCLUSIVE\",\"up_to\":\"integer:9\",\"next\":\"integer:9\"}],\"rows_read\":36,"
                + "\"rows_inserted\":1,\"rows_updated\":2,\"rows_deleted\":3,\"rows_unchanged\":4,"
                + "\"rows_superseded\":5,\"rows_stale\":6,\"rows_rejected\":7,\"rows_filtered\":8,"
                + "\"rows_swept\":0,\"rows_late\":9,\"earliest_late\":\"integer:4\",\"rows_waiting\":10,\"message\":\"\",\"started_at\":"
                + "\"2026-07-01T00:00:00.000Z\",\"finished_at\":\"2026-07-01T00:00:01.000Z\"}");
  }

  @Test
  void write_intoAFolder_keepsTheRow(SparkSession spark, Lakehouse lakehouse) {
    String folder = lakehouse.path("load_log");
    DeltaLoadLog.forPath(spark, folder)
        .write(entry(LoadLogEntry.Outcome.NOTHING_NEW, 0, List.of(), "nothing came"));

    assertThat(spark.read().format("delta").load(folder).count()).isEqualTo(1);
  }

  private static LoadLogEntry entry(
      LoadLogEntry.Outcome outcome, long number, List<StreamRange> ranges, String message) {
    return new LoadLogEntry(
        new LoadName("orders"),
        "a-1",
        Verb.RUN,
        number,
        outcome,
        "bronze",
        "silver",
        ranges,
        new RowCounts(36, 1, 2, 3, 4, 5, 6, 7, 8),
        9,
        Watermark.of(4),
        10,
        message,
        Instant.parse("2026-07-01T00:00:00Z"),
        Instant.parse("2026-07-01T00:00:01.000000999Z"));
  }
}
