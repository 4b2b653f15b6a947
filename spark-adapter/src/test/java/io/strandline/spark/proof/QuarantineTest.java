package io.strandline.spark.proof;

import static io.strandline.spark.clean.DeclaredColumn.bigint;
import static io.strandline.spark.clean.DeclaredColumn.date;
import static io.strandline.spark.clean.DeclaredColumn.decimal;
import static io.strandline.spark.clean.DeclaredColumn.integer;
import static io.strandline.spark.clean.DeclaredColumn.kept;
import static io.strandline.spark.clean.DeclaredColumn.text;
import static io.strandline.spark.clean.DeclaredColumn.timestamp;
import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.assertion.LoadAssertions.assertThatFailureOf;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.clean.Cleaner;
import io.strandline.clean.Severity;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.spark.clean.DeclaredCleaner;
import io.strandline.spark.clean.DeclaredColumn;
import io.strandline.spark.load.DeltaLoadLog;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaAppendTarget;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import io.strandline.testkit.spark.DatasetAssert;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.util.QueryExecutionListener;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rejected rows on Delta: what is kept of them, what warns and stops, and how they come back. */
@ExtendWith(LakehouseExtension.class)
class QuarantineTest {
  private static final int RANDOM_ROWS = 300;

  /** A column of each type whose JSON could lose something, and a key that is bad. */
  private static final String RAW =
      "9007199254740993 AS big, 1.10BD AS amount,"
          + " 12345678901234567890.123456789012345678BD AS digits, TIMESTAMP"
          + " '2026-11-01 06:30:00.000001Z' AS at, TIMESTAMP_NTZ '2026-03-29 02:30:00.5' AS local,"
          + " DATE '0001-01-01' AS day, X'00FF' AS bytes, double('NaN') AS nan, array(1, NULL) AS"
          + " list, map(7, 'x', 8, NULL) AS tags, named_struct('x.y', CAST(NULL AS INT), 'z', array(1.5D)) AS"
          + " deep, CAST(NULL AS STRING) AS none, 'a\"\\n\\u00e9' AS `odd.``name`";

  private final SparkSession spark;
  private final Lakehouse lakehouse;
  private final String bronze;
  private final String silver;

