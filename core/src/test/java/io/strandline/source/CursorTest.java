package io.strandline.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.watermark.Bound;
import io.strandline.watermark.Watermark;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

class CursorTest {
  private static final Instant NOON = Instant.parse("2026-06-30T12:00:00Z");

  @Test
  void on_aColumn_hasSafeDefaults() {
    Cursor cursor = Cursor.on("loaded_at");

    assertThat(cursor.columns()).containsExactly("loaded_at");
    assertThat(cursor.isExpression()).isFalse();
    assertThat(cursor.bound()).isEqualTo(Bound.INCLUSIVE);
    assertThat(cursor.lookback()).isEqualTo(Lookback.none());
    assertThat(cursor.settleTime()).isEmpty();
    assertThat(cursor.floor()).isEqualTo(Watermark.start());
    assertThat(cursor.sentinels()).isEmpty();
    assertThat(cursor.nulls()).isEqualTo(NullCursors.QUARANTINE);
    assertThat(cursor.future()).isEqualTo(FutureCursors.ALLOW);
    assertThat(cursor.rowLimit()).isEqualTo(Long.MAX_VALUE);
    assertThat(cursor.readsAll()).isFalse();
    assertThat(cursor.zone()).isEmpty();
    assertThat(cursor).hasToString("loaded_at");
  }

  @Test
  void options_setOneAfterTheOther_areAllKept() {
    Cursor cursor =
        Cursor.on("day", "id")
            .exclusive()
            .lookback(Duration.ofDays(1))
            .settledFor(Duration.ofMinutes(5))
            .notBefore(Watermark.of(1))
            .sentinel(Watermark.of(0))
            .sentinel(Watermark.of(-1))
            .nulls(NullCursors.LOAD)
            .future(FutureCursors.CAP)
            .atMost(10)
            .readingAll()
            .inZone(ZoneId.of("Europe/Berlin"));

    assertThat(cursor.columns()).containsExactly("day", "id");
    assertThat(cursor.bound()).isEqualTo(Bound.EXCLUSIVE);
    assertThat(cursor.lookback()).isEqualTo(new Lookback.OfTime(Duration.ofDays(1)));
    assertThat(cursor.settleTime()).contains(Duration.ofMinutes(5));
    assertThat(cursor.floor()).isEqualTo(Watermark.of(1));
    assertThat(cursor.sentinels()).containsExactlyInAnyOrder(Watermark.of(0), Watermark.of(-1));
    assertThat(cursor.nulls()).isEqualTo(NullCursors.LOAD);
    assertThat(cursor.future()).isEqualTo(FutureCursors.CAP);
    assertThat(cursor.rowLimit()).isEqualTo(10);
    assertThat(cursor.readsAll()).isTrue();
    assertThat(cursor.zone()).contains(ZoneId.of("Europe/Berlin"));
    assertThat(cursor.inclusive().bound()).isEqualTo(Bound.INCLUSIVE);
  }

  @Test
  void options_thatCannotBe_areRefused() {
    assertRefused(() -> Cursor.on(" "), "Cannot measure by column ' ': no name.");
    assertRefused(
        () -> Cursor.on("a", "b", "a"),
        "Cannot measure by columns [a, b, a]: one of them stands twice.");
    assertRefused(() -> Cursor.expression(""), "Cannot measure by a blank expression.");
    assertRefused(
        () -> Cursor.on("a").settledFor(Duration.ofSeconds(-1)),
        "Cannot settle for PT-1S: it is negative.");
    assertRefused(() -> Cursor.on("a").atMost(0), "Cannot read at most 0 rows: at least 1.");
    assertRefused(
        () -> Cursor.on("a").lookback(Duration.ZERO),
        "Cannot look back by PT0S: a lookback must be positive.");
    assertRefused(
        () -> Cursor.on("a").lookback(-3), "Cannot look back by -3: a lookback must be positive.");
  }

  @Test
  void lowerEnd_ofAFirstRun_isTheFloor() {
    assertThat(Cursor.on("a").lookback(5).lowerEnd(Watermark.start())).isEqualTo(Watermark.start());
    assertThat(Cursor.on("a").notBefore(Watermark.of(3)).lowerEnd(Watermark.start()))
        .isEqualTo(Watermark.of(3));
  }

