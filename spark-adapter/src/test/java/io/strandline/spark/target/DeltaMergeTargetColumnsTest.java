package io.strandline.spark.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.target.StagedMerge;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.TableSnapshot;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class DeltaMergeTargetColumnsTest {
  private static final String COLUMNS = "order_id STRING, amount DECIMAL(18, 2), seq BIGINT";

  @Test
  void stage_ofRowsWithoutTheKeyColumn_namesTheColumnsAndTheNearMiss(Lakehouse lakehouse) {
    assertRefused(
        () -> Loads.stage(target(lakehouse, "order_di"), lakehouse.dataset(COLUMNS)),
        ProblemKind.BAD_CONFIGURATION,
        "Cannot merge rows into silver: matchedOn(..) names column 'order_di', which the cleaned"
            + " rows do not have. Their columns are: order_id, amount, seq. Did you mean"
            + " 'order_id'?");
  }

  @Test
  void stage_withoutAWatermarkColumn_asksForASequence(Lakehouse lakehouse) {
    DeltaMergeTarget target = unsequenced(lakehouse);

    assertRefused(
        () -> Loads.stage(target, lakehouse.dataset(COLUMNS), List.of()),
        ProblemKind.BAD_CONFIGURATION,
        "Cannot merge rows into silver: the source has no watermark column that says which of two"
            + " rows is newer. Keep it in the cleaner, or call sequencedBy(..) on the target, or"
            + " lastReadWins() if the row that is read later shall always replace the stored one.");
  }

  @Test
  void stage_afterCleaningAwayTheWatermarkColumn_asksForASequence(Lakehouse lakehouse) {
    DeltaMergeTarget target = unsequenced(lakehouse);

    assertRefused(
        () -> Loads.stage(target, lakehouse.dataset(COLUMNS), List.of("_loaded_at")),
        ProblemKind.BAD_CONFIGURATION,
        "Cannot merge rows into silver: watermark column '_loaded_at' does not survive cleaning, so"
            + " nothing says which of two rows is newer. Keep it in the cleaner, or call"
            + " sequencedBy(..) on the target, or lastReadWins() if the row that is read later"
            + " shall always replace the stored one.");
  }

  @Test
  void stage_withTheWatermarkColumnInOtherCase_takesItForTheSequence(Lakehouse lakehouse) {
    StagedMerge<Dataset<Row>> staged =
        Loads.stage(unsequenced(lakehouse), lakehouse.dataset(COLUMNS), List.of("SEQ"));

    assertThat(staged.accepted()).isZero();
  }

  @Test
  void stage_ofRowsThatDoNotFitTheTable_listsEveryDifferenceBeforeAnyJob(Lakehouse lakehouse) {
    String silver =
        lakehouse.append(
            "silver_orders", lakehouse.dataset(COLUMNS + ", country STRING, kept STRING"));
    Dataset<Row> rows =
        lakehouse.dataset("KEPT STRING, order_id STRING, amount STRING, seq BIGINT, contry STRING");
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), silver)
            .matchedOn("order_id")
            .sequencedBy("seq");

    long jobs =
        lakehouse.jobsOf(
            () ->
                assertRefused(
                    () -> Loads.stage(target, rows),
                    ProblemKind.SCHEMA_MISMATCH,
                    "Cannot merge rows into "
                        + silver
                        + ": column 'amount' is decimal(18,2) in the table and string after"
                        + " cleaning; column 'country' (string) is in the table and missing after"
                        + " cleaning; column 'contry' (string) is there after cleaning and not in"
                        + " the table (did you mean 'country'?). Cast 'amount' in the cleaner."
                        + " Select 'country' in the cleaner, as null if there is no value. Drop"
                        + " 'contry' in the cleaner, or add it to the table with ALTER TABLE. Or say"
                        + " in onSchemaDrift(..) of the target what becomes of such a column."));

    assertThat(jobs).isZero();
  }

  @Test
  void stage_ofRowsWithTwoColumnsOfOneName_isRefused(Lakehouse lakehouse) {
    assertRefused(
        () ->
            Loads.stage(
                target(lakehouse, "order_id"),
                lakehouse.spark().sql("SELECT 'A' order_id, 'B' ORDER_ID, 1L seq")),
        ProblemKind.BAD_CONFIGURATION,
        "Cannot merge rows into silver: the cleaned rows have more than one column named"
            + " 'ORDER_ID'. Rename or drop one of them in the cleaner.");
  }

  @Test
  void stage_ofColumnsThatNoTableCanHold_isRefused(Lakehouse lakehouse) {
    assertRefused(
        () ->
            Loads.stage(
                target(lakehouse, "order_id"),
                lakehouse.spark().sql("SELECT 'A' order_id, null note, 1L seq")),
        ProblemKind.BAD_CONFIGURATION,
        "Cannot merge rows into silver: column 'note' is of type void, which no Delta table can"
            + " hold. Cast it in the cleaner.");
  }

  @Test
  void stage_ofAKeyThatCannotBeCompared_isRefused(Lakehouse lakehouse) {
    assertRefused(
        () ->
            Loads.stage(
                target(lakehouse, "order_id"),
                lakehouse.spark().sql("SELECT map('a', 1) order_id, 1L seq")),
        ProblemKind.BAD_CONFIGURATION,
        "Cannot merge rows into silver: matchedOn(..) names column 'order_id' of type map<string,"
            + " int>, whose values cannot be compared. Name another column.");
  }

  @Test
  void stage_intoAMissingTable_saysHowToCreateIt(Lakehouse lakehouse) {
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), "silver").matchedOn("order_id");
    String message =
        "Cannot merge rows into silver: there is no table spark_catalog."
            + lakehouse.schema()
            + ".silver. Create it, or call createdIfMissing() on the target.";

    assertRefused(
        () -> Loads.stage(target, lakehouse.dataset(COLUMNS)),
        ProblemKind.BAD_CONFIGURATION,
        message);
    assertRefused(
        () -> target.standing(Loads.ORDERS, TableSnapshot.unknown()),
        ProblemKind.BAD_CONFIGURATION,
        message);
  }

  @Test
  void declaration_namesKeysSequenceAndMode(Lakehouse lakehouse) {
    DeltaMergeTarget target =
        DeltaMergeTarget.forName(lakehouse.spark(), "silver").matchedOn("order_id", "line");

    assertThat(target.declaration())
        .isEqualTo("merged on order_id, line; sequenced by the watermark");
    assertThat(target.sequencedBy("a", "b").nullKeysMatch().declaration())
        .isEqualTo("merged on order_id, line; sequenced by a, b; null keys match");
    assertThat(target.lastReadWins().declaration())
        .isEqualTo("merged on order_id, line; the row read last wins");
    assertThatThrownBy(() -> target.lastReadWins().sequencedBy("a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot call sequencedBy(..): lastReadWins() was called before, and only one of them"
                + " can say which row is newer.");
    assertThatThrownBy(() -> target.stamped("a", "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot call stamped(..) with 'a' twice.");
  }

  private static DeltaMergeTarget target(Lakehouse lakehouse, String key) {
    return DeltaMergeTarget.forName(lakehouse.spark(), "silver")
        .matchedOn(key)
        .sequencedBy("seq")
        .createdIfMissing();
  }

  private static DeltaMergeTarget unsequenced(Lakehouse lakehouse) {
    return DeltaMergeTarget.forName(lakehouse.spark(), "silver")
        .matchedOn("order_id")
        .createdIfMissing();
  }

  private static void assertRefused(Runnable call, ProblemKind kind, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.kind()).isEqualTo(kind))
        .hasMessage(message);
  }
}