  QuarantineTest(SparkSession spark, Lakehouse lakehouse) {
    this.spark = spark;
    this.lakehouse = lakehouse;
    this.bronze = lakehouse.table("bronze");
    this.silver = lakehouse.table("silver");
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void redrive_ofRowsOfEveryType_bringsThemAsTheyCameAndLetsNewerOnesStand() {
    lakehouse.append("bronze", raw("'x1'", "1").union(raw("'x2'", "1")).union(raw("'7'", "1")));
    Cleaner<Dataset<Row>> strict = DeclaredCleaner.of(columns(integer("id")));
    Cleaner<Dataset<Row>> mended =
        DeclaredCleaner.of(columns(integer("id").fromExpression("replace(id, 'x', '')")));
    LoadResult first = load(strict).run();
    lakehouse.append("bronze", raw("'2'", "5"));
    load(strict).run();

    LoadResult again = load(strict).redrive();
    spark.sql("UPDATE " + silver + "_quarantine SET raw_row = replace(raw_row, 'x1', '1')");
    LoadResult byHand = load(strict).redrive();
    LoadResult result = load(mended).redrive();

    assertThat(first).inserted(1).rejected(2).addsUp();
    assertThat(again).foundNothingNew().read(2).rejected(2).addsUp();
    assertThat(byHand).inserted(1).rejected(1).addsUp();
    assertThat(result).stale(1).rejected(0).addsUp();
    DatasetAssert.assertThat(spark.table(silver).drop("tags"))
        .hasRowsOf(
            DeclaredCleaner.of(columns(integer("id")))
                .clean(raw("'1'", "1").union(raw("'7'", "1")).union(raw("'2'", "5")))
                .drop("tags"));
    assertThat(
            spark
                .table(silver)
                .where("tags[7] = 'x' and tags[8] is null and size(tags) = 2")
                .count())
        .isEqualTo(3);
    assertThat(
            spark
                .table(silver + "_quarantine")
                .where(
                    "state = 'REDRIVEN' and redriven_at is not null and length(redriven_by) = 36"
                        + " and run_number = 1 and row_form = 'RAW' and source = '"
                        + DeltaTableSource.forName(spark, bronze).newerBy("seq").name()
                        + "'")
                .count())
        .isEqualTo(2);
    assertThat(load(mended).redrive()).foundNothingNew();
  }

  private DeclaredColumn[] columns(DeclaredColumn key) {
    List<DeclaredColumn> columns = new ArrayList<>(List.of(key.required()));

    for (String name : raw("'1'", "1").columns()) {
      if (!name.equals("id")) {
        columns.add(kept(name));
      }
    }

    return columns.toArray(DeclaredColumn[]::new);
  }

  private Dataset<Row> raw(String id, String seq) {
    return spark.sql("SELECT " + id + " AS id, " + seq + " AS seq, " + RAW);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void redrive_intoAnAppendTarget_appendsOnceThoughItDied() {
    DeltaAppendTarget target = DeltaAppendTarget.forName(spark, silver).createdIfMissing();
    Cleaner<Dataset<Row>> strict = DeclaredCleaner.of(integer("id"), bigint("seq"));
    Cleaner<Dataset<Row>> mended =
        DeclaredCleaner.of(integer("id").fromExpression("replace(id, 'x', '')"), bigint("seq"));
    lakehouse.append("bronze", spark.sql("SELECT 'x1' AS id, 1L AS seq UNION ALL SELECT '2', 1L"));
    load(strict, target, Faults.none()).run();

    assertThatThrownBy(
            () ->
                load(mended, target, Faults.once(LoadStep.ADVANCE, Moment.BEFORE).dies()).redrive())
        .isInstanceOf(ProcessDeath.class);
    LoadResult next = load(mended, target, Faults.none()).redrive();

    assertThat(next).foundNothingNew();
    assertThat(next.notes().recovered()).isPresent();
    DatasetAssert.assertThat(spark.table(silver))
        .hasRowsOf(spark.sql("SELECT 1 AS id, 1L AS seq UNION ALL SELECT 2, 1L"));
  }

  @Test
  void checks_ofEachSeverity_areSeenInResultLogAndQuarantine() {
    lakehouse.append(
        "bronze",
        spark.sql(
            "SELECT * FROM VALUES ('1', 0, 1L), ('2', 0, 1L), ('3', -1, 1L), ('4', 5, 1L), ('',"
                + " 5, 1L) AS t(id, amount, seq)"));
    DeclaredCleaner checked =
        DeclaredCleaner.of(text("id").trimmed(), integer("amount"), kept("seq"))
            .check("amount <> 0", "the amount is zero", Severity.WARN)
            .check("amount >= 0", "the amount is negative");
    String log = lakehouse.table("load_log");

    LoadResult result = load(checked, log).run();
    lakehouse.append("bronze", spark.sql("SELECT '6' AS id, 1000 AS amount, 2L AS seq"));
    assertThatFailureOf(
            () ->
                load(checked.check("amount < 1000", "the amount is huge", Severity.FAIL), log)
                    .run())
        .isOfKind(ProblemKind.CHECK_FAILED)
        .hasMessageContaining(
            "1 row: the amount is huge, such as {\"id\":\"6\",\"amount\":1000,\"seq\":2}.");

    assertThat(result).inserted(3).rejected(2).addsUp().warns("2 rows: the amount is zero");
    DatasetAssert.assertThat(
            spark.table(silver + "_quarantine").selectExpr("reason", "raw_row", "row_form"))
        .hasRowsOf(
            spark
                .sql(
                    "SELECT * FROM VALUES ('the amount is negative',"
                        + " '{\"id\":\"3\",\"amount\":-1,\"seq\":1}', 'RAW'), ('key column `id` is"
                        + " blank', '{\"id\":\"\",\"amount\":5,\"seq\":1}', 'RAW'), ('the amount is"
                        + " huge', '{\"id\":\"6\",\"amount\":1000,\"seq\":2}', 'RAW') AS t(reason,"
                        + " raw_row, row_form)")
                .selectExpr("replace(reason, '`', \"'\") AS reason", "raw_row", "row_form"));
    assertThat(
            spark.table(log).orderBy("started_at").select("message").collectAsList().stream()
                .map(row -> row.getString(0)))
        .first()
        .isEqualTo("2 rows: the amount is zero");
    assertThat(spark.table(log).where("outcome = 'FAILED' and message like '%huge%'").count())
        .isEqualTo(1);
    assertThat(spark.table(silver).count()).isEqualTo(3);
  }

  @Test
  void run_overRandomBytesAsText_neitherFailsNorLosesARow() {
    Random random = new Random(5);
    List<Row> rows = new ArrayList<>();

    for (int i = 0; i < RANDOM_ROWS; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);
      String almost = List.of("2026-02-", "-1.", "1e", "", "0x", "9", "+").get(random.nextInt(7));
      rows.add(
          RowFactory.create(i, i % 2 == 0 ? bytes : (almost + i).getBytes(StandardCharsets.UTF_8)));
    }

    lakehouse.append(
        "bronze",
        lakehouse
            .dataset("id INT, bytes BINARY", rows.toArray(Row[]::new))
            .selectExpr("id", "CAST(bytes AS STRING) AS text", "1L AS seq"));
    DeclaredCleaner cleaner =
        DeclaredCleaner.of(
            kept("id"),
            integer("i").from("text"),
            decimal("n", 10, 2).from("text").trimmed(),
            DeclaredColumn.floating("f").from("text").trimmed().emptyAsNull(),
            DeclaredColumn.bool("b").fromExpression("if(id % 3 = 0, text, 'true')"),
            date("d").fromExpression("if(id % 5 = 0, text, '2026-01-01')").format("yyyy-MM-dd"),
            timestamp("t").fromExpression("if(id % 7 = 0, text, '2026-01-01')"),
            text("u").from("text").trimmed().upperCased(),
            kept("seq"));

    LoadResult result = load(cleaner).run();

    assertThat(result).read(RANDOM_ROWS).addsUp();
    assertThat(result.counts().rejected()).isBetween(1L, RANDOM_ROWS - 1L);
    assertThat(
            spark
                .table(silver)
                .select("id")
                .union(
                    spark
                        .table(silver + "_quarantine")
                        .selectExpr("CAST(get_json_object(raw_row, '$.id') AS INT)"))
                .distinct()
                .count())
        .isEqualTo(RANDOM_ROWS);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void run_withFortyDeclaredColumns_scansOnceAndExchangesOnceForTheNewest() throws Exception {
    String[] names = IntStream.range(0, 40).mapToObj(i -> "c" + i).toArray(String[]::new);
    lakehouse.append(
        "bronze",
        spark
            .range(20)
            .selectExpr(
                IntStream.range(0, 40)
                    .mapToObj(i -> "cast(id + " + i + " as string) as c" + i)
                    .toArray(String[]::new))
            .withColumn("id", col("c0"))
            .withColumn("seq", lit(1L)));
    List<DeclaredColumn> columns = new ArrayList<>(List.of(text("id").required(), kept("seq")));
    List.of(names).forEach(name -> columns.add(decimal(name, 10, 2).trimmed().required()));
    List<String> plans = new CopyOnWriteArrayList<>();
    QueryExecutionListener listener =
        new QueryExecutionListener() {
          @Override
          public void onSuccess(String name, QueryExecution execution, long nanos) {
            if (name.equals("localCheckpoint")) {
              plans.add(execution.executedPlan().toString());
            }
          }

          @Override
          public void onFailure(String name, QueryExecution execution, Exception e) {}
        };
    spark.listenerManager().register(listener);

    LoadResult result = load(DeclaredCleaner.of(columns.toArray(DeclaredColumn[]::new))).run();
    spark.sparkContext().listenerBus().waitUntilEmpty();
    spark.listenerManager().unregister(listener);

    assertThat(result).inserted(20);
    List<String> cleaning = plans.stream().filter(plan -> plan.contains("Window")).toList();
    assertThat(cleaning).hasSize(1);
    assertThat(cleaning.get(0).split("FileScan|Scan parquet", -1)).hasSize(2);
    assertThat(cleaning.get(0).split("Exchange hashpartitioning", -1)).hasSize(2);
    assertThat(cleaning.get(0))
        .doesNotContain("UDF")
        .doesNotContain("MapElements")
        .doesNotContain("DeserializeToObject");
  }

  private IncrementalLoad<Dataset<Row>> load(Cleaner<Dataset<Row>> cleaner) {
    return builder(cleaner, merged(), Faults.none()).build();
  }

  private IncrementalLoad<Dataset<Row>> load(Cleaner<Dataset<Row>> cleaner, String log) {
    return builder(cleaner, merged(), Faults.none())
        .loggedIn(DeltaLoadLog.forName(spark, log))
        .build();
  }

  private MergeTarget<Dataset<Row>> merged() {
    return DeltaMergeTarget.forName(spark, silver)
        .matchedOn("id")
        .sequencedBy("seq")
        .createdIfMissing();
  }

  private IncrementalLoad<Dataset<Row>> load(
      Cleaner<Dataset<Row>> cleaner, MergeTarget<Dataset<Row>> target, FaultPlan faults) {
    return builder(cleaner, target, faults).build();
  }

  private IncrementalLoad.Builder<Dataset<Row>> builder(
      Cleaner<Dataset<Row>> cleaner, MergeTarget<Dataset<Row>> target, FaultPlan faults) {
    return IncrementalLoad.named("orders")
        .from(DeltaTableSource.forName(spark, bronze).newerBy(Cursor.on("seq").exclusive()))
        .cleanedBy(cleaner)
        .into(faults.wrap(target))
        .trackedIn(DeltaWatermarkStore.forName(spark, lakehouse.table("etl_watermark")));
  }
}
