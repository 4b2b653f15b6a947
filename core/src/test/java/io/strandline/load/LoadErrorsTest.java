package io.strandline.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LoadErrorsTest {
  private static final LoadName ORDERS = new LoadName("orders");
  private final Problem mismatch =
      new Problem(
          ProblemKind.SCHEMA_MISMATCH,
          "merge the rows into silver_orders",
          "column 'amount' is decimal(18,2) in the target and string after cleaning",
          "Cast the column in the cleaner.");

  @Test
  void of_aProblem_saysWhatAndWhyAndWhatIsTrueAndWhatToDo() {
    LoadException e = error(LoadStep.CLEAN, "2026-06-30T23:59:59Z", Aftermath.NOTHING_WRITTEN);

    assertThat(e)
        .isInstanceOf(MergeException.class)
        .hasCause(mismatch)
        .hasMessage(
            "Cannot merge the rows into silver_orders for load 'orders': column 'amount' is"
                + " decimal(18,2) in the target and string after cleaning. Nothing was merged and the"
                + " watermark stays at 2026-06-30T23:59:59Z; the next run reads the same rows. Cast"
                + " the column in the cleaner.");
    assertThat(e.load()).isEqualTo(ORDERS);
    assertThat(e.step()).isEqualTo(LoadStep.CLEAN);
    assertThat(e.kind()).isEqualTo(ProblemKind.SCHEMA_MISMATCH);
    assertThat(e.watermark()).isEqualTo("2026-06-30T23:59:59Z");
    assertThat(e.aftermath()).isEqualTo(Aftermath.NOTHING_WRITTEN);
    assertThat(e.isRerunUseful()).isFalse();
  }

  @Test
  void of_aFailureOfAFirstRun_saysThatNothingIsStored() {
    assertThat(error(LoadStep.MERGE, "the start", Aftermath.NOTHING_WRITTEN))
        .hasMessageContaining("Nothing was merged and no watermark is stored; the next run");
  }

  @Test
  void of_aFailureBeforeTheWatermarkWasRead_saysThatItHasNotMoved() {
    assertThat(error(LoadStep.READ, "", Aftermath.NOTHING_WRITTEN))
        .isInstanceOf(WatermarkException.class)
        .hasMessageContaining("Nothing was merged and the watermark has not moved; the next run");
  }

  @Test
  void of_aFailureAfterTheMerge_saysThatTheRowsAreMerged() {
    assertThat(error(LoadStep.ADVANCE, "7", Aftermath.ROWS_MERGED))
        .isInstanceOf(WatermarkException.class)
        .hasMessageContaining(
            "The rows are merged and the watermark stays at 7; the next run finds the receipt, moves"
                + " the watermark, and merges nothing twice.");
  }

  @Test
  void of_anOutcomeThatNobodyKnows_saysSo() {
    assertThat(error(LoadStep.MERGE, "7", Aftermath.UNKNOWN))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining(
            "Whether the rows were merged is not known, and the watermark stays at 7; the next run"
                + " finds out from the receipt.");
  }

  @Test
  void of_aForeignException_namesItsTypeAndFirstLineAlone() {
    LoadException e =
        LoadErrors.of(
            ORDERS,
            LoadStep.CLEAN,
            "clean the rows of bronze_orders",
            "7",
            Aftermath.NOTHING_WRITTEN,
            new IllegalArgumentException("\n  no such unit.\n  at line 3"));

    assertThat(e)
        .isInstanceOf(CleanException.class)
        .hasMessage(
            "Cannot clean the rows of bronze_orders for load 'orders': IllegalArgumentException: no"
                + " such unit. Nothing was merged and the watermark stays at 7; the next run reads the"
                + " same rows.");
    assertThat(e.isRerunUseful()).isTrue();
    assertThat(
            LoadErrors.of(
                ORDERS,
                LoadStep.PLAN,
                "plan",
                "7",
                Aftermath.NOTHING_WRITTEN,
                new NullPointerException()))
        .isInstanceOf(SourceException.class)
        .hasMessageStartingWith("Cannot plan for load 'orders': NullPointerException. Nothing");
  }

  @Test
  void of_aSourceProblemThatShowsWhileCleaning_isASourceException() {
    for (ProblemKind kind :
        Set.of(
            ProblemKind.SOURCE_RECREATED,
            ProblemKind.SOURCE_HISTORY_LOST,
            ProblemKind.NULL_CURSOR)) {
      assertThat(
              LoadErrors.of(
                  ORDERS,
                  LoadStep.CLEAN,
                  "",
                  "7",
                  Aftermath.NOTHING_WRITTEN,
                  new Problem(kind, "read", "x", "")))
          .isInstanceOf(SourceException.class);
    }
  }

  @Test
  void contradiction_ofNumbers_namesBoth() {
    assertThat(LoadErrors.contradiction("etl_watermark", "silver_orders", 3, 0))
        .hasMessage(
            "Cannot tell how far the last run got: etl_watermark says that run 3 was the last, and"
                + " silver_orders holds the receipt of run 0 (none at all); a run that died explains"
                + " only a target that is one ahead. If the target was replaced by a copy, or the"
                + " store restored from a backup, call rewind(..) with the watermark to go on from, or"
                + " reload().");
  }

  @Test
  void disturbed_namesWhatOthersDid() {
    assertThat(LoadErrors.disturbed("silver_orders", "version 9 restored it to version 3"))
        .hasMessage(
            "Cannot load on top of silver_orders: since the last run version 9 restored it to version"
                + " 3. Call rewind(..) with the watermark that the target's rows now reach, or"
                + " reload(); each accepts the target as it is.");
  }

  @Test
  void redeclared_namesBothDeclarations() {
    assertThat(LoadErrors.redeclared("matched on id", "matched on id, item"))
        .hasMessage(
            "Cannot go on with another declaration: the last run was declared as matched on id, this"
                + " one as matched on id, item. Declare it as before, or call redeclared() on the"
                + " builder if the change is meant.");
  }

  @Test
  void usedByAnother_namesTheAttempt() {
    assertThat(LoadErrors.usedByAnother("silver_orders", 4, "c0ffee"))
        .hasMessage(
            "Cannot merge rows into silver_orders: attempt c0ffee has committed run 4 meanwhile. Run"
                + " the load again, and let only one run at a time be scheduled.");
  }

  @Test
  void movedMeanwhile_namesBothWatermarks() {
    Problem problem = LoadErrors.movedMeanwhile("etl_watermark", "7", "9");

    assertThat(problem)
        .hasMessage(
            "Cannot move the watermark in etl_watermark on from 7: it now holds 9, so another run or"
                + " a person has moved it meanwhile. Run the load again, and let only one run at a"
                + " time be scheduled.");
    assertThat(LoadErrors.of(ORDERS, LoadStep.ADVANCE, "", "9", Aftermath.ROWS_MERGED, problem))
        .isInstanceOf(WatermarkConflictException.class)
        .hasMessageContaining(
            "The rows are merged and the watermark stays at 9; the next run goes on from there, and"
                + " merges nothing twice.");
  }

  @Test
  void wouldAppendTwice_saysWhatToDoFirst() {
    assertThat(LoadErrors.wouldAppendTwice("events"))
        .hasMessage(
            "Cannot load a range again into events: it appends, so the rows of the range would stand"
                + " there twice. Delete the rows of the range first and append them by a load of their"
                + " own, or reload().");
  }

  @Test
  void unknownStream_namesThoseThereAre() {
    assertThat(
            LoadErrors.unknownStream(
                Set.of(new StreamName("archiv")),
                Set.of(new StreamName("archive"), new StreamName("active"))))
        .hasMessage(
            "Cannot rewind streams 'archiv': the source has the streams 'active', 'archive'. Name"
                + " streams of the source.");
  }

  @Test
  void difference_ofRowCounts_isWhatIsUnaccountedFor() {
    assertThat(new RowCounts(36, 1, 2, 3, 4, 5, 6, 7, 8).difference()).isZero();
    assertThat(new RowCounts(37, 1, 2, 3, 4, 5, 6, 7, 8).difference()).isEqualTo(1);
    assertThat(new RowCounts(2, 4, 0, 0, 0, 0, 0, 0, 0).difference()).isEqualTo(-2);
    assertThat(new RowCounts(36, 1, 2, 3, 4, 5, 6, 7, 8).merged()).isEqualTo(6);
    assertThat(RowCounts.none().difference()).isZero();
  }

  private LoadException error(LoadStep step, String watermark, Aftermath aftermath) {
    return LoadErrors.of(ORDERS, step, "", watermark, aftermath, mismatch);
  }
}
