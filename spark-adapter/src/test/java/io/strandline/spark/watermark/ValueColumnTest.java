package io.strandline.spark.watermark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.stream.Stream;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ValueColumnTest {
  private static final Watermark TUESDAY =
      Watermark.at(Instant.parse("2026-06-30T23:59:59.999999Z"));
  private static final LocalDateTime NOON = LocalDateTime.parse("2026-07-01T12:00");

  static Stream<Arguments> values() {
    return Stream.of(
        Arguments.of(column(DataTypes.TimestampType), TUESDAY, instant(TUESDAY)),
        Arguments.of(column(DataTypes.TimestampNTZType), Watermark.at(NOON), NOON),
        Arguments.of(column(DataTypes.DateType), Watermark.on(LocalDate.EPOCH), LocalDate.EPOCH),
        Arguments.of(column(DataTypes.LongType), Watermark.of(5), 5L),
        Arguments.of(column(DataTypes.IntegerType), Watermark.of(5), 5),
        Arguments.of(column(DataTypes.ShortType), Watermark.of(-5), (short) -5),
        Arguments.of(column(DataTypes.ByteType), Watermark.of(127), (byte) 127),
        Arguments.of(
            column(DataTypes.IntegerType, WatermarkKind.VERSION), Watermark.ofVersion(9), 9),
        Arguments.of(
            column(DataTypes.createDecimalType(20, 2)),
            Watermark.of(new BigDecimal("100")),
            new BigDecimal("100.00")),
        Arguments.of(
            column(DataTypes.createDecimalType(20, 0), WatermarkKind.INTEGER),
            Watermark.of(7),
            new BigDecimal("7")),
        Arguments.of(column(DataTypes.StringType), Watermark.of(7), "integer:7"),
        Arguments.of(column(DataTypes.StringType), Watermark.of(" a "), "text: a "),
        Arguments.of(column(DataTypes.StringType, WatermarkKind.TEXT), Watermark.of(" a "), " a "),
        Arguments.of(
            column(DataTypes.StringType, WatermarkKind.TIMESTAMP),
            TUESDAY,
            "2026-06-30T23:59:59.999999Z"),
        Arguments.of(
            column(DataTypes.StringType, WatermarkKind.LOCAL_TIMESTAMP),
            Watermark.at(NOON),
            "2026-07-01 12:00:00"),
        Arguments.of(
            column(DataTypes.StringType, WatermarkKind.LOCAL_TIMESTAMP),
            Watermark.at(NOON.plusNanos(1_000)),
            "2026-07-01 12:00:00.000001"));
  }

  @ParameterizedTest
  @MethodSource("values")
  void write_ofWhatTheColumnHolds_isReadBackExactly(
      ValueColumn column, Watermark watermark, Object value) {
    assertThat(column.holds(watermark)).isTrue();
    assertThat(column.write(watermark)).isEqualTo(value);
    assertThat(column.read(value)).isEqualTo(watermark);
  }

  static Stream<Arguments> misfits() {
    return Stream.of(
        Arguments.of(column(DataTypes.DateType), TUESDAY),
        Arguments.of(column(DataTypes.TimestampType), Watermark.at(NOON)),
        Arguments.of(column(DataTypes.TimestampNTZType), TUESDAY),
        Arguments.of(column(DataTypes.LongType), Watermark.ofVersion(1)),
        Arguments.of(column(DataTypes.IntegerType), Watermark.of(1L << 31)),
        Arguments.of(column(DataTypes.ShortType), Watermark.of(32768)),
        Arguments.of(column(DataTypes.ByteType), Watermark.of(-129)),
        Arguments.of(
            column(DataTypes.createDecimalType(5, 2)), Watermark.of(new BigDecimal("1.005"))),
        Arguments.of(
            column(DataTypes.createDecimalType(5, 2)), Watermark.of(new BigDecimal("1000"))),
        Arguments.of(column(DataTypes.StringType, WatermarkKind.INTEGER), Watermark.of("7")));
  }

  @ParameterizedTest
  @MethodSource("misfits")
  void holds_whatTheColumnWouldRoundOrMistake_isFalse(ValueColumn column, Watermark watermark) {
    assertThat(column.holds(watermark)).isFalse();
  }

  static Stream<Arguments> textsOfOthers() {
    return Stream.of(
        Arguments.of(WatermarkKind.TIMESTAMP, "2026-07-01 02:00:00.5 +02:00", "00:00:00.500"),
        Arguments.of(WatermarkKind.TIMESTAMP, "2026-07-01 00:00:00Z", "T00:00:00Z"),
        Arguments.of(WatermarkKind.LOCAL_TIMESTAMP, "2026-07-01 12:00:00.0000000", "T12:00"),
        Arguments.of(WatermarkKind.LOCAL_TIMESTAMP, "2026-07-01T12:00", "T12:00"),
        Arguments.of(WatermarkKind.LOCAL_TIMESTAMP, "2026-07-01", "T00:00"),
        Arguments.of(WatermarkKind.INTEGER, " 5 ", "5"),
        Arguments.of(WatermarkKind.INTEGER, "  ", "the start"));
  }

  @ParameterizedTest
  @MethodSource("textsOfOthers")
  void read_ofTextThatOthersWrote_isTheirValue(WatermarkKind kind, String text, String part) {
    assertThat(column(DataTypes.StringType, kind).read(text).toString()).contains(part);
  }

  @Test
  void read_ofATimestampWithoutAZone_fails() {
    ValueColumn column = column(DataTypes.StringType, WatermarkKind.TIMESTAMP);

    assertThatThrownBy(() -> column.read("2026-07-01 00:00:00"))
        .isInstanceOf(RuntimeException.class);
  }

  @Test
  void read_ofNull_isTheStart() {
    assertThat(column(DataTypes.DateType).read(null)).isEqualTo(Watermark.start());
  }

  private static ValueColumn column(DataType type) {
    return column(type, null);
  }

  private static ValueColumn column(DataType type, @Nullable WatermarkKind kind) {
    return new ValueColumn("v", type, kind);
  }

  private static Instant instant(Watermark watermark) {
    return ((Watermark.Timestamp) watermark).value();
  }
}
