package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.watermark.Watermark;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import org.junit.jupiter.api.Test;

class RangeSplitTest {
  @Test
  void split_ofTimes_isOfEqualWidth() {
    assertThat(
            RangeSplit.between(
                Watermark.at(Instant.parse("1969-12-31T23:00:00Z")),
                Watermark.at(Instant.parse("1970-01-01T01:00:00Z")),
                4))
        .containsExactly(
            Watermark.at(Instant.parse("1969-12-31T23:30:00Z")),
            Watermark.at(Instant.EPOCH),
            Watermark.at(Instant.parse("1970-01-01T00:30:00Z")));
    assertThat(
            RangeSplit.between(
                Watermark.at(LocalDateTime.parse("0001-01-01T00:00:00")),
                Watermark.at(LocalDateTime.parse("0001-01-01T00:00:00.000002")),
                2))
        .containsExactly(Watermark.at(LocalDateTime.parse("0001-01-01T00:00:00.000001")));
    assertThat(
            RangeSplit.between(
                Watermark.on(LocalDate.parse("2026-01-01")),
                Watermark.on(LocalDate.parse("2026-01-03")),
                9))
        .containsExactly(
            Watermark.on(LocalDate.parse("2026-01-02")),
            Watermark.on(LocalDate.parse("2026-01-03")));
  }

  @Test
  void split_ofNumbers_overflowsNothing() {
    assertThat(RangeSplit.between(Watermark.of(Long.MIN_VALUE), Watermark.of(Long.MAX_VALUE), 2))
        .containsExactly(Watermark.of(0));
    assertThat(
            RangeSplit.between(
                Watermark.of(new BigDecimal("0.5")), Watermark.of(new BigDecimal("10.5")), 3))
        .containsExactly(Watermark.of(new BigDecimal("4")), Watermark.of(new BigDecimal("8")));
  }

  @Test
  void split_ofOneValueOrOfText_isNone() {
    assertThat(RangeSplit.between(Watermark.of(7), Watermark.of(7), 8)).isEmpty();
    assertThat(RangeSplit.between(Watermark.of("a"), Watermark.of("z"), 8)).isEmpty();
    assertThat(RangeSplit.between(Watermark.start(), Watermark.start(), 8)).isEmpty();
  }
}
