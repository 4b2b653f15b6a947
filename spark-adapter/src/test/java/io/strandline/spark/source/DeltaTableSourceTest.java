package io.strandline.spark.source;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.NullCursors;
import io.strandline.source.ReadCounts;
import io.strandline.source.SourcePlan;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.util.QueryExecutionListener;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class DeltaTableSourceTest {
  private static final String SCHEMA = "id BIGINT, item STRING, _loaded_at TIMESTAMP";
  private static final String MONDAY = "2026-06-01T08:00:00Z";
  private static final String TUESDAY = "2026-06-02T08:00:00Z";
  private static final String WEDNESDAY = "2026-06-03T08:00:00Z";

  private Lakehouse tables;
  private DeltaTableSource orders;
  private final Follower follower = new Follower();

  @BeforeEach
  void landMonday(Lakehouse lakehouse) {
    tables = lakehouse;
    orders = DeltaTableSource.forName(tables.spark(), "bronze_orders").newerBy("_loaded_at");
    land(1, MONDAY);
  }

  private void land(long id, String at) {
    tables.append("bronze_orders", tables.dataset(SCHEMA, RowFactory.create(id, "apples", at)));
  }

  private static Watermark at(String instant) {
    return Watermark.at(Instant.parse(instant));
  }

  @Test
  void plan_ofAFirstRun_readsEverythingUpToTheLargestValue() {
    land(2, TUESDAY);

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders);

    assertThat(planned.ranges())
        .containsExactly(
            new StreamRange(
                StreamName.only(),
                Watermark.start(),
                new WatermarkRange(Watermark.start(), Bound.INCLUSIVE, at(TUESDAY)),
                at(TUESDAY)));
    assertThat(planned.snapshot(StreamName.only()).version()).isEqualTo(1);
    assertThat(planned.remainder()).isEqualTo(Remainder.NONE);
    assertThat(planned.read().rejected()).isEmpty();
    assertThat(planned.read().counts().get()).isEqualTo(ReadCounts.of(2));
    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 2 rows of bronze_orders at version 1 with _loaded_at in [the start,"
                + " 2026-06-02T08:00:00Z] and moves the watermark from the start to"
                + " 2026-06-02T08:00:00Z.");
  }

  @Test
  void read_ofAPlan_givesWholeRows() {
    assertThat(follower.planned(orders).read().rows())
        .hasRows(Rows.columns("id", "item", "_loaded_at").row(1, "apples", Instant.parse(MONDAY)));
  }

  @Test
  void read_afterOthersLanded_givesWhatWasPlanned() {
    follower.run(orders);
    land(2, TUESDAY);
    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders);
    land(3, MONDAY);
    land(4, TUESDAY);
    land(5, WEDNESDAY);

    assertThat(Follower.ids(planned.read().rows())).containsExactly(2L);
    assertThat(planned.read().counts().get().rows()).isEqualTo(1);
    follower.finish(planned);
    assertThat(follower.run(orders)).containsExactly(4L, 5L);
  }

  @Test
  void plan_ofATableThatOnlyGrew_readsNoFileOfTheLastRun() throws IOException {
    String read = tables.spark().table("bronze_orders").inputFiles()[0];
    follower.run(orders);
    Files.delete(Path.of(URI.create(read)));
    land(2, MONDAY);
    land(3, TUESDAY);

    assertThat(follower.run(orders)).containsExactly(2L, 3L);
  }

  @Test
  void plan_ofARangeTooLargeToKeep_looksOnlyWhereTheLargestValueCanBe() throws IOException {
    landLarge(2, MONDAY);
    String[] monday = tables.spark().table("bronze_orders").inputFiles();
    landLarge(3, TUESDAY);

    for (String file : monday) {
      Files.delete(Path.of(URI.create(file)));
    }

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders);

    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 3 rows of bronze_orders at version 2 with _loaded_at in [the start,"
                + " 2026-06-02T08:00:00Z] and moves the watermark from the start to"
                + " 2026-06-02T08:00:00Z.");
    assertThat(planned.read().counts().get()).isEqualTo(ReadCounts.of(3));
  }

  /** Lands a row of 33 MiB of letters that cannot be packed: two are more than 64 MiB. */
  private void landLarge(long id, String at) {
    String item =
        new Random(id)
            .ints(33 << 20, ' ', '~')
            .collect(
                () -> new StringBuilder(33 << 20),
                StringBuilder::appendCodePoint,
                StringBuilder::append)
            .toString();
    tables.append("bronze_orders", tables.dataset(SCHEMA, RowFactory.create(id, item, at)));
  }

  @Test
  void plan_ofATableThatGrewAfterAnotherColumn_hasTheColumnOfToday() {
    follower.run(orders);
    land(2, TUESDAY);
    follower.run(orders);
    tables.spark().sql("ALTER TABLE bronze_orders ADD COLUMN price INT");
    tables
        .spark()
        .sql("INSERT INTO bronze_orders VALUES (3, 'figs', timestamp'" + WEDNESDAY + "', 7)");

    assertThat(follower.planned(orders).read().rows().where("price = 7").count()).isEqualTo(1);
  }

  @Test
  void plan_whereMoreThanGrowthCameBetween_readsAgainFromTheWatermarkOn() {
    follower.run(orders);
    land(2, TUESDAY);
    tables.spark().sql("UPDATE bronze_orders SET item = 'figs' WHERE id = 1");
    assertThat(follower.run(orders)).containsExactly(1L, 2L);

    land(3, TUESDAY);
    tables.spark().sql("OPTIMIZE bronze_orders");
    assertThat(follower.run(orders)).containsExactly(2L, 3L);

    tables.spark().sql("DELETE FROM bronze_orders WHERE id = 1");
    land(4, TUESDAY);
    assertThat(follower.run(orders)).containsExactly(2L, 3L, 4L);
  }

  @Test
  void advice_namesAWatermarkColumnThatStandsTooFarBehind() {
    String many =
        IntStream.range(0, 16)
            .mapToObj(i -> "c" + i + " STRUCT<a: INT, b: INT>")
            .collect(joining(", "));
    String folder = tables.path("wide");
    tables
        .spark()
        .sql(
            "CREATE TABLE delta.`" + folder + "` (" + many + ", _loaded_at TIMESTAMP) USING delta");

    assertThat(DeltaTableSource.forPath(tables.spark(), folder).newerBy("_LOADED_AT").advice())
        .containsExactly(
            folder
                + " keeps no statistics of _loaded_at, so a run reads all of its files where it did"
                + " more than grow. The table property 'delta.dataSkippingStatsColumns' names"
                + " columns that have them, in files that are written from then on");
    assertThat(orders.advice()).isEmpty();
  }

  @Test
  void plan_whereTheLogWasCutSince_readsAgainFromTheWatermarkOn() throws IOException {
    follower.run(orders);
    land(2, TUESDAY);
    land(3, TUESDAY);
    DeltaSnapshot newest = DeltaRef.forName(tables.spark(), "bronze_orders").snapshot();
    newest.checkpoint();
    Path log = Path.of(URI.create(newest.location())).resolve("_delta_log");

    for (int version = 0; version < 2; version++) {
      Files.delete(log.resolve(String.format(Locale.ROOT, "%020d.json", version)));
    }

    assertThat(follower.run(orders)).containsExactly(1L, 2L, 3L);
  }

  @Test
  void plan_ofACursorThatReadsMoreThanIsNew_readsItAllTheSame() {
    land(2, TUESDAY);
    List<Cursor> cursors =
        List.of(
            Cursor.on("_loaded_at").lookback(Duration.ofDays(1)),
            Cursor.on("_loaded_at").nulls(NullCursors.LOAD),
            Cursor.on("_loaded_at").future(FutureCursors.CAP));

    for (Cursor cursor : cursors) {
      DeltaTableSource source =
          DeltaTableSource.forName(tables.spark(), "bronze_orders").newerBy(cursor);
      Follower of = new Follower();
      of.run(source);
      land(10, WEDNESDAY);
      List<Object> read = of.run(source);

      assertThat(read).as(cursor.toString()).hasSizeGreaterThan(1);
    }
  }

  @Test
  void read_afterRowsWereDeleted_givesWhatWasPlanned() {
    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders);
    tables.spark().sql("DELETE FROM bronze_orders");

    assertThat(Follower.ids(planned.read().rows())).containsExactly(1L);
  }

  @Test
  void plan_ofAnUnmovedTable_runsNoSparkJob() {
    follower.run(orders);

    long jobs =
        tables.jobsOf(
            () ->
                assertThat(follower.plan(orders))
                    .isEqualTo(
                        new SourcePlan.NothingNew<>(
                            "bronze_orders is still at version 0, which the last run read"
                                + " completely",
                            0)));

    assertThat(jobs).isZero();
  }

  @Test
  void plan_ofAnUnmovedTableReadingAll_readsAgain() {
    DeltaTableSource all =
        DeltaTableSource.forName(tables.spark(), "bronze_orders")
            .newerBy(Cursor.on("_loaded_at").readingAll());

    assertThat(follower.run(all)).containsExactly(1L);
    assertThat(follower.run(all)).containsExactly(1L);
  }

  @Test
  void plan_afterAPersonMovedTheWatermark_obeysIt() {
    land(2, TUESDAY);
    follower.run(orders);
    Follower moved = Follower.at(at(MONDAY));

    assertThat(moved.run(orders)).containsExactly(1L, 2L);
  }

  @Test
  void plan_ofABusyTable_runsOneQuery() {
    AtomicLong queries = new AtomicLong();
    QueryExecutionListener listener =
        new QueryExecutionListener() {
          @Override
          public void onSuccess(String name, QueryExecution query, long nanoseconds) {
            // Delta's own queries of the table's log have other names.
            queries.addAndGet(name.equals("collectAsList") ? 1 : 0);
          }

          @Override
          public void onFailure(String name, QueryExecution query, Exception exception) {}
        };
    tables.spark().listenerManager().register(listener);

    long jobs = tables.jobsOf(() -> follower.planned(orders));

    assertThat(queries).hasValue(1);
    assertThat(jobs).isPositive();
  }

  @Test
  void read_ofAPlan_opensNoFileAgain() throws IOException {
    tables.spark().table("bronze_orders").write().format("delta").save(tables.path("orders"));
    DeltaTableSource byPath =
        DeltaTableSource.forPath(tables.spark(), tables.path("orders")).newerBy("_loaded_at");
    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(byPath);

    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(Path.of(tables.path("orders")), "*.parquet")) {
      files.forEach(DeltaTableSourceTest::delete);
    }

    assertThat(Follower.ids(planned.read().rows())).containsExactly(1L);
  }

  @Test
  void read_ofARangeTooLargeToKeep_givesWhatWasPlanned() {
    tables
        .spark()
        .range(70)
        .selectExpr("id", "randstr(1000000, 17) AS item", "timestamp'" + MONDAY + "' AS _loaded_at")
        .write()
        .format("delta")
        .mode("overwrite")
        .saveAsTable("bronze_orders");
    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders);
    land(70, MONDAY);
    tables.spark().sql("DELETE FROM bronze_orders WHERE id < 10");

    assertThat(planned.read().rows().inputFiles()).isNotEmpty();
    assertThat(planned.read().rows().selectExpr("count(*)", "sum(id)", "count_if(id < 10)"))
        .hasRows(Rows.columns("count(1)", "sum(id)", "count_if((id < 10))").row(70L, 2415L, 10L));
  }

  @Test
  void plan_ofAnOptimizedTable_findsOnlyWhatIsThereAlready() {
    land(2, TUESDAY);
    follower.run(orders);
    tables.spark().sql("OPTIMIZE bronze_orders");
    DeltaTableSource exclusive =
        DeltaTableSource.forName(tables.spark(), "bronze_orders")
            .newerBy(Cursor.on("_loaded_at").exclusive());

    assertThat(follower.planned(orders).ranges().get(0).moves()).isFalse();
    assertThat(follower.planned(orders).explanation())
        .isEqualTo(
            "Reads 1 row of bronze_orders at version 2 with _loaded_at in [2026-06-02T08:00:00Z,"
                + " 2026-06-02T08:00:00Z] and leaves the watermark at 2026-06-02T08:00:00Z.");
    assertThat(follower.plan(exclusive))
        .isEqualTo(
            new SourcePlan.NothingNew<>(
                "bronze_orders at version 2 has no rows with _loaded_at above"
                    + " 2026-06-02T08:00:00Z",
                0));
  }

  @Test
  void plan_ofAnEmptyTable_findsNothing() {
    tables.spark().sql("DELETE FROM bronze_orders");

    assertThat(follower.plan(orders))
        .isEqualTo(
            new SourcePlan.NothingNew<>(
                "bronze_orders at version 1 has no rows with a value of _loaded_at", 0));
  }

  @Test
  void run_ofARestoredBackup_keepsTheWatermark() {
    land(2, WEDNESDAY);
    follower.run(orders);
    tables
        .dataset(SCHEMA, RowFactory.create(3, "pears", TUESDAY))
        .write()
        .format("delta")
        .mode("overwrite")
        .saveAsTable("bronze_orders");
    DeltaTableSource lookingBack =
        DeltaTableSource.forName(tables.spark(), "bronze_orders")
            .newerBy(Cursor.on("_loaded_at").lookback(Duration.ofDays(2)));

    assertThat(follower.run(lookingBack)).containsExactly(3L);
    assertThat(follower.watermark()).isEqualTo(at(WEDNESDAY));
  }

  @Test
  void run_byPath_readsTheSame() {
    tables.spark().table("bronze_orders").write().format("delta").save(tables.path("orders"));
    DeltaTableSource byPath =
        DeltaTableSource.forPath(tables.spark(), tables.path("orders")).newerBy("_loaded_at");

    assertThat(follower.run(byPath)).containsExactly(1L);
    assertThat(follower.run(byPath)).isEmpty();
  }

  @Test
  void read_ofAnIncrement_skipsFilesOfOlderRows() {
    for (int day = 10; day < 20; day++) {
      land(day, "2026-06-" + day + "T08:00:00Z");
    }

    DeltaTableSource composite =
        DeltaTableSource.forName(tables.spark(), "bronze_orders")
            .newerBy(Cursor.on("_loaded_at", "id").exclusive());
    Watermark eighteenth = at("2026-06-18T08:00:00Z");
    Follower simple = Follower.at(eighteenth);
    Follower composed = Follower.at(Watermark.of(List.of(eighteenth, Watermark.of(18))));

    // Spark fails if it opens a file that is gone.
    tables
        .spark()
        .table("bronze_orders")
        .where("_loaded_at < '2026-06-18T00:00:00Z'")
        .select("_metadata.file_path")
        .collectAsList()
        .forEach(file -> delete(Path.of(URI.create(file.getString(0)))));

    assertThat(simple.run(orders)).containsExactly(18L, 19L);
    assertThat(composed.run(composite)).containsExactly(19L);
  }

  @Test
  void planBackfill_ofARange_readsExactlyThat() {
    land(2, TUESDAY);
    land(3, WEDNESDAY);
    tables.append("bronze_orders", tables.dataset(SCHEMA, RowFactory.create(4, null, null)));
    WatermarkRange range = new WatermarkRange(at(MONDAY), Bound.EXCLUSIVE, at(TUESDAY));

    SourcePlan.Planned<Dataset<Row>> planned =
        (SourcePlan.Planned<Dataset<Row>>) orders.planBackfill(StreamName.only(), range);

    assertThat(Follower.ids(planned.read().rows())).containsExactly(2L);
    assertThat(planned.read().rejected()).isEmpty();
    assertThat(planned.moves()).isFalse();
    assertThat(planned.ranges().get(0).range()).isEqualTo(range);
    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 1 row of bronze_orders at version 3 with _loaded_at in (2026-06-01T08:00:00Z,"
                + " 2026-06-02T08:00:00Z].");
  }

  @Test
  void planBackfill_ofARangeWithoutRows_findsNothing() {
    WatermarkRange range = new WatermarkRange(at(TUESDAY), Bound.INCLUSIVE, at(WEDNESDAY));

    assertThat(orders.planBackfill(StreamName.only(), range))
        .isEqualTo(
            new SourcePlan.NothingNew<>(
                "bronze_orders at version 0 has no rows with _loaded_at in"
                    + " [2026-06-02T08:00:00Z, 2026-06-03T08:00:00Z]",
                0));
  }

  @Test
  void source_toldByName_describesItself() {
    DeltaTableSource spelledOtherwise =
        DeltaTableSource.forName(tables.spark(), "bronze_orders").newerBy("_LOADED_AT", "ID");

    assertThat(orders.name()).isEqualTo("bronze_orders");
    assertThat(orders.declaration()).isEqualTo("newer by _loaded_at");
    assertThat(orders).hasToString("bronze_orders newer by _loaded_at");
    assertThat(orders.streams()).containsExactly(StreamName.only());
    assertThat(orders.watermarkColumns()).containsExactly("_loaded_at");
    assertThat(spelledOtherwise.watermarkColumns()).containsExactly("_loaded_at", "id");
  }

  @Test
  void plan_ofARecreatedTable_saysSo() {
    String then = tableId();
    follower.run(orders);
    tables.spark().sql("DROP TABLE bronze_orders");
    land(7, TUESDAY);

    assertThatThrownBy(() -> follower.plan(orders))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.SOURCE_RECREATED))
        .hasMessage(
            "Cannot read bronze_orders newer by '_loaded_at': the last run read table "
                + then
                + ", and the table of that name is now "
                + tableId()
                + ". If the new table goes on where the old one ended, call rewind(..) with the"
                + " watermark to go on from; if not, reload().");
    assertThat(Follower.at(at(MONDAY)).run(orders)).containsExactly(7L);
  }

  private String tableId() {
    return tables.spark().sql("DESCRIBE DETAIL bronze_orders").select("id").first().getString(0);
  }

  @Test
  void plan_ofATablePutBackFromABackup_saysThatHistoryIsLost() {
    tables.spark().table("bronze_orders").write().format("delta").save(tables.path("orders"));
    DeltaTableSource byPath =
        DeltaTableSource.forPath(tables.spark(), tables.path("orders")).newerBy("_loaded_at");
    tables
        .dataset(SCHEMA, RowFactory.create(2, "pears", TUESDAY))
        .write()
        .format("delta")
        .mode("append")
        .save(tables.path("orders"));
    follower.run(byPath);
    Path log = Path.of(tables.path("orders"), "_delta_log");
    delete(log.resolve("00000000000000000001.json"));
    delete(log.resolve(".00000000000000000001.json.crc"));
    delete(log.resolve("00000000000000000001.crc"));

    assertThatThrownBy(() -> follower.plan(byPath))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.SOURCE_HISTORY_LOST))
        .hasMessage(
            "Cannot read "
                + tables.path("orders")
                + " newer by '_loaded_at': the last run read version 1, and the newest version is"
                + " now 0. The table's log was cut or put back from a backup. Call rewind(..) with"
                + " the watermark that its rows still reach, or reload().");
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void plan_ofAMissingTable_namesIt() {
    DeltaTableSource named =
        DeltaTableSource.forName(tables.spark(), "bronze_order").newerBy("_loaded_at");
    DeltaTableSource inFolder =
        DeltaTableSource.forPath(tables.spark(), tables.path("none")).newerBy("_loaded_at");

    assertThatThrownBy(() -> follower.plan(named))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read bronze_order newer by '_loaded_at': there is no table spark_catalog."
                + tables.schema()
                + ".bronze_order. Create it, or name the one that you mean.");
    assertThatThrownBy(() -> follower.plan(inFolder))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read "
                + tables.path("none")
                + " newer by '_loaded_at': there is no Delta table in folder "
                + tables.path("none")
                + ". Name the folder that holds _delta_log.");
    assertThat(named.watermarkColumns()).containsExactly("_loaded_at");
  }
}
