package io.strandline.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class WatermarkRangeTest {
  @Test
  void contains_atTheEnds_followsTheBound() {
    WatermarkRange inclusive = range(3, Bound.INCLUSIVE, 5);
    WatermarkRange exclusive = range(3, Bound.EXCLUSIVE, 5);

    assertThat(List.of(2, 3, 4, 5, 6))
        .extracting(n -> inclusive.contains(Watermark.of(n)))
        .containsExactly(false, true, true, true, false);
    assertThat(List.of(2, 3, 4, 5, 6))
        .extracting(n -> exclusive.contains(Watermark.of(n)))
        .containsExactly(false, false, true, true, false);
  }

  @Test
  void contains_fromTheStart_hasNoLowerEnd() {
    WatermarkRange range = new WatermarkRange(Watermark.start(), Bound.EXCLUSIVE, Watermark.of(5));

    assertThat(range.contains(Watermark.of(Long.MIN_VALUE))).isTrue();
    assertThat(range.contains(Watermark.of(6))).isFalse();
  }

  @Test
  void contains_ofAnInclusiveComposite_takesEverythingThatSharesTheFirstValue() {
    WatermarkRange inclusive = new WatermarkRange(pair(3, "m"), Bound.INCLUSIVE, pair(5, "m"));
    WatermarkRange exclusive = new WatermarkRange(pair(3, "m"), Bound.EXCLUSIVE, pair(5, "m"));

    assertThat(inclusive.contains(pair(3, "a"))).isTrue();
    assertThat(inclusive.contains(pair(2, "z"))).isFalse();
    assertThat(exclusive.contains(pair(3, "m"))).isFalse();
    assertThat(exclusive.contains(pair(3, "n"))).isTrue();
    assertThat(exclusive.contains(pair(5, "n"))).isFalse();
  }

  @Test
  void toString_ofARange_usesBrackets() {
    assertThat(range(3, Bound.INCLUSIVE, 5)).hasToString("[3, 5]");
    assertThat(range(3, Bound.EXCLUSIVE, 5)).hasToString("(3, 5]");
  }

  private static WatermarkRange range(long after, Bound bound, long upTo) {
    return new WatermarkRange(Watermark.of(after), bound, Watermark.of(upTo));
  }

  private static Watermark pair(long number, String text) {
    return Watermark.of(List.of(Watermark.of(number), Watermark.of(text)));
  }
}
