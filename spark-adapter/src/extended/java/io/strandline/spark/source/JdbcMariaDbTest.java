package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.source.Cursor;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.DatasetAssert;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Watermark;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What only MariaDB shows: its transactions, its types, and the server's own log. */
@ExtendWith(LakehouseExtension.class)
class JdbcMariaDbTest {
  private static final Cursor CHANGED = Cursor.on("changed_at");

  /** By this clock every row has existed long enough, so that open transactions alone count. */
  private static final Clock LATER =
      Clock.fixed(Instant.parse("2037-01-01T00:00:00Z"), ZoneOffset.UTC);

  private final TestDatabase database = MariaDb.database();
  private Lakehouse tables;

  @BeforeEach
  void makeTable(Lakehouse lakehouse) {
    tables = lakehouse;
    database.run(
        "CREATE TABLE orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, item VARCHAR(40),"
            + " changed_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6))",
        "CREATE INDEX by_change ON orders (changed_at)");
  }

  private JdbcTableSource orders(Cursor cursor) {
    return source("orders", cursor);
  }

  private JdbcTableSource source(String table, Cursor cursor) {
    return JdbcTableSource.forTable(tables.spark(), database.database(), table).newerBy(cursor);
  }

  @Test
  void loads_belowOpenTransactions_loseNothing() throws SQLException {
    assertThat(missedBy(orders(CHANGED).belowOpenTransactions().timedBy(LATER))).isEmpty();
  }

  @Test
  void loads_withoutRegardToOpenTransactions_loseRowsOfTheSameHistory() throws SQLException {
    assertThat(missedBy(orders(CHANGED.settledFor(Duration.ZERO)))).containsExactly(2L);
  }

  /**
   * Loads while the first of two rows is not committed yet, and once more when it is.
   *
   * @return the ids of the rows that neither load has read
   */
  private Set<Object> missedBy(JdbcTableSource source) throws SQLException {
    Follower follower = new Follower();
    database.run("INSERT INTO orders (item, changed_at) VALUES ('old', '2024-06-01 10:00:00')");
    Set<Object> missed = new TreeSet<>(Set.of(1L, 2L, 3L));

    try (Connection writer = begin("written first")) {
      database.run("INSERT INTO orders (item) VALUES ('committed first')");
      List<Object> loaded = follower.run(source);
      assertThat(loaded).contains(1L);
      missed.removeAll(loaded);
      writer.commit();
    }

    follower.run(source).forEach(missed::remove);
    return missed;
  }

  private Connection begin(String item) throws SQLException {
    Connection writer = database.connect();
    writer.setAutoCommit(false);

    try (Statement statement = writer.createStatement()) {
      statement.execute("INSERT INTO orders (item) VALUES ('" + item + "')");
    }

    return writer;
  }

  @Test
  void plan_whileATransactionIsOpen_saysSinceWhenRowsWait() throws SQLException {
    Follower follower = new Follower();
    JdbcTableSource source = orders(CHANGED).belowOpenTransactions().timedBy(LATER);

    try (Connection writer = begin("open")) {
      database.run("INSERT INTO orders (item) VALUES ('later')");

      SourcePlan<Dataset<Row>> plan = follower.plan(source);

      assertThat(plan.waiting()).isEqualTo(1);
      assertThat(plan.warnings()).isEmpty();
      assertThat(plan.explanation())
          .startsWith(
              "orders has no rows with a value of changed_at that have settled; 1 row waits for"
                  + " transactions that may be open, the oldest since 20");
      writer.rollback();
    }

    // The server's list of transactions is up to a tenth of a second old.
    assertThat(
            Stream.generate(() -> follower.run(source)).filter(rows -> !rows.isEmpty()).findFirst())
        .hasValueSatisfying(rows -> assertThat(rows).hasSize(1));
  }

  @Test
  void plan_byAUserWhoSeesNoOthers_saysSoAndSettles() {
    database.run(
        "INSERT INTO orders (item, changed_at) VALUES ('old', NOW(6) - INTERVAL 6 MINUTE),"
            + " ('new', NOW(6))");
    TestDatabase seen = MariaDb.readBy("reader", database, "orders");

    SourcePlan<Dataset<Row>> plan =
        new Follower()
            .plan(
                JdbcTableSource.forTable(tables.spark(), seen.database(), "orders")
                    .newerBy(CHANGED)
                    .belowOpenTransactions());

    assertThat(plan.waiting()).isEqualTo(1);
    assertThat(plan.warnings())
        .containsExactly(
            "It cannot be told below which 'changed_at' all transactions are finished, so the"
                + " settle time holds instead.");
  }

