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
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What only PostgreSQL shows: transactions that commit out of order, and the server's own log. */
@ExtendWith(LakehouseExtension.class)
class JdbcPostgresTest {
  private static final Cursor AT = Cursor.on("at");

  /** By this clock every row has existed long enough, so that open transactions alone count. */
  private static final Clock LATER =
      Clock.fixed(Instant.parse("2999-01-01T00:00:00Z"), ZoneOffset.UTC);

  private final TestDatabase database = TestDatabase.postgres();
  private Lakehouse tables;

  @BeforeEach
  void makeTable(Lakehouse lakehouse) {
    tables = lakehouse;
    database.run(
        "CREATE TABLE orders (id BIGINT GENERATED ALWAYS AS IDENTITY, item TEXT,"
            + " at TIMESTAMPTZ NOT NULL DEFAULT now())");
  }

  private JdbcTableSource orders(Cursor cursor) {
    return JdbcTableSource.forTable(tables.spark(), database.database(), "public.orders")
        .newerBy(cursor);
  }

  @Test
  void loads_belowOpenTransactions_loseNothing() throws SQLException {
    assertThat(missedBy(orders(AT).belowOpenTransactions().timedBy(LATER))).isEmpty();
  }

  @Test
  void loads_withoutRegardToOpenTransactions_loseRowsOfTheSameHistory() throws SQLException {
    assertThat(missedBy(orders(AT.settledFor(Duration.ZERO)))).isNotEmpty();
  }

  /**
   * Lets transactions begin, insert and commit in an order of their own, with loads in between.
   *
   * @return the ids of the rows that no load has read
   */
  private Set<Object> missedBy(JdbcTableSource source) throws SQLException {
    Random random = new Random(17);
    Deque<Connection> writers = new ArrayDeque<>();
    Follower follower = new Follower();
    Set<Object> loaded = new TreeSet<>();

    for (int step = 0; step < 40; step++) {
      if (writers.size() < 3 && random.nextBoolean()) {
        writers.addLast(begin());
      } else if (!writers.isEmpty()) {
        Connection writer = random.nextBoolean() ? writers.removeLast() : writers.removeFirst();
        insert(writer, step);

        if (random.nextInt(3) > 0) {
          commit(writer);
        } else {
          writers.addFirst(writer);
        }
      }

      if (step % 5 == 4) {
        loaded.addAll(follower.run(source));
      }
    }

    while (!writers.isEmpty()) {
      commit(writers.removeFirst());
    }

    loaded.addAll(follower.run(source));
    Set<Object> missed = new TreeSet<>();
    database.texts("SELECT id FROM orders").forEach(id -> missed.add(Long.valueOf(id)));
    assertThat(missed).hasSizeGreaterThan(10);
    missed.removeAll(loaded);
    return missed;
  }

  private Connection begin() throws SQLException {
    Connection writer = database.connect();
    writer.setAutoCommit(false);

    try (Statement statement = writer.createStatement()) {
      statement.execute("SELECT now()");
    }

    return writer;
  }

  private static void insert(Connection writer, int step) throws SQLException {
    try (Statement statement = writer.createStatement()) {
      statement.execute("INSERT INTO orders (item) VALUES ('of step " + step + "')");
    }
  }

  private static void commit(Connection writer) throws SQLException {
    writer.commit();
    writer.close();
  }

  @Test
  void plan_whileATransactionIsOpen_saysSinceWhenRowsWait() throws SQLException {
    Follower follower = new Follower();

    try (Connection writer = begin()) {
      database.run("INSERT INTO orders (item) VALUES ('later')");

      SourcePlan<Dataset<Row>> plan =
          follower.plan(orders(AT).belowOpenTransactions().timedBy(LATER));

      assertThat(plan.waiting()).isEqualTo(1);
      assertThat(plan.warnings()).isEmpty();
      assertThat(plan.explanation())
          .startsWith(
              "public.orders has no rows with a value of at that have settled; 1 row waits for"
                  + " transactions that may be open, the oldest since 20");
      writer.rollback();
    }

    assertThat(follower.run(orders(AT).belowOpenTransactions().timedBy(LATER))).hasSize(1);
  }

  @Test
  void plan_byAUserWhoSeesNoOthers_saysSoAndSettles() {
    database.run(
        "INSERT INTO orders (item, at) VALUES ('old', now() - INTERVAL '6 minutes'), ('new', now())",
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN PASSWORD '" + TestDatabase.PASSWORD + "'",
        "GRANT SELECT ON orders TO reader");

    try (Connection other = database.connect()) {
      SourcePlan<Dataset<Row>> plan =
          new Follower()
              .plan(
                  JdbcTableSource.forTable(
                          tables.spark(), database.as("reader").database(), "orders")
                      .newerBy("at")
                      .belowOpenTransactions());

      assertThat(other).isNotNull();
      assertThat(plan.waiting()).isEqualTo(1);
      assertThat(plan.warnings())
          .containsExactly(
              "It cannot be told below which 'at' all transactions are finished, so the settle time"
                  + " holds instead.");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    } finally {
      database.run("REVOKE ALL ON orders FROM reader", "DROP ROLE reader");
    }
  }

