package io.strandline.spark.proof;

import static io.strandline.spark.proof.DeltaShop.MONDAY;
import static io.strandline.spark.proof.DeltaShop.THURSDAY;
import static io.strandline.spark.proof.DeltaShop.TUESDAY;
import static io.strandline.spark.proof.DeltaShop.WEDNESDAY;
import static io.strandline.spark.proof.DeltaShop.at;
import static io.strandline.spark.proof.DeltaShop.orders;
import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.assertion.LoadAssertions.assertThatFailureOf;
import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.load.Aftermath;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What people do to a load on Delta, with SQL and with the verbs that are made for it. Every build
 * tries the same in memory.
 */
@ExtendWith(LakehouseExtension.class)
class OperatorsTest {
  private static final Rows APPLES = orders().row(1, "apples", MONDAY);
  private static final Rows PEARS = orders().row(2, "pears", TUESDAY);
  private static final Rows FIGS = orders().row(3, "figs", WEDNESDAY);

  @Test
  void run_afterAPersonEditedTheRow_obeysIt(Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.afterTwoNights(lakehouse);
    shop.sql("DELETE FROM {silver} WHERE id = 2");
    shop.sql("UPDATE {etl_watermark} SET last_value = TIMESTAMP '2026-06-01T22:00:00Z'");

    assertThat(shop.load().run()).read(2).merged(1).unchanged(1).advancedTo(at(TUESDAY));

    shop.land(FIGS);
    shop.sql("UPDATE {etl_watermark} SET last_value = TIMESTAMP '2026-06-04T22:00:00Z'");

    assertThat(shop.load().run()).foundNothingNew().advancedTo(at(THURSDAY));

    shop.sql("UPDATE {etl_watermark} SET last_value = NULL");

    assertThat(shop.load().run()).read(3).merged(1).unchanged(2).advancedTo(at(WEDNESDAY));

    shop.sql("DELETE FROM {etl_watermark}");

    assertThat(shop.load().run()).committed().read(3).unchanged(3).advancedTo(at(WEDNESDAY));
    assertThat(shop.load().run()).foundNothingNew();
    assertThat(shop.silver()).hasRows(APPLES.concat(PEARS).concat(FIGS));

    shop.sql("INSERT INTO {etl_watermark} SELECT * FROM {etl_watermark}");

    assertThatFailureOf(() -> shop.load().run())
        .isAt(LoadStep.READ)
        .isOfKind(ProblemKind.MULTIPLE_WATERMARK_ROWS)
        .leaves(Aftermath.NOTHING_WRITTEN);
  }