  @Test
  void queries_inTheServersLog_askForTheRangeAndUseTheIndex() throws SQLException {
    database.run(
        "INSERT INTO orders (item, changed_at) SELECT CONCAT('item ', seq),"
            + " CONVERT_TZ('2026-06-01 00:00:00', '+00:00', @@session.time_zone)"
            + " + INTERVAL seq SECOND FROM seq_1_to_20000",
        "ANALYZE TABLE orders",
        "TRUNCATE TABLE mysql.general_log",
        "SET GLOBAL general_log = 1");
    Watermark stored = Watermark.at(Instant.parse("2026-06-01T05:00:00.5Z"));

    List<Object> ids = Follower.at(stored).run(orders(CHANGED).timedBy(LATER).splitInto(2));

    database.run("SET GLOBAL general_log = 0");
    assertThat(ids).hasSize(2000);
    List<String> sent =
        database
            .texts(
                "SELECT argument FROM mysql.general_log WHERE command_type IN ('Query', 'Execute')"
                    + " AND argument LIKE '%strandline\\_%' ORDER BY event_time")
            .stream()
            .filter(sql -> !sql.endsWith("1 = 0") && !sql.endsWith("1=0"))
            .toList();
    assertThat(sent).hasSize(3);
    assertThat(sent.get(0))
        .contains(
            "FROM (SELECT COUNT(*) AS found, MIN(`changed_at`) AS lowest, MAX(`changed_at`) AS"
                + " highest FROM orders strandline_rows WHERE `changed_at` IS NOT NULL AND"
                + " `changed_at` >= TIMESTAMP '2026-06-01 05:00:00.500000' AND `changed_at` <="
                + " TIMESTAMP '");
    assertThat(sent.subList(1, 3))
        .allSatisfy(
            read ->
                assertThat(read)
                    .contains(
                        "WHERE `strandline_raw_0` IS NOT NULL AND `strandline_raw_0` >="
                            + " TIMESTAMP '2026-06-01 05:00:00.500000'")
                    .contains("`strandline_raw_0` <= TIMESTAMP '2026-06-01 05:33:20.000000'"));

    for (String query : sent) {
      assertThat(explained(query))
          .contains("\"key\": \"by_change\"")
          .doesNotContainPattern(
              "\"table_name\": \"(orders|strandline_rows)\",\\s*\"access_type\": \"ALL\"");
    }
  }

  /** Spark quotes names as the standard does; its sessions are told so, and so is this one. */
  private String explained(String query) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')");

      try (ResultSet plan = statement.executeQuery("EXPLAIN FORMAT=JSON " + query)) {
        plan.next();
        return plan.getString(1);
      }
    }
  }

  @Test
  void times_ofAllKinds_arriveToTheMicrosecond() {
    tables.spark().conf().set("spark.sql.datetime.java8API.enabled", "true");
    database.run(
        "CREATE TABLE times (id BIGINT, day DATE, local DATETIME(6), at TIMESTAMP(6) NULL,"
            + " price DECIMAL(9, 2))",
        "SET time_zone = '+00:00'",
        "INSERT INTO times VALUES (1, '0001-01-01', '0001-01-01 00:00:00.000001', NULL, 9.90),"
            + " (2, '1582-10-10', '2026-03-08 02:30:00', '2026-11-01 06:30:00.123456', NULL)");

    DatasetAssert.assertThat(
            new Follower()
                .planned(source("times", Cursor.on("local").inZone(ZoneOffset.UTC)).timedBy(LATER))
                .read()
                .rows())
        .hasRows(
            Rows.columns("id", "day", "local", "at", "price")
                .row(
                    1,
                    LocalDate.parse("0001-01-01"),
                    LocalDateTime.parse("0001-01-01T00:00:00.000001"),
                    null,
                    new BigDecimal("9.9"))
                .row(
                    2,
                    LocalDate.parse("1582-10-10"),
                    LocalDateTime.parse("2026-03-08T02:30:00"),
                    Instant.parse("2026-11-01T06:30:00.123456Z"),
                    null));
  }

  @Test
  void microseconds_ofADatetime_tellRowsApart() {
    database.run(
        "CREATE TABLE ticks (id BIGINT, local DATETIME(6) NOT NULL)",
        "INSERT INTO ticks VALUES (1, '2026-06-01 10:00:00.999998'),"
            + " (2, '2026-06-01 10:00:00.999999'), (3, '2026-06-01 10:00:01')");
    JdbcTableSource ticks =
        source("ticks", Cursor.on("local").inZone(ZoneOffset.UTC).exclusive().atMost(1))
            .timedBy(LATER);
    Follower follower = new Follower();

    for (long id = 1; id <= 3; id++) {
      assertThat(follower.run(ticks)).containsExactly(id);
    }

    assertThat(follower.watermark())
        .isEqualTo(Watermark.at(LocalDateTime.parse("2026-06-01T10:00:01")));
    assertThat(follower.run(ticks)).isEmpty();
  }

  @Test
  void timesThatAreNone_failTheRead() {
    database.run(
        "CREATE TABLE days (id BIGINT, day DATE)",
        "SET sql_mode = ''",
        "INSERT INTO days VALUES (1, '0000-00-00')");

    assertThatThrownBy(() -> new Follower().plan(source("days", Cursor.on("id").lookback(1))))
        .isInstanceOf(Problem.class)
        .hasMessageContaining("Column 'day' holds a time that is none: 0000-00-00");
  }

  @Test
  void text_isComparedByCodePoints() {
    database.run("CREATE TABLE codes (id BIGINT, code VARCHAR(20))");
    database.insert(
        "INSERT INTO codes VALUES (?, ?)",
        List.of(
            new @Nullable Object[] {1, "B"},
            new @Nullable Object[] {2, "a'\\b"},
            new @Nullable Object[] {3, "\uFFFD"},
            new @Nullable Object[] {4, "\uD83D\uDE00"}));
    JdbcTableSource codes = source("codes", Cursor.on("code").atMost(1).exclusive());
    Follower follower = new Follower();

    for (long id = 1; id <= 4; id++) {
      assertThat(follower.run(codes)).containsExactly(id);
    }
  }
}