  @Test
  void queries_inTheServersLog_askForTheRangeAndUseTheIndex() {
    database.run(
        "INSERT INTO orders (item, at) SELECT 'item ' || n, TIMESTAMPTZ '2026-06-01 00:00:00+00' +"
            + " n * INTERVAL '1 second' FROM generate_series(1, 20000) n",
        "CREATE INDEX ON orders (at)",
        "ANALYZE orders");
    Watermark stored = Watermark.at(Instant.parse("2026-06-01T05:00:00.5Z"));
    List<String> before = database.statementsSent();

    List<Object> ids = Follower.at(stored).run(orders(AT).timedBy(LATER).splitInto(2));

    assertThat(ids).hasSize(2000);
    List<String> sent =
        database.statementsSent().stream()
            .skip(before.size())
            .filter(line -> line.contains("orders"))
            .filter(line -> !line.endsWith("1 = 0") && !line.endsWith("1=0"))
            .map(line -> line.substring(line.indexOf("SELECT")))
            .toList();
    assertThat(sent).hasSize(3);
    assertThat(sent.get(0))
        .contains(
            "FROM (SELECT COUNT(*) AS found, MIN(\"at\") AS lowest, MAX(\"at\") AS highest FROM"
                + " public.orders strandline_rows WHERE \"at\" IS NOT NULL AND \"at\" >="
                + " TIMESTAMPTZ '2026-06-01 05:00:00.500000+00' AND \"at\" <= TIMESTAMPTZ '");
    assertThat(sent.subList(1, 3))
        .allSatisfy(
            read ->
                assertThat(read)
                    .contains(
                        "WHERE \"strandline_raw_0\" IS NOT NULL AND \"strandline_raw_0\" >="
                            + " TIMESTAMPTZ '2026-06-01 05:00:00.500000+00'")
                    .contains(
                        "\"strandline_raw_0\" <= TIMESTAMPTZ '2026-06-01 05:33:20.000000+00'"));
    assertThat(sent)
        .allSatisfy(
            query ->
                assertThat(String.join("\n", database.texts("EXPLAIN " + query)))
                    .contains("orders_at_idx")
                    .doesNotContain("Seq Scan"));
  }

  @Test
  void times_ofAllKinds_arriveToTheMicrosecond() {
    tables.spark().conf().set("spark.sql.datetime.java8API.enabled", "true");
    database.run(
        "CREATE TABLE times (id BIGINT, day DATE, local TIMESTAMP, at TIMESTAMPTZ, price NUMERIC(9,"
            + " 2))",
        "INSERT INTO times VALUES (1, '0001-01-01', '0001-01-01 00:00:00.000001', '0001-01-01"
            + " 00:00:00+00', 9.90), (2, '1582-10-10', '2026-03-08 02:30:00', '2026-11-01"
            + " 06:30:00.123456+00', NULL)");

    DatasetAssert.assertThat(
            new Follower()
                .planned(
                    JdbcTableSource.forTable(tables.spark(), database.database(), "times")
                        .newerBy("at")
                        .timedBy(LATER))
                .read()
                .rows())
        .hasRows(
            Rows.columns("id", "day", "local", "at", "price")
                .row(
                    1,
                    LocalDate.parse("0001-01-01"),
                    LocalDateTime.parse("0001-01-01T00:00:00.000001"),
                    Instant.parse("0001-01-01T00:00:00Z"),
                    new java.math.BigDecimal("9.9"))
                .row(
                    2,
                    LocalDate.parse("1582-10-10"),
                    LocalDateTime.parse("2026-03-08T02:30:00"),
                    Instant.parse("2026-11-01T06:30:00.123456Z"),
                    null));
  }

  @Test
  void timesThatAreNone_failTheRead() {
    database.run(
        "CREATE TABLE times (id BIGINT, day DATE)", "INSERT INTO times VALUES (1, 'infinity')");

    assertThatThrownBy(
            () ->
                new Follower()
                    .plan(
                        JdbcTableSource.forTable(tables.spark(), database.database(), "times")
                            .newerBy(Cursor.on("id").lookback(1))))
        .isInstanceOf(Problem.class)
        .hasMessageContaining("Column 'day' holds a time that is none: infinity");
  }

  @Test
  void text_isComparedByCodePoints() {
    database.run(
        "CREATE TABLE codes (id BIGINT, code TEXT)",
        "INSERT INTO codes VALUES (1, 'B'), (2, 'a''\\b'), (3, '\uFFFD'), (4, '\uD83D\uDE00')");
    JdbcTableSource codes =
        JdbcTableSource.forTable(tables.spark(), database.database(), "codes")
            .newerBy(Cursor.on("code").atMost(1).exclusive());
    Follower follower = new Follower();

    for (long id = 1; id <= 4; id++) {
      assertThat(follower.run(codes)).containsExactly(id);
    }
  }
}
