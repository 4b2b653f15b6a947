package io.strandline.testkit.fake;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.assertion.LoadAssertions.assertThatFailureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.load.RowCounts;
import io.strandline.problem.ProblemKind;
import io.strandline.target.Deletes;
import io.strandline.watermark.LoadName;
import org.junit.jupiter.api.Test;

class FakeHistoryTargetTest {
  private final FakeSource crm = FakeSource.named("crm");
  private final FakeHistoryTarget customers =
      FakeHistoryTarget.named("dim_customer")
          .matchedOn("id")
          .effectiveFrom("at")
          .deletedWhen(Deletes.hard("op", "D").notStoring("op"));
  private final FakeWatermarkStore store = FakeWatermarkStore.empty();
  private long landing;

  @Test
  void run_withAChange_closesAndOpens() {
    run(events().row(1, "Oslo", 0, "U", 1));

    LoadResult changed = run(events().row(1, "Rome", 0, "U", 3));

    assertThat(changed.counts()).isEqualTo(new RowCounts(2, 1, 0, 0, 1, 0, 0, 0, 0));
    assertThat(customers.rows().select("id", "city", "valid_from", "valid_to", "is_current"))
        .hasRows(
            Rows.columns("id", "city", "valid_from", "valid_to", "is_current")
                .row(1, "Oslo", 1, 3, false)
                .row(1, "Rome", 3, null, true));
  }

  @Test
  void run_withATouchAndALateChangeBetween_rememberTheTouch() {
    run(events().row(1, "Oslo", 0, "U", 1));
    run(events().row(1, "Oslo", 0, "U", 5));
    assertThat(shown()).hasRows(versions().row("Oslo", 1, null));

    run(events().row(1, "Rome", 0, "U", 3));

    assertThat(shown())
        .hasRows(versions().row("Oslo", 1, 3).row("Rome", 3, 5).row("Oslo", 5, null));
  }

  @Test
  void run_withADeleteAndAReinsert_leavesAGap() {
    run(events().row(1, "Oslo", 0, "U", 1));
    LoadResult deleted = run(events().row(1, null, 0, "D", 3));
    run(events().row(1, "Oslo", 0, "U", 6));

    assertThat(deleted.counts().deleted()).isEqualTo(1);
    assertThat(shown()).hasRows(versions().row("Oslo", 1, 3).row("Oslo", 6, null));
  }

  @Test
  void run_withADeleteBeforeItsRow_closesItWhenItComes() {
    run(events().row(1, null, 0, "D", 3));
    run(events().row(1, "Oslo", 0, "U", 1));

    assertThat(shown()).hasRows(versions().row("Oslo", 1, 3));
  }

  @Test
  void run_withoutKeyOrInstant_rejectsTheRow() {
    LoadResult result =
        run(
            events()
                .row(null, "Oslo", 0, "U", 1)
                .row(1, "Rome", 0, "U", null)
                .row(2, "Rome", 0, "U", 1));

    assertThat(result).rejected(2);
    assertThat(customers.quarantine().rows(new LoadName("customers")).size()).isEqualTo(2);
  }

  @Test
  void run_withoutTheInstantsColumn_fails() {
    crm.land(events().row(1, "Oslo", 0, "U", 1).with("landed", row -> 1L).select("id", "landed"));

    assertThatFailureOf(() -> load().run()).isOfKind(ProblemKind.BAD_CONFIGURATION);
  }

  private LoadResult run(Rows events) {
    long landed = ++landing;
    crm.land(events.with("landed", row -> landed));
    return load().run();
  }

  private IncrementalLoad<Rows> load() {
    return IncrementalLoad.named("customers")
        .from(crm.newerBy("landed"))
        .into(customers.tracking("city"))
        .trackedIn(store)
        .build();
  }

  private Rows shown() {
    return customers.rows().select("city", "valid_from", "valid_to");
  }

  private static Rows versions() {
    return Rows.columns("city", "valid_from", "valid_to");
  }

  private static Rows events() {
    return Rows.columns("id", "city", "visits", "op", "at");
  }
}
