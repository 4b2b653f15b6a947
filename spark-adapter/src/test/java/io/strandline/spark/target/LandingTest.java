package io.strandline.spark.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class LandingTest {
  private static final Instant MONDAY = Instant.parse("2026-06-29T06:00:00.000009Z");

  private final SparkSession spark;
  private final Lakehouse lakehouse;
  private final String table;

  LandingTest(SparkSession spark, Lakehouse lakehouse) {
    this.spark = spark;
    this.lakehouse = lakehouse;
    this.table = lakehouse.table("bronze_orders");
  }

  @Test
  void land_ofTheFirstRows_makesTheTableAndStampsThem() {
    Landed landed = at(MONDAY).land("monday.csv", orders(1, 2));

    assertThat(landed).isEqualTo(new Landed(Landed.Outcome.LANDED, MONDAY, 2));
    assertThat(spark.table(table).schema().toDDL())
        .isEqualTo("id INT,note STRING,_loaded_at TIMESTAMP");
    assertThat(stamps()).containsExactly(MONDAY, MONDAY);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void land_inAFolder_worksLikeInATable() {
    String folder = lakehouse.path("bronze");
    Landing landing = Landing.intoPath(spark, folder).timedBy(Clock.fixed(MONDAY, ZoneOffset.UTC));
    landing.land("monday.csv", orders(1));
    Landed again = landing.land("monday.csv", orders(1));

    assertThat(again.isNew()).isFalse();
    assertThat(spark.read().format("delta").load(folder).count()).isEqualTo(1);
  }

  @Test
  void land_underANameThatLandedBefore_changesNothingAndTellsWhen() {
    at(MONDAY).land("monday.csv", orders(1, 2));
    long before = version();
    Landed again = at(MONDAY.plusSeconds(60)).land("monday.csv", orders(1, 2, 3));

    assertThat(again).isEqualTo(new Landed(Landed.Outcome.THERE_ALREADY, MONDAY, 0));
    assertThat(version()).isEqualTo(before);
  }

  @Test
  void land_withAClockThatStepsBack_stampsLaterAllTheSame() {
    at(MONDAY).land("monday.csv", orders(1));
    Landed back = at(MONDAY.minusSeconds(3600)).land("tuesday.csv", orders(2));
    Landed still = at(MONDAY).land("wednesday.csv", orders(3));
    Landed unnamed = at(MONDAY.minusSeconds(1)).land(orders(4));
    Landed forth = at(MONDAY.plusSeconds(1)).land(orders(5));

    assertThat(List.of(back, still, unnamed, forth).stream().map(Landed::loadedAt))
        .containsExactly(
            MONDAY.plusNanos(1_000),
            MONDAY.plusNanos(2_000),
            MONDAY.plusNanos(3_000),
            MONDAY.plusSeconds(1));
  }

  @Test
  void land_withFileAndNumber_saysWhereEachRowCameFrom() {
    Landing landing = at(MONDAY).filedIn("_file").numberedIn("_landing");
    String folder = lakehouse.path("texts");
    spark.sql("SELECT 'a' AS value").coalesce(1).write().text(folder);

    landing.land(spark.read().text(folder));
    landing.land("second.csv", spark.sql("SELECT 'b' AS value"));
    landing.land(spark.sql("SELECT 'c' AS value"));

    List<Row> rows =
        spark
            .table(table)
            .selectExpr("value", "_landing", "_file")
            .orderBy("value")
            .collectAsList();
    assertThat(rows.get(0).getString(2)).startsWith("file:").contains("texts/part-");
    assertThat(rows.get(0).getLong(1)).isEqualTo(1);
    assertThat(rows.get(1)).isEqualTo(RowFactory.create("b", 2L, "second.csv"));
    assertThat(rows.get(2)).isEqualTo(RowFactory.create("c", 3L, null));
    assertThatThrownBy(() -> landing.land(spark.sql("SELECT 'c' AS value, 1 AS _landing")))
        .hasMessage(
            "Cannot land rows in "
                + table
                + ": the rows have a column '_landing', which a landing makes itself. Drop or"
                + " rename it, or name another column with numberedIn(..).");
  }

  @Test
  void land_ofRowsThatFail_landsNeitherRowsNorName() {
    at(MONDAY).land("monday.csv", orders(1));
    Dataset<Row> failing =
        orders(2, 3)
            .withColumn(
                "note",
                functions
                    .when(functions.col("id").equalTo(2), "fine")
                    .otherwise(functions.raise_error(functions.lit("torn line"))));

    assertThatThrownBy(() -> at(MONDAY.plusSeconds(1)).land("tuesday.csv", failing))
        .hasStackTraceContaining("torn line");
    Landed again = at(MONDAY.plusSeconds(2)).land("tuesday.csv", orders(2, 3));
    assertThat(again.rows()).isEqualTo(2);
    assertThat(spark.table(table).count()).isEqualTo(3);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void land_leavesNoTransactionInTheCallersSession() {
    at(MONDAY).land("monday.csv", orders(1));

    assertThat(spark.conf().getOption("spark.databricks.delta.write.txnAppId").isEmpty()).isTrue();
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void land_ofManyAtOnce_stampsInTheOrderOfTheCommits() throws Exception {
    Landing landing = at(MONDAY);
    landing.land(orders(0));
    List<Landed> landed =
        atOnce(4, i -> List.of(landing.land("file " + i, orders(i)), landing.land(orders(i))));

    assertThat(landed).allMatch(Landed::isNew).allMatch(each -> each.rows() == 1);
    assertThat(stampsByVersion()).hasSize(9).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void land_ofOneNameByFourAtOnce_landsItOnce() throws Exception {
    Landing landing = at(MONDAY);
    List<Landed> landed = atOnce(4, i -> List.of(landing.land("monday.csv", orders(1, 2))));

    assertThat(landed.stream().filter(Landed::isNew)).hasSize(1);
    assertThat(landed.stream().map(Landed::loadedAt)).containsOnly(stamps().get(0));
    assertThat(stamps()).hasSize(2);
  }

  @Test
  void land_ofRowsThatDoNotFit_saysWhyBeforeItWrites() {
    at(MONDAY).land("monday.csv", orders(1));
    long before = version();

    assertThatThrownBy(() -> at(MONDAY).land(orders(2).withColumnRenamed("note", "notes")))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.SCHEMA_MISMATCH))
        .hasMessage(
            "Cannot land rows in %s: the table has no column 'notes'. Add it to the table, or leave"
                + " it out of the rows. Did you mean 'note'?",
            table);
    assertThatThrownBy(() -> at(MONDAY).land(orders(2).withColumnRenamed("note", "_LOADED_AT")))
        .hasMessage(
            "Cannot land rows in %s: the rows have a column '_loaded_at', which a landing makes"
                + " itself. Drop or rename it, or name another column with stampedIn(..).",
            table);
    assertThatThrownBy(() -> at(MONDAY).stampedIn("at").land(orders(2)))
        .hasMessage(
            "Cannot land rows in %s: the table has no column 'at' of type TIMESTAMP. Add it (ALTER"
                + " TABLE .. ADD COLUMN at TIMESTAMP), or name another column with stampedIn(..).",
            table);
    assertThatThrownBy(() -> at(MONDAY).land(" ", orders(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(version()).isEqualTo(before);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void land_ofManyColumns_keepsStatisticsOfTheStamp() {
    Dataset<Row> wide = orders(1);

    for (int i = 0; i < 40; i++) {
      wide = wide.withColumn("c" + i, functions.lit(i));
    }

    at(MONDAY).land(wide);

    assertThat(
            spark
                .sql("SHOW TBLPROPERTIES " + table)
                .where("key = 'delta.dataSkippingNumIndexedCols'")
                .head()
                .getString(1))
        .isEqualTo("43");
  }

  private Landing at(Instant now) {
    return Landing.into(spark, table).timedBy(Clock.fixed(now, ZoneOffset.UTC));
  }

  private Dataset<Row> orders(int... ids) {
    return lakehouse.dataset(
        "id INT, note STRING",
        IntStream.of(ids).mapToObj(id -> RowFactory.create(id, "order " + id)).toArray(Row[]::new));
  }

  private List<Instant> stamps() {
    return stamps(spark.table(table));
  }

  private static List<Instant> stamps(Dataset<Row> rows) {
    return Lakehouse.collect(rows.select("_loaded_at")).stream()
        .map(row -> (Instant) row.get("_loaded_at"))
        .toList();
  }

  /** Returns the stamp that each version added, in the order of the versions. */
  private List<Instant> stampsByVersion() {
    List<Instant> stamps = new ArrayList<>();
    long last = version();

    for (long version = 1; version <= last; version++) {
      List<Instant> now =
          stamps(spark.read().option("versionAsOf", version).table(table)).stream()
              .sorted(Comparator.naturalOrder())
              .toList();
      stamps.add(now.get(now.size() - 1));
    }

    return stamps;
  }

  private long version() {
    return spark.sql("DESCRIBE HISTORY " + table + " LIMIT 1").head().getLong(0);
  }

  private interface Work<T> {
    List<T> of(int thread);
  }

  private static <T> List<T> atOnce(int threads, Work<T> work) throws Exception {
    CyclicBarrier start = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);

    try {
      List<Future<List<T>>> running = new ArrayList<>();

      for (int i = 0; i < threads; i++) {
        int thread = i;
        running.add(
            pool.submit(
                () -> {
                  start.await();
                  return work.of(thread);
                }));
      }

      List<T> done = new ArrayList<>();

      for (Future<List<T>> result : running) {
        done.addAll(result.get());
      }

      return done;
    } finally {
      pool.shutdownNow();
    }
  }
}
