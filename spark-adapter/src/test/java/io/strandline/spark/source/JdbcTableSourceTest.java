package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.source.Cursor;
import io.strandline.source.NullCursors;
import io.strandline.source.ReadCounts;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.DatasetAssert;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.TimeZone;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the source does whatever the make of database; seen on H2. */
@ExtendWith(LakehouseExtension.class)
class JdbcTableSourceTest {
  private static final Clock NOON =
      Clock.fixed(Instant.parse("2026-06-01T12:00:00Z"), ZoneOffset.UTC);
  private static final Cursor AT = Cursor.on("at");

  private final TestDatabase database = TestDatabase.h2();
  private final Follower follower = new Follower();
  private Lakehouse tables;

  @BeforeEach
  void makeTable(Lakehouse lakehouse) {
    tables = lakehouse;
    database.run(
        "CREATE TABLE orders (\"id\" BIGINT, \"no\" INT," + " \"at\" TIMESTAMP(6) WITH TIME ZONE)");
  }

  private void land(String... rows) {
    for (String row : rows) {
      database.run("INSERT INTO orders VALUES (" + row + ")");
    }
  }

  private JdbcTableSource orders(Cursor cursor) {
    return source("orders", cursor);
  }

  private JdbcTableSource source(String table, Cursor cursor) {
    return JdbcTableSource.forTable(tables.spark(), database.database(), table)
        .newerBy(cursor)
        .timedBy(NOON);
  }

  private static Watermark at(String instant) {
    return Watermark.at(Instant.parse(instant));
  }

  @Test
  void plan_ofABusySource_showsWhatTheDatabaseIsAsked() {
    land("1, 1, '2026-06-01 10:00:00+00'", "2, 2, '2026-06-01 10:00:00.000001+00'");

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders(AT));

