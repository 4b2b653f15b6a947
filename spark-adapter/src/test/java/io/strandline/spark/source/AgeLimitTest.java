package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

class AgeLimitTest {
  private static final LocalDate TODAY = LocalDate.of(2026, 7, 10);
  private static final AgeLimit WEEK = AgeLimit.of(7, "year", "month", "day");

  @Test
  void firstDay_isThatManyDaysBeforeTheNewestKnownDay() {
    List<String> known =
        List.of(
            "file:/in/year=2026/month=6/day=30/a.csv",
            "file:/in/year=2026/month=07/day=02/b.csv",
            "file:/in/loose.csv",
            "file:/in/year=2026/month=13/day=1/no-month.csv");

    assertThat(WEEK.firstDay(known, TODAY)).contains(LocalDate.of(2026, 6, 25));
    assertThat(WEEK.firstDay(List.of(), TODAY)).isEmpty();
    assertThat(AgeLimit.none().firstDay(known, TODAY)).isEmpty();
  }

  @Test
  void firstDay_withAFolderBeyondTheClock_leavesThatOut() {
    List<String> known =
        List.of("file:/in/year=2026/month=7/day=2/a.csv", "file:/in/year=2999/month=1/day=1/b.csv");

    assertThat(WEEK.firstDay(known, TODAY)).contains(LocalDate.of(2026, 6, 25));
  }

  @Test
  void firstDay_ofMonthFolders_countsTheMonthThatIsNotOver() {
    AgeLimit months = AgeLimit.of(0, "year", "month");

    assertThat(months.firstDay(List.of("file:/in/year=2026/month=7/a.csv"), TODAY)).contains(TODAY);
    assertThat(months.skipping(TODAY)).accepts("file:/in/year=2026/month=6");
    assertThat(months.skipping(TODAY)).rejects("file:/in/year=2026/month=7");
  }

  @Test
  void skipping_leavesOutFoldersWhoseLastDayIsTooOld() {
    assertThat(WEEK.skipping(LocalDate.of(2026, 6, 25)))
        .accepts(
            "file:/in/year=2025",
            "file:/in/year=2026/month=5",
            "file:/in/year=2026/month=06/day=24")
        .rejects(
            "file:/in",
            "file:/in/year=2026",
            "file:/in/year=2026/month=6",
            "file:/in/year=2026/month=6/day=25",
            "file:/in/year=2026/month=6/day=24x",
            "file:/in/year=unknown");
  }

  @Test
  void skipping_ofDateFolders_readsTheDate() {
    assertThat(AgeLimit.of(1, "day").skipping(LocalDate.of(2026, 6, 25)))
        .accepts("file:/in/day=2026-06-24")
        .rejects("file:/in/day=2026-06-25", "file:/in/day=24");
  }

  @Test
  void limit_thatMakesNoSense_isRefused() {
    assertThatThrownBy(() -> AgeLimit.of(-1, "day"))
        .hasMessage("Cannot list -1 days back: it is negative.");
    assertThatThrownBy(() -> AgeLimit.of(1, "year", "month", "day", "hour"))
        .hasMessage(
            "Cannot read days from folders [year, month, day, hour]: year, month and day are all"
                + " there is.");
  }
}
