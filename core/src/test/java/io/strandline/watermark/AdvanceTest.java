package io.strandline.watermark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdvanceTest {
  private static final LoadName ORDERS = new LoadName("orders");
  private static final LoadIdentity IDENTITY = LoadIdentity.of("etl_watermark", ORDERS);

  @Test
  void advance_back_isRefusedUnlessItMayGoAnywhere() {
    assertThatThrownBy(() -> advance(1, Direction.FORWARD, 7, 6))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot advance load 'orders' from 7 to 6: a watermark never moves back.");
    assertThatCode(() -> advance(1, Direction.FORWARD, 7, 7)).doesNotThrowAnyException();
    assertThatCode(() -> advance(1, Direction.ANYWHERE, 7, 6)).doesNotThrowAnyException();
  }

  @Test
  void advance_withoutANumber_isRefusedUnlessItMayGoAnywhere() {
    assertThatThrownBy(() -> advance(0, Direction.FORWARD, 6, 7))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot advance load 'orders' with number 0: numbers start at 1.");
    assertThatCode(() -> advance(0, Direction.ANYWHERE, 6, 7)).doesNotThrowAnyException();
  }

  @Test
  void loadName_thatIsBlank_isRefused() {
    assertThatThrownBy(() -> new LoadName(" \t"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot name a load ' \t': a name needs at least one visible character, since it is the"
                + " key of the watermark.");
  }

  @Test
  void loadIdentity_withAPurpose_isFiledApart() {
    assertThat(IDENTITY).hasToString("strandline/etl_watermark/orders");
    assertThat(IDENTITY.withPurpose("backfill 7"))
        .hasToString("strandline/etl_watermark/orders#backfill 7");
  }

  @Test
  void storedStream_changedByAPerson_isNotAsTheRunLeftIt() {
    StoreState state =
        new StoreState(
            3,
            Watermark.of(7),
            TableSnapshot.unknown(),
            Remainder.NONE,
            TableSnapshot.unknown(),
            "");

    assertThat(new StoredStream(Watermark.of(7), Instant.EPOCH, state).isAsTheRunLeftIt()).isTrue();
    assertThat(new StoredStream(Watermark.of(6), Instant.EPOCH, state).isAsTheRunLeftIt())
        .isFalse();
    assertThat(StoredStream.none().isAsTheRunLeftIt()).isFalse();
  }

  @Test
  void tableSnapshot_ofAnotherTable_isToldOnlyIfBothAreKnown() {
    TableSnapshot one = new TableSnapshot("a", 1);

    assertThat(one.isOfAnotherTable(new TableSnapshot("b", 1))).isTrue();
    assertThat(one.isOfAnotherTable(new TableSnapshot("a", 9))).isFalse();
    assertThat(one.isOfAnotherTable(TableSnapshot.unknown())).isFalse();
    assertThat(one).hasToString("version 1 of table a");
    assertThat(TableSnapshot.unknown()).hasToString("an unknown version");
  }

  @Test
  void forgotten_ofStoredWatermarks_keepsTheHighestNumberAlone() {
    StoredWatermarks stored =
        StoredWatermarks.of(
            ORDERS, 3, new StoredStream(Watermark.of(7), Instant.EPOCH, StoreState.none()));

    assertThat(stored.isFirstRun()).isFalse();
    assertThat(stored.forgotten().isFirstRun()).isTrue();
    assertThat(stored.forgotten().highest()).isEqualTo(3);
  }

  private static Advance advance(long number, Direction direction, long from, long to) {
    StoredStream expected = new StoredStream(Watermark.of(from), Instant.EPOCH, StoreState.none());
    return new Advance(
        IDENTITY,
        number,
        direction,
        List.of(new StreamMove(StreamName.only(), expected, Watermark.of(to), StoreState.none())));
  }
}