    assertThat(planned.remainder()).isEqualTo(Remainder.NONE);
    assertThat(planned.warnings()).isEmpty();
    assertThat(planned.read().counts().get()).isEqualTo(ReadCounts.of(2));
    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 2 rows of orders with at in [the start, 2026-06-01T10:00:00.000001Z] and moves"
                + " the watermark from the start to 2026-06-01T10:00:00.000001Z. In SQL: FROM"
                + " orders strandline_rows WHERE \"at\" IS NOT NULL AND \"at\" <= TIMESTAMP WITH"
                + " TIME ZONE '2026-06-01 11:55:00.000000+00:00'.");
  }

  @Test
  void readAll_afterRowsWereDeleted_tellsWhatIsThereWhateverTheWatermark() {
    land("1, 1, '2026-06-01 10:00:00+00'", "2, 2, '2026-06-01 10:00:00+00'");
    follower.run(orders(AT));
    database.run("DELETE FROM orders WHERE \"id\" = 1");
    land("3, 3, '2026-06-01 11:59:00+00'");

    DatasetAssert.assertThat(orders(AT).readAll().select("id"))
        .hasRows(Rows.columns("id").row(2L).row(3L));
    assertThat(orders(Cursor.expression("\"no\" + 1")).readAll().columns())
        .containsExactly("id", "no", "at");
  }

  @Test
  void plan_ofAnIdleSource_runsNoSparkJob() {
    land("1, 1, '2026-06-01 10:00:00+00'");
    JdbcTableSource exclusive = orders(AT.exclusive().settledFor(Duration.ZERO));
    follower.run(exclusive);

    long jobs =
        tables.jobsOf(
            () ->
                assertThat(follower.plan(exclusive))
                    .isEqualTo(
                        new SourcePlan.NothingNew<>(
                            "orders has no rows with at above 2026-06-01T10:00:00Z (in SQL: FROM"
                                + " orders strandline_rows WHERE \"at\" IS NOT NULL AND \"at\" >"
                                + " TIMESTAMP WITH TIME ZONE '2026-06-01"
                                + " 10:00:00.000000+00:00')",
                            0)));

    assertThat(jobs).isZero();
  }

  @Test
  void plan_ofAWaitingSource_saysHowManyRowsWait() {
    land("1, 1, '2026-06-01 11:55:00.000001+00'");

    assertThat(follower.plan(orders(AT)))
        .isEqualTo(
            new SourcePlan.NothingNew<>(
                "orders has no rows with a value of at that have settled; 1 row waits until it has"
                    + " existed for PT5M (in SQL: FROM orders strandline_rows WHERE \"at\" IS NOT"
                    + " NULL AND \"at\" <= TIMESTAMP WITH TIME ZONE '2026-06-01"
                    + " 11:55:00.000000+00:00')",
                1));
    assertThat(follower.run(orders(AT.settledFor(Duration.ZERO)))).containsExactly(1L);
  }

  @Test
  void plan_byTheDatabasesOwnClock_takesWhatHasSettled() {
    database.run(
        "INSERT INTO orders VALUES (1, 1, CURRENT_TIMESTAMP - INTERVAL '6' MINUTE)",
        "INSERT INTO orders VALUES (2, 2, CURRENT_TIMESTAMP - INTERVAL '1' MINUTE)");
    JdbcTableSource source =
        JdbcTableSource.forTable(tables.spark(), database.database(), "orders").newerBy("at");

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(source);

    assertThat(planned.waiting()).isEqualTo(1);
    assertThat(Follower.ids(planned.read().rows())).containsExactly(1L);
  }

  @Test
  void queries_asTheDatabaseSawThem_askForTheRangeOnly() {
    land("1, 1, '2026-06-01 10:00:00+00'", "2, 2, '2026-06-01 11:00:00+00'");

    Follower.at(at("2026-06-01T10:30:00Z")).run(orders(AT));

    String range =
        "WHERE \"at\" IS NOT NULL AND \"at\" >= TIMESTAMP WITH TIME ZONE '2026-06-01"
            + " 10:30:00.000000+00:00' AND \"at\" <= TIMESTAMP WITH TIME ZONE '2026-06-01"
            + " 11:55:00.000000+00:00'";
    String read =
        "\"strandline_raw_0\" >= TIMESTAMP WITH TIME ZONE '2026-06-01 10:30:00.000000+00:00'"
            + " AND \"strandline_raw_0\" <= TIMESTAMP WITH TIME ZONE '2026-06-01"
            + " 11:55:00.000000+00:00' AND \"strandline_raw_0\" <= TIMESTAMP WITH TIME ZONE"
            + " '2026-06-01 11:00:00.000000+00:00'";
    List<String> seen =
        database.texts("SELECT SQL_STATEMENT FROM INFORMATION_SCHEMA.QUERY_STATISTICS");
    assertThat(seen).filteredOn(sql -> sql.contains("COUNT(*)")).hasSize(1);
    assertThat(seen).filteredOn(sql -> sql.contains(range)).hasSize(1);
    assertThat(seen).filteredOn(sql -> sql.contains(read)).hasSize(1);
    assertThat(seen).noneMatch(sql -> sql.contains("OFFSET"));
  }

  @Test
  void read_inParts_takesEachRowOnceAndThoseWithoutAValueToo() {
    for (int i = 0; i < 20; i++) {
      land(i + ", " + i + ", '2026-06-01 10:" + (10 + i) + ":00+00'");
    }

    land("20, NULL, NULL", "21, NULL, NULL");
    Cursor loading = AT.nulls(NullCursors.LOAD);

    Dataset<Row> byTime = follower.planned(orders(loading).splitInto(4)).read().rows();
    Dataset<Row> byNumber =
        follower
            .planned(orders(Cursor.on("no").nulls(NullCursors.LOAD)).splitInto(7))
            .read()
            .rows();

    assertThat(Follower.ids(byTime)).hasSize(22).doesNotHaveDuplicates();
    assertThat(byTime.rdd().getNumPartitions()).isEqualTo(5);
    assertThat(Follower.ids(byNumber)).hasSize(22).doesNotHaveDuplicates();
    assertThat(byNumber.rdd().getNumPartitions()).isEqualTo(8);
  }

  @Test
  void run_withARowLimit_goesInStepsOfWholeTies() {
    land(
        "1, 1, '2026-06-01 10:00:00+00'",
        "2, 1, '2026-06-01 10:01:00+00'",
        "3, 2, '2026-06-01 10:01:00+00'",
        "4, 1, '2026-06-01 10:02:00+00'");
    JdbcTableSource simple = orders(AT.atMost(2).exclusive());
    JdbcTableSource composite = orders(Cursor.on("at", "no").atMost(2).exclusive());

    SourcePlan.Planned<Dataset<Row>> first = follower.planned(simple);
    Follower second = new Follower();

    assertThat(first.remainder()).isEqualTo(Remainder.WAITING);
    assertThat(first.explanation()).contains(". The limit of 2 leaves rows to later runs. In SQL");
    assertThat(follower.run(simple)).containsExactly(1L, 2L, 3L);
    assertThat(follower.run(simple)).containsExactly(4L);
    assertThat(follower.plan(simple)).isInstanceOf(SourcePlan.NothingNew.class);
    assertThat(second.run(composite)).containsExactly(1L, 2L);
    assertThat(second.watermark())
        .isEqualTo(Watermark.of(List.of(at("2026-06-01T10:01:00Z"), Watermark.of(1))));
    assertThat(second.run(composite)).containsExactly(3L, 4L);
  }

  @Test
  void plan_ofACompositeWatermark_isOneRowValueInSql() {
    land("1, 1, '2026-06-01 10:00:00+00'");
    Follower composed =
        Follower.at(Watermark.of(List.of(at("2026-06-01T10:00:00Z"), Watermark.of(1))));

    assertThat(
            composed
                .plan(orders(Cursor.on("at", "no").exclusive().settledFor(Duration.ZERO)))
                .explanation())
        .endsWith(
            "WHERE NOT ((\"at\" IS NULL OR \"no\" IS NULL)) AND \"at\" >= TIMESTAMP WITH TIME ZONE"
                + " '2026-06-01 10:00:00.000000+00:00' AND (\"at\" > TIMESTAMP WITH TIME ZONE"
                + " '2026-06-01 10:00:00.000000+00:00' OR \"at\" = TIMESTAMP WITH TIME ZONE"
                + " '2026-06-01 10:00:00.000000+00:00' AND \"no\" > 1))");
  }

  @Test
  void nanoseconds_areCutAndReadAgainFromTheSameMicrosecond() {
    database.run(
        "CREATE TABLE ticks (\"id\" BIGINT, \"at\" TIMESTAMP(9))",
        "INSERT INTO ticks VALUES (1, '2026-06-01 10:00:00.123456100'),"
            + " (2, '2026-06-01 10:00:00.123456900')");
    JdbcTableSource ticks = source("ticks", AT.inZone(ZoneOffset.UTC).atMost(1));

    assertThat(follower.run(ticks)).containsExactly(1L, 2L);
    assertThat(follower.watermark())
        .isEqualTo(Watermark.at(LocalDateTime.parse("2026-06-01T10:00:00.123456")));
    database.run(
        "INSERT INTO ticks VALUES (3, '2026-06-01 10:00:00.123456999'),"
            + " (4, '2026-06-01 10:00:00.123457')");
    assertThat(follower.run(ticks)).containsExactly(1L, 2L, 3L, 4L);
    assertThatThrownBy(() -> follower.plan(source("ticks", AT.exclusive())))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read ticks newer by 'at': the bound is exclusive, and column 'at' has 9 digits"
                + " of a second where a watermark keeps 6, so that rows above the stored value can"
                + " look equal to it. Leave out exclusive(): rows that the target holds already are"
                + " recognized.");
  }

  @Test
  void times_ofOldCalendarsAndOfClocksThatWereMoved_arriveUnchanged() {
    database.run(
        "CREATE TABLE \"old.times\" (\"the id\" BIGINT, \"a \"\"day\"\"\" DATE, \"local.at\""
            + " TIMESTAMP(6), \"at\" TIMESTAMP(6) WITH TIME ZONE)",
        "INSERT INTO \"old.times\" VALUES (1, '0001-01-01', '0001-01-01 00:00:00.000001',"
            + " '0001-01-01 00:00:00+00'), (2, '1582-10-10', '2026-03-08 02:30:00', '2026-11-01"
            + " 06:30:00.123456+00'), (3, NULL, NULL, NULL)");
    TimeZone before = TimeZone.getDefault();

    try {
      TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
      tables.spark().conf().set("spark.sql.session.timeZone", "Asia/Tokyo");
      tables.spark().conf().set("spark.sql.ansi.enabled", "false");
      tables.spark().conf().set("spark.sql.datetime.java8API.enabled", "true");
      Dataset<Row> rows =
          follower.planned(source("\"old.times\"", Cursor.on("the id").lookback(1))).read().rows();

      DatasetAssert.assertThat(rows)
          .hasRows(
              Rows.columns("the id", "a \"day\"", "local.at", "at")
                  .row(
                      1,
                      LocalDate.parse("0001-01-01"),
                      LocalDateTime.parse("0001-01-01T00:00:00.000001"),
                      Instant.parse("0001-01-01T00:00:00Z"))
                  .row(
                      2,
                      LocalDate.parse("1582-10-10"),
                      LocalDateTime.parse("2026-03-08T02:30:00"),
                      Instant.parse("2026-11-01T06:30:00.123456Z"))
                  .row(3, null, null, null));
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  void cursors_ofEveryKind_goOnWhereTheyEnded() {
    database.run(
        "CREATE TABLE kinds (\"id\" BIGINT, \"day\" DATE, \"price\" DECIMAL(10, 2), \"code\""
            + " VARCHAR(20), \"local\" TIMESTAMP)",
        "INSERT INTO kinds VALUES (1, '2026-05-01', 9.99, 'O''Brien', '2026-05-01 10:00:00'),"
            + " (2, '2026-05-02', 10.00, 'a\\b', '2026-05-01 11:00:00')");
    List<Cursor> cursors =
        List.of(
            Cursor.on("id").lookback(1),
            Cursor.on("day").inZone(ZoneOffset.UTC),
            Cursor.on("price"),
            Cursor.on("code"),
            Cursor.on("local").inZone(ZoneId.of("Europe/Berlin")));
    List<Follower> followers = cursors.stream().map(cursor -> new Follower()).toList();

    for (int i = 0; i < cursors.size(); i++) {
      assertThat(followers.get(i).run(source("kinds", cursors.get(i).exclusive())))
          .containsExactly(1L, 2L);
    }

    assertThat(followers)
        .extracting(Follower::watermark)
        .containsExactly(
            Watermark.of(2),
            Watermark.on(LocalDate.parse("2026-05-02")),
            Watermark.of(new BigDecimal("10")),
            Watermark.of("a\\b"),
            Watermark.at(LocalDateTime.parse("2026-05-01T11:00:00")));
    database.run(
        "INSERT INTO kinds VALUES (3, '2026-05-03', 10.01, '\uD83D\uDE00', '2026-05-01"
            + " 12:00:00')");

    for (int i = 1; i < cursors.size(); i++) {
      assertThat(followers.get(i).run(source("kinds", cursors.get(i).exclusive())))
          .as(cursors.get(i).toString())
          .containsExactly(3L);
    }
  }

  @Test
  void text_isComparedByCodePointsWhateverTheDatabaseDoes() {
    database.run(
        "CREATE TABLE codes (\"id\" BIGINT, \"code\" VARCHAR(20))",
        "INSERT INTO codes VALUES (1, '\uFFFD'), (2, '\uD83D\uDE00')");
    JdbcTableSource codes = source("codes", Cursor.on("code").atMost(1).exclusive());

    assertThat(follower.run(codes)).containsExactly(1L);
    assertThat(follower.run(codes)).containsExactly(2L);
  }

  @Test
  void expression_isComputedByTheDatabase() {
    database.run(
        "CREATE TABLE changes (\"id\" BIGINT, created TIMESTAMP(6), modified TIMESTAMP(6))",
        "INSERT INTO changes VALUES (1, '2026-05-01 10:00:00', NULL),"
            + " (2, '2026-05-01 09:00:00', '2026-05-01 11:00:00')");
    Cursor changed = Cursor.expression("NVL(modified, created)").inZone(ZoneOffset.UTC);
    JdbcTableSource changes = source("changes", changed.exclusive());

    Dataset<Row> rows = follower.planned(changes).read().rows();

    assertThat(rows.columns()).containsExactly("id", "CREATED", "MODIFIED");
    assertThat(follower.run(changes)).containsExactly(1L, 2L);
    assertThat(follower.watermark())
        .isEqualTo(Watermark.at(LocalDateTime.parse("2026-05-01T11:00:00")));
    database.run("INSERT INTO changes VALUES (3, '2026-05-01 12:00:00', NULL)");
    assertThat(follower.run(changes)).containsExactly(3L);
  }

  @Test
  void query_isReadLikeATable() {
    land("1, 1, '2026-06-01 10:00:00+00'", "2, 2, '2026-06-01 10:00:00+00'");
    JdbcTableSource query =
        JdbcTableSource.forQuery(
                tables.spark(),
                database.database(),
                "even orders",
                "SELECT \"id\", \"at\" FROM orders WHERE MOD(\"id\", 2) = 0")
            .newerBy("at")
            .timedBy(NOON);

    assertThat(follower.run(query)).containsExactly(2L);
    assertThat(query).hasToString("even orders newer by at");
  }

  @Test
  void numbers_withoutMore_carryAWarning() {
    land("1, 1, '2026-06-01 10:00:00+00'");

    assertThat(follower.plan(orders(Cursor.on("no"))).warnings())
        .containsExactly(
            "A row with a smaller 'no' that is committed after this run is never read. Give the"
                + " cursor a lookback, or name the column that says when a row was written with"
                + " settledBy(..).");
    assertThat(follower.plan(orders(Cursor.on("no").lookback(100))).warnings()).isEmpty();
  }

  @Test
  void settleColumn_ofANumber_endsTheRangeBelowTheFirstYoungRow() {
    land(
        "1, 1, '2026-06-01 11:00:00+00'",
        "2, 2, '2026-06-01 11:59:00+00'",
        "3, 3, '2026-06-01 11:00:00+00'",
        "4, 4, NULL");
    JdbcTableSource source = orders(Cursor.on("no").exclusive()).settledBy("AT");

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(source);

    assertThat(planned.warnings()).isEmpty();
    assertThat(planned.waiting()).isEqualTo(3);
    assertThat(Follower.ids(planned.read().rows())).containsExactly(1L);
    assertThat(planned.explanation())
        .contains("3 rows wait until 'at' of all rows up to there lies PT5M back");
    follower.finish(planned);
    assertThat(follower.run(source.timedBy(Clock.offset(NOON, Duration.ofMinutes(5)))))
        .containsExactly(2L, 3L, 4L);
    assertThatThrownBy(() -> follower.plan(source.settledBy("id")))
        .hasMessage(
            "Cannot read orders newer by 'no': settle column 'id' is bigint, which is no time."
                + " Name the column that says when a row was written.");
    assertThatThrownBy(() -> follower.plan(source.settledBy("att")))
        .hasMessage(
            "Cannot read orders newer by 'no': there is no settle column 'att'. Columns: id, no,"
                + " at. Did you mean 'at'?");
  }

  @Test
  void openTransactions_whereTheyAreNotTold_leaveTheSettleTime() {
    land("1, 1, '2026-06-01 11:54:00+00'", "2, 2, '2026-06-01 11:56:00+00'");

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders(AT).belowOpenTransactions());

    assertThat(planned.waiting()).isEqualTo(1);
    assertThat(planned.warnings())
        .containsExactly(
            "It cannot be told below which 'at' all transactions are finished, so the settle time"
                + " holds instead.");
  }

  @Test
  void zoneOfAZonelessColumn_isAskedFor() {
    database.run("CREATE TABLE local (\"id\" BIGINT, \"at\" TIMESTAMP)");

    assertThatThrownBy(() -> follower.plan(source("local", AT)))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read local newer by 'at': rows settle for PT5M, and what is measured by is a"
                + " timestamp without a zone. Declare its zone with inZone(..).");
  }

  @Test
  void planBackfill_ofARange_readsExactlyThat() {
    land("1, 1, '2026-06-01 10:00:00+00'", "2, 2, '2026-06-01 11:00:00+00'", "3, 3, NULL");
    WatermarkRange one =
        new WatermarkRange(at("2026-06-01T10:00:00Z"), Bound.EXCLUSIVE, at("2026-06-01T11:00:00Z"));
    WatermarkRange none =
        new WatermarkRange(at("2026-06-02T10:00:00Z"), Bound.EXCLUSIVE, at("2026-06-03T11:00:00Z"));

    SourcePlan.Planned<Dataset<Row>> planned =
        (SourcePlan.Planned<Dataset<Row>>)
            orders(AT).splitInto(2).planBackfill(StreamName.only(), one);

    assertThat(Follower.ids(planned.read().rows())).containsExactly(2L);
    assertThat(orders(AT).planBackfill(StreamName.only(), none).explanation())
        .startsWith(
            "orders has no rows with at in (2026-06-02T10:00:00Z, 2026-06-03T11:00:00Z] (in SQL:");
  }

  @Test
  void reading_isolatedAndInFetchesAsAsked() {
    land("1, 1, '2026-06-01 10:00:00+00'");

    assertThat(follower.run(orders(AT).isolatedAt(JdbcIsolation.REPEATABLE_READ).fetching(1)))
        .containsExactly(1L);
    assertThat(
            database.texts(
                "SELECT SQL_STATEMENT FROM INFORMATION_SCHEMA.QUERY_STATISTICS WHERE"
                    + " SQL_STATEMENT LIKE 'SET SESSION%REPEATABLE READ'"))
        .hasSize(1);
    assertThatThrownBy(() -> orders(AT).fetching(0))
        .hasMessage("Cannot fetch 0 rows at once: at least 1.");
    assertThatThrownBy(() -> orders(AT).splitInto(0))
        .hasMessage("Cannot split into 0 parts: at least 1.");
  }

  @Test
  void mistakes_areNamedBeforeAnythingIsRead() {
    assertThatThrownBy(() -> follower.plan(source("nowhere", AT)))
        .isInstanceOf(Problem.class)
        .hasMessageStartingWith("Cannot read nowhere newer by 'at': Table \"NOWHERE\" not found");
    assertThatThrownBy(() -> follower.plan(orders(Cursor.on("att"))))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read orders newer by 'att': there is no column 'att'. Columns: id, no, at. Did"
                + " you mean 'at'?");
    assertThat(orders(Cursor.on("AT")).watermarkColumns()).containsExactly("at");
  }

  @Test
  void password_thatIsWrong_isShownNowhere() {
    String wrong = "hush-0815";
    JdbcTableSource source =
        JdbcTableSource.forTable(
                tables.spark(),
                JdbcDatabase.at(database.url()).loggedInAs("LOADER", () -> wrong),
                "orders")
            .newerBy("at");

    assertThatThrownBy(() -> follower.plan(source))
        .isInstanceOf(Problem.class)
        .hasMessageStartingWith("Cannot read orders newer by 'at': Wrong user name or password")
        .satisfies(
            failure -> {
              for (Throwable e = failure; e != null; e = e.getCause()) {
                assertThat(requireNonNull(e.toString())).doesNotContain(wrong);
              }
            });
  }
}