  @Test
  void run_whoseWatermarkTableIsDroppedBeforeItAdvances_failsAndTheNextReadsAllAgain(
      Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.afterTwoNights(lakehouse);
    shop.land(FIGS);
    FaultPlan dropping =
        Faults.once(LoadStep.MERGE, Moment.AFTER)
            .runs(() -> shop.sql("DROP TABLE {etl_watermark}"));

    assertThatFailureOf(shop.load(dropping)::run)
        .isAt(LoadStep.ADVANCE)
        .isOfKind(ProblemKind.CONTRADICTION)
        .leaves(Aftermath.ROWS_MERGED)
        .hasMessageContaining("made anew")
        .hasMessageContaining("the next run begins with what it holds then");

    assertThat(shop.load().run()).read(3).unchanged(3).advancedTo(at(WEDNESDAY));
    assertThat(shop.load().run()).foundNothingNew();
    assertThat(shop.silver()).hasRows(APPLES.concat(PEARS).concat(FIGS));
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void run_afterADeathAndAnEdit_obeysThePersonAndMergesNothingTwice(Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.afterTwoNights(lakehouse);
    shop.land(FIGS);
    die(shop.load(Faults.once(LoadStep.MERGE, Moment.AFTER).dies())::run);
    shop.sql("UPDATE {etl_watermark} SET last_value = TIMESTAMP '2026-06-01T22:00:00Z'");

    assertThat(shop.load().run())
        .recovered(3)
        .read(3)
        .merged(0)
        .unchanged(3)
        .advancedTo(at(WEDNESDAY));

    shop.land(orders().row(4, "nuts", THURSDAY));
    die(shop.load(Faults.once(LoadStep.MERGE, Moment.AFTER).dies())::run);
    shop.sql("DELETE FROM {etl_watermark}");

    assertThat(shop.load().run()).read(4).merged(0).unchanged(4).advancedTo(at(THURSDAY));

    shop.land(orders().row(5, "dates", THURSDAY.plusSeconds(1)));
    die(shop.load(Faults.once(LoadStep.MERGE, Moment.AFTER).dies())::run);
    shop.sql("UPDATE {etl_watermark} SET last_value = TIMESTAMP '2030-01-01T00:00:00Z'");

    assertThat(shop.load().run())
        .foundNothingNew()
        .advancedTo(at(Instant.parse("2030-01-01T00:00:00Z")));
    assertThat(shop.silver().count()).isEqualTo(5);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void verbs_thatDied_areNotTakenForARunAndEndTheSame(Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.afterTwoNights(lakehouse);
    assertThatThrownBy(
            () -> shop.load(Faults.once(LoadStep.ADVANCE, Moment.BEFORE).dies()).rewind(at(MONDAY)))
        .isInstanceOf(ProcessDeath.class);

    assertThat(shop.load().run()).foundNothingNew().recoveredNothing().advancedTo(at(TUESDAY));

    assertThatThrownBy(
            () -> shop.load(Faults.once(LoadStep.ADVANCE, Moment.AFTER).dies()).rewind(at(MONDAY)))
        .isInstanceOf(ProcessDeath.class);

    assertThat(shop.load().run())
        .recoveredNothing()
        .read(2)
        .merged(0)
        .unchanged(2)
        .advancedTo(at(TUESDAY));

    shop.sql("DELETE FROM {silver} WHERE id = 1");
    WatermarkRange monday = new WatermarkRange(Watermark.start(), Bound.INCLUSIVE, at(MONDAY));
    assertThatThrownBy(
            () -> shop.load(Faults.once(LoadStep.MERGE, Moment.AFTER).dies()).backfill(monday))
        .isInstanceOf(ProcessDeath.class);

    assertThat(shop.load().run()).foundNothingNew().recoveredNothing();
    assertThat(shop.load().backfill(monday)).foundNothingNew();
    assertThat(shop.silver()).hasRows(APPLES.concat(PEARS));

    shop.sql("DELETE FROM {bronze} WHERE id = 2");
    die(shop.load(Faults.once(LoadStep.MERGE, Moment.BEFORE).dies())::reload);

    assertThat(shop.load().run()).foundNothingNew().recoveredNothing().advancedTo(at(TUESDAY));

    die(shop.load(Faults.once(LoadStep.MERGE, Moment.AFTER).dies())::reload);

    assertThat(shop.load().run()).recovered(4).advancedTo(at(MONDAY));
    assertThat(shop.silver()).hasRows(APPLES);
  }

  @Test
  void run_intoATargetThatOthersDisturbed_isRefusedThoughNothingIsNew(Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.afterTwoNights(lakehouse);
    Map<String, String> disturbances = new LinkedHashMap<>();
    disturbances.put("RESTORE {silver} TO VERSION AS OF 1", "restored it to version 1");
    disturbances.put("INSERT OVERWRITE {silver} SELECT * FROM {bronze}", "overwrote it");
    disturbances.put("TRUNCATE TABLE {silver}", "truncated it");
    disturbances.put(
        "CREATE OR REPLACE TABLE {silver} USING delta AS SELECT * FROM {bronze}", "replaced it");
    disturbances.put("DROP TABLE {silver}", "it was dropped");

    disturbances.forEach(
        (statement, clause) -> {
          shop.sql(statement);

          assertThatFailureOf(() -> shop.load().run())
              .as(statement)
              .isAt(LoadStep.RECOVER)
              .isOfKind(ProblemKind.TARGET_DISTURBED)
              .leaves(Aftermath.NOTHING_WRITTEN)
              .hasMessageContaining(clause);

          shop.load().rewind(at(TUESDAY));
          assertThat(shop.load().run()).as("after " + statement).advancedTo(at(TUESDAY));
        });

    shop.load().rewind(Watermark.start());
    assertThat(shop.load().run()).committed().advancedTo(at(TUESDAY));
    assertThat(shop.silver()).hasRows(APPLES.concat(PEARS));
    shop.sql("DROP TABLE {silver}");
    shop.append("silver", APPLES.concat(PEARS));

    assertThatFailureOf(() -> shop.load().run())
        .isOfKind(ProblemKind.TARGET_DISTURBED)
        .hasMessageContaining("was replaced by table")
        .hasMessageContaining("of the same name");
    assertThat(shop.load().reload()).committed().addsUp().advancedTo(at(TUESDAY));
    assertThat(shop.load().run()).foundNothingNew();
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void run_ofARecreatedSource_isRefusedUntilAPersonDecides(Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.afterTwoNights(lakehouse);
    shop.sql("DROP TABLE {bronze}");
    shop.land(orders().row(7, "plums", MONDAY));

    assertThatFailureOf(() -> shop.load().run())
        .isAt(LoadStep.PLAN)
        .isOfKind(ProblemKind.SOURCE_RECREATED)
        .leaves(Aftermath.NOTHING_WRITTEN);
    assertThat(shop.silver()).hasRows(APPLES.concat(PEARS));

    shop.load().rewind(Watermark.start());
    assertThat(shop.load().run()).merged(1).advancedTo(at(MONDAY));
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void loads_ofOneTarget_areToldApartByStoreNameAndTable(Lakehouse lakehouse) throws IOException {
    DeltaShop shop = DeltaShop.afterTwoNights(lakehouse);
    Path copy = copyOf(shop.table("silver"), lakehouse);
    DeltaWatermarkStore otherStore =
        DeltaWatermarkStore.forName(lakehouse.spark(), lakehouse.table("other_watermark"));
    IncrementalLoad<Dataset<Row>> inAnotherStore =
        shop.from("orders", Faults.none())
            .into(shop.target("silver"))
            .trackedIn(otherStore)
            .build();

    assertThat(inAnotherStore.run()).committed().unchanged(2).recoveredNothing();
    assertThat(shop.builder("renamed", Faults.none()).build().run())
        .committed()
        .unchanged(2)
        .recoveredNothing();
    assertThat(shop.load().run()).foundNothingNew().recoveredNothing();
    assertThat(inAnotherStore.run()).foundNothingNew();

    shop.sql("CREATE TABLE {clone} SHALLOW CLONE {silver}");
    DeltaMergeTarget clone = shop.target("clone");
    assertThatFailureOf(() -> into(shop, clone).run())
        .isOfKind(ProblemKind.TARGET_DISTURBED)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .hasMessageContaining("was replaced by table");

    // A copy of the files is the same table to whoever looks, until one of the two goes on.
    DeltaMergeTarget copied =
        DeltaMergeTarget.forPath(lakehouse.spark(), copy.toString()).matchedOn("id");
    assertThat(into(shop, copied).run()).foundNothingNew().recoveredNothing();
    shop.land(FIGS);
    assertThat(shop.load().run()).merged(1);
    assertThatFailureOf(() -> into(shop, copied).run())
        .isOfKind(ProblemKind.TARGET_DISTURBED)
        .leaves(Aftermath.NOTHING_WRITTEN)
        .hasMessageContaining("its history went back from version");
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void run_ofAnotherDeclaration_isRefusedUntilItIsConfirmed(Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.afterTwoNights(lakehouse);
    shop.land(FIGS);
    DeltaMergeTarget keyed =
        DeltaMergeTarget.forName(lakehouse.spark(), shop.table("silver")).matchedOn("id", "item");
    Map<String, Function<DeltaShop, IncrementalLoad.Builder<Dataset<Row>>>> changes =
        Map.of(
            "merged on id, item",
            changed -> changed.from("orders", Faults.none()).into(keyed),
            "sequenced by item",
            changed ->
                changed
                    .from("orders", Faults.none())
                    .into(changed.target("silver").sequencedBy("item")),
            "newer by id",
            changed ->
                IncrementalLoad.named("orders")
                    .from(
                        DeltaTableSource.forName(changed.spark(), changed.table("bronze"))
                            .newerBy("id"))
                    .into(changed.target("silver")));

    changes.forEach(
        (clause, change) ->
            assertThatFailureOf(() -> change.apply(shop).trackedIn(shop.store()).build().run())
                .isAt(LoadStep.RECOVER)
                .isOfKind(ProblemKind.DECLARATION_CHANGED)
                .leaves(Aftermath.NOTHING_WRITTEN)
                .hasMessageContaining(clause)
                .hasMessageContaining("call redeclared()"));

    assertThat(
            shop.from("orders", Faults.none())
                .into(keyed)
                .trackedIn(shop.store())
                .redeclared()
                .build()
                .run())
        .merged(1);
    assertThat(shop.from("orders", Faults.none()).into(keyed).trackedIn(shop.store()).build().run())
        .foundNothingNew();
  }

  private static IncrementalLoad<Dataset<Row>> into(DeltaShop shop, DeltaMergeTarget target) {
    return shop.from("orders", Faults.none()).into(target).trackedIn(shop.store()).build();
  }

  private static void die(Supplier<LoadResult> verb) {
    assertThatThrownBy(verb::get).isInstanceOf(ProcessDeath.class);
  }

  private static Path copyOf(String table, Lakehouse lakehouse) throws IOException {
    Path original =
        Path.of(
            URI.create(
                lakehouse
                    .spark()
                    .sql("DESCRIBE DETAIL " + table)
                    .select("location")
                    .head()
                    .getString(0)));
    Path copy = Path.of(lakehouse.path("copy"));

    try (Stream<Path> files = Files.walk(original)) {
      for (Path file : files.toList()) {
        Path to = copy.resolve(original.relativize(file).toString());
        Files.createDirectories(to.getParent());
        Files.copy(file, to);
      }
    }

    return copy;
  }
}