  @Test
  void lowerEnd_withALookback_liesBelowButNeverUnderTheFloor() {
    Cursor cursor = Cursor.on("a").lookback(5).notBefore(Watermark.of(3));

    assertThat(cursor.lowerEnd(Watermark.of(10))).isEqualTo(Watermark.of(5));
    assertThat(cursor.lowerEnd(Watermark.of(7))).isEqualTo(Watermark.of(3));
    assertThat(cursor.readingAll().lowerEnd(Watermark.of(10))).isEqualTo(Watermark.of(3));
  }

  @Test
  void lowerBound_isExclusiveOnlyAtTheStoredWatermarkItself() {
    Cursor cursor = Cursor.on("a").exclusive();

    assertThat(cursor.lowerBound(Watermark.of(10))).isEqualTo(Bound.EXCLUSIVE);
    assertThat(cursor.lookback(5).lowerBound(Watermark.of(10))).isEqualTo(Bound.INCLUSIVE);
    assertThat(cursor.notBefore(Watermark.of(20)).lowerBound(Watermark.of(10)))
        .isEqualTo(Bound.INCLUSIVE);
    assertThat(Cursor.on("a").lowerBound(Watermark.of(10))).isEqualTo(Bound.INCLUSIVE);
  }

  @Test
  void below_ofEveryKindThatHasADistance_isLower() {
    Lookback day = new Lookback.OfTime(Duration.ofDays(1));
    Lookback hour = new Lookback.OfTime(Duration.ofHours(1));
    Lookback three = new Lookback.OfNumber(new BigDecimal("3"));

    assertThat(day.below(Watermark.at(NOON)))
        .isEqualTo(Watermark.at(Instant.parse("2026-06-29T12:00:00Z")));
    assertThat(day.below(Watermark.at(LocalDateTime.parse("2026-03-09T02:30:00"))))
        .isEqualTo(Watermark.at(LocalDateTime.parse("2026-03-08T02:30:00")));
    assertThat(hour.below(Watermark.on(LocalDate.parse("2026-06-30"))))
        .as("whole days, rounded up")
        .isEqualTo(Watermark.on(LocalDate.parse("2026-06-29")));
    assertThat(day.below(Watermark.on(LocalDate.parse("2026-06-30"))))
        .isEqualTo(Watermark.on(LocalDate.parse("2026-06-29")));
    assertThat(three.below(Watermark.of(10))).isEqualTo(Watermark.of(7));
    assertThat(three.below(Watermark.of(Long.MIN_VALUE + 1)))
        .isEqualTo(Watermark.of(Long.MIN_VALUE));
    assertThat(three.below(Watermark.of(new BigDecimal("2.5"))))
        .isEqualTo(Watermark.of(new BigDecimal("-0.5")));
    assertThat(three.below(Watermark.of(List.of(Watermark.of(10), Watermark.of("x")))))
        .isEqualTo(Watermark.of(List.of(Watermark.of(7), Watermark.of("x"))));
    assertThat(Lookback.none().below(Watermark.of("x"))).isEqualTo(Watermark.of("x"));
  }

  @Test
  void below_ofAnIntegerByAFraction_readsNoLessThanTheFractionAsks() {
    Lookback half = new Lookback.OfNumber(new BigDecimal("0.5"));

    assertThat(half.below(Watermark.of(10))).isEqualTo(Watermark.of(9));
    assertThat(half.below(Watermark.of(-10))).isEqualTo(Watermark.of(-10));
  }

  @Test
  void below_ofAKindWithoutThatDistance_isRefused() {
    assertRefused(
        () -> new Lookback.OfTime(Duration.ofDays(1)).below(Watermark.of(7)),
        "Cannot look back by PT24H from integer:7: a lookback of time needs a watermark of time,"
            + " one of numbers a number.");
    assertRefused(
        () -> new Lookback.OfNumber(BigDecimal.ONE).below(Watermark.of("x")),
        "Cannot look back by 1 from text:x: a lookback of time needs a watermark of time, one of"
            + " numbers a number.");
  }

  private static void assertRefused(Runnable call, String message) {
    assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
