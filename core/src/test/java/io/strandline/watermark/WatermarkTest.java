package io.strandline.watermark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WatermarkTest {
  private static final Instant NOON = Instant.parse("2026-06-30T12:00:00.000001Z");

  /** Pairs of which the first is less than the second. */
  static List<List<Watermark>> ordered() {
    return List.of(
        List.of(Watermark.start(), Watermark.of(Long.MIN_VALUE)),
        List.of(Watermark.at(NOON), Watermark.at(NOON.plusNanos(1_000))),
        List.of(
            Watermark.at(LocalDateTime.parse("2026-11-01T01:30:00")),
            Watermark.at(LocalDateTime.parse("2026-11-01T01:30:00.000001"))),
        List.of(
            Watermark.on(LocalDate.parse("2024-02-29")),
            Watermark.on(LocalDate.parse("2024-03-01"))),
        List.of(Watermark.of(9), Watermark.of(11)),
        List.of(Watermark.of(9_007_199_254_740_992L), Watermark.of(9_007_199_254_740_993L)),
        List.of(Watermark.of(new BigDecimal("9.99")), Watermark.of(new BigDecimal("10"))),
        List.of(Watermark.of("11"), Watermark.of("9")),
        List.of(Watermark.of("Z"), Watermark.of("a")),
        List.of(Watermark.of("\uFF5E"), Watermark.of("\uD83D\uDE00")),
        List.of(Watermark.ofVersion(0), Watermark.ofVersion(1)),
        List.of(pair(1, "z"), pair(2, "a")),
        List.of(pair(2, "a"), pair(2, "b")));
  }

  @ParameterizedTest
  @MethodSource("ordered")
  void compareTo_withinAKind_ordersAsTheValuesDo(List<Watermark> pair) {
    assertThat(pair.get(0)).isLessThan(pair.get(1)).isEqualByComparingTo(pair.get(0));
    assertThat(pair.get(1).isAfter(pair.get(0))).isTrue();
    assertThat(pair.get(0).isAfter(pair.get(1))).isFalse();
    assertThat(Watermark.max(pair.get(0), pair.get(1))).isEqualTo(pair.get(1));
    assertThat(Watermark.max(pair.get(1), pair.get(0))).isEqualTo(pair.get(1));
  }

  static List<Watermark> ofEveryKind() {
    return List.of(
        Watermark.start(),
        Watermark.at(NOON),
        Watermark.at(Instant.parse("0001-01-01T00:00:00Z")),
        Watermark.at(LocalDateTime.parse("2026-03-08T02:30:00")),
        Watermark.on(LocalDate.parse("1900-01-01")),
        Watermark.of(Long.MIN_VALUE),
        Watermark.of(new BigDecimal("-0.000000000000000001")),
        Watermark.of(new BigDecimal("1E+30")),
        Watermark.of(""),
        Watermark.of("a:b|c\\d'e\n"),
        Watermark.ofVersion(Long.MAX_VALUE),
        pair(7, "a|b\\|c:"),
        Watermark.of(List.of(Watermark.of("|"), Watermark.of("\\"), Watermark.of(""))));
  }

  @ParameterizedTest
  @MethodSource("ofEveryKind")
  void parse_ofWhatTypedWrote_isTheSameWatermark(Watermark watermark) {
    assertThat(Watermark.parse(watermark.typed())).isEqualTo(watermark);
    assertThat(Watermark.parse(watermark.kind(), watermark.text())).isEqualTo(watermark);
  }

  @Test
  void kinds_haveWordsThatFindThem() {
    for (WatermarkKind kind : WatermarkKind.values()) {
      assertThat(WatermarkKind.ofWord(kind.word())).isEqualTo(kind);
    }

    assertThatThrownBy(() -> WatermarkKind.ofWord("float"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot read a watermark of kind 'float': no such kind.");
  }

  @Test
  void typed_ofAComposite_escapesItsParts() {
    assertThat(pair(7, "a|b\\").typed()).isEqualTo("composite:integer:7|text:a\\|b\\\\");
  }

  @Test
  void parse_ofOtherText_fails() {
    assertThatThrownBy(() -> Watermark.parse("2026"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot read '2026' as a watermark: the kind and a colon are missing.");
    assertThatThrownBy(() -> Watermark.parse("date:30.06.2026"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot read '30.06.2026' as a watermark of kind date.");
    assertThatThrownBy(() -> Watermark.parse("composite:integer:7"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot read 'integer:7' as a watermark of kind composite.");
  }

  @Test
  void at_finerThanAMicrosecond_fails() {
    assertThatThrownBy(() -> Watermark.at(Instant.parse("2026-06-30T12:00:00.0000001Z")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot make a watermark of 2026-06-30T12:00:00.000000100Z: it is finer than a"
                + " microsecond. Cut it to microseconds, downward.");
    assertThatThrownBy(() -> Watermark.at(LocalDateTime.parse("2026-06-30T12:00:00.000000001")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot make a watermark of 2026-06-30T12:00:00.000000001");
  }

  @Test
  void compareTo_ofDifferentKinds_fails() {
    assertThat(Watermark.of(1).isComparableTo(Watermark.of("1"))).isFalse();
    assertThatThrownBy(() -> Watermark.of(1).compareTo(Watermark.of("1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot compare watermark integer:1 with text:1: the kinds differ.");
    assertThatThrownBy(() -> pair(1, "a").compareTo(Watermark.of(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> pair(1, "a").compareTo(Watermark.of(List.of(Watermark.of("a"), Watermark.of(1)))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void decimal_withZerosAtItsEnd_isTheSame() {
    assertThat(Watermark.of(new BigDecimal("3.00"))).isEqualTo(Watermark.of(new BigDecimal("3")));
    assertThat(Watermark.of(new BigDecimal("300")).text()).isEqualTo("300");
  }

  @Test
  void composite_ofFewerThanTwoOrNoSimpleValues_fails() {
    assertThatThrownBy(() -> Watermark.of(List.of(Watermark.of(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot make a composite watermark of [1]: it needs two values or more.");
    assertThatThrownBy(() -> Watermark.of(List.of(Watermark.of(1), Watermark.start())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot make a composite watermark of [1, the start]: each value must be simple.");
  }

  @Test
  void ofVersion_below0_fails() {
    assertThatThrownBy(() -> Watermark.ofVersion(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot make a watermark of table version -1: versions start at 0.");
  }

  @Test
  void toString_ofEveryKind_isForPeople() {
    assertThat(ofEveryKind().stream().map(Watermark::toString))
        .startsWith("the start", "2026-06-30T12:00:00.000001Z")
        .contains("1900-01-01", "''", "version 9223372036854775807", "(7, 'a|b\\|c:')");
  }

  private static Watermark pair(long number, String text) {
    return Watermark.of(List.of(Watermark.of(number), Watermark.of(text)));
  }
}
