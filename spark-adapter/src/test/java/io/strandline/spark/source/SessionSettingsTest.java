package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.source.Cursor;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Watermark;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** No setting of the caller's session changes which rows are read. */
@ExtendWith(LakehouseExtension.class)
class SessionSettingsTest {
  private static final List<Map<String, String>> SETTINGS =
      List.of(
          Map.of("spark.sql.session.timeZone", "America/Los_Angeles"),
          Map.of(
              "spark.sql.session.timeZone",
              "Asia/Tokyo",
              "spark.sql.ansi.enabled",
              "false",
              "spark.sql.shuffle.partitions",
              "7"),
          Map.of(
              "spark.sql.session.timeZone",
              "Europe/Berlin",
              "spark.sql.datetime.java8API.enabled",
              "true",
              "spark.sql.caseSensitive",
              "true",
              "spark.sql.adaptive.enabled",
              "false"));

  @Test
  void run_inSessionsOfOtherSettings_readsTheSame(Lakehouse tables) {
    String schema = "id BIGINT, at TIMESTAMP, local TIMESTAMP_NTZ, day DATE";
    tables.append(
        "orders",
        tables.dataset(
            schema,
            RowFactory.create(1, "2026-11-01T05:30:00Z", "2026-11-01T01:30:00", "2026-11-01"),
            RowFactory.create(2, "2026-11-01T06:30:00Z", "2026-11-01T01:31:00", "2026-11-02"),
            RowFactory.create(3, "2026-11-01T06:30:01Z", "2026-11-01T01:32:00", "2026-11-03")));
    Map<String, Watermark> second =
        Map.of(
            "at", Watermark.at(Instant.parse("2026-11-01T06:30:00Z")),
            "local", Watermark.at(LocalDateTime.parse("2026-11-01T01:31:00")),
            "day", Watermark.on(LocalDate.parse("2026-11-02")));
    Map<String, Watermark> third =
        Map.of(
            "at", Watermark.at(Instant.parse("2026-11-01T06:30:01Z")),
            "local", Watermark.at(LocalDateTime.parse("2026-11-01T01:32:00")),
            "day", Watermark.on(LocalDate.parse("2026-11-03")));

    for (Map<String, String> settings : SETTINGS) {
      settings.forEach((key, value) -> tables.spark().conf().set(key, value));

      for (String column : second.keySet()) {
        Follower follower = Follower.at(second.get(column));
        DeltaTableSource source =
            DeltaTableSource.forName(tables.spark(), "orders")
                .newerBy(Cursor.on(column).exclusive());

        assertThat(follower.run(source)).as("%s with %s", column, settings).containsExactly(3L);
        assertThat(follower.watermark()).isEqualTo(third.get(column));
      }
    }
  }

  @Test
  void columns_areFoundByTheSessionsRulesForNames(Lakehouse tables) {
    tables.append("orders", tables.dataset("id BIGINT, No INT", RowFactory.create(1, 7)));
    DeltaTableSource source = DeltaTableSource.forName(tables.spark(), "orders").newerBy("no");

    assertThat(new Follower().run(source)).containsExactly(1L);
    assertThat(source.watermarkColumns()).containsExactly("No");

    tables.spark().conf().set("spark.sql.caseSensitive", "true");

    assertThatThrownBy(() -> new Follower().plan(source))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read orders newer by 'no': there is no column 'no'. Columns: id, No. Did you"
                + " mean 'No'?");
  }

  @Test
  void columns_thatMayBeSeveral_areRefused(Lakehouse tables) {
    Dataset<Row> byCase = tables.spark().sql("SELECT 1 AS no, 2 AS `No`");
    Dataset<Row> twice = tables.spark().sql("SELECT 1 AS no, 2 AS no");

    assertThatThrownBy(() -> CursorColumns.of("read orders", Cursor.on("no"), byCase))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read orders: 'no' may be any of the columns no, No. Rename one, or set"
                + " spark.sql.caseSensitive to true.");
    assertThatThrownBy(() -> CursorColumns.of("read orders", Cursor.on("no"), twice))
        .isInstanceOf(Problem.class)
        .hasMessage("Cannot read orders: 'no' may be any of the columns no, no. Rename one.");
  }
}
