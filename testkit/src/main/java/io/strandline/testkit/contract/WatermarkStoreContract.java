package io.strandline.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.watermark.Advance;
import io.strandline.watermark.Direction;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.NumberKeeping;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoreState;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamMove;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import io.strandline.watermark.WatermarkStore;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What every watermark store promises. */
public interface WatermarkStoreContract {

  /** Makes an empty store that no other test knows. */
  WatermarkStore newStore();

  /**
   * Does to a store what a person can do to its table; empty if nobody can.
   *
   * @param store the store that a test works with
   * @return the person
   */
  default Optional<Operator> operator(WatermarkStore store) {
    return Optional.empty();
  }

  /**
   * Tells whether the store can keep watermarks of a kind.
   *
   * @param kind the kind
   * @return true unless overridden
   */
  default boolean keeps(WatermarkKind kind) {
    return true;
  }

  /** Tells whether the store can hold a load of several streams. */
  default boolean keepsStreams() {
    return true;
  }

  /** A person with write access to the watermark table; acts on loads with one stream. */
  interface Operator {
    /**
     * Writes another watermark into the row of a load, and nothing else.
     *
     * @param load the load
     * @param value the watermark
     */
    void edit(LoadName load, Watermark value);

    /**
     * Deletes the row of a load.
     *
     * @param load the load
     */
    void delete(LoadName load);

    /**
     * Doubles the row of a load.
     *
     * @param load the load
     */
    void duplicate(LoadName load);
  }

  /** A store has a name for messages and an identity that stays. */
  @Test
  default void identity_askedTwice_isTheSame() {
    WatermarkStore store = newStore();

    assertThat(store.name()).isNotBlank();
    assertThat(store.identity()).isNotBlank().isEqualTo(store.identity());
    assertThat(last(store, "orders").store()).isIn(Optional.empty(), Optional.of(store.identity()));
  }

  /** A load that never ran has a row for each of its streams, at the start. */
  @Test
  default void last_ofALoadThatNeverRan_isTheStart() {
    StoredWatermarks stored = last(newStore(), "orders");

    assertThat(stored.isFirstRun()).isTrue();
    assertThat(stored.number()).isZero();
    assertThat(stored.highest()).isZero();
    assertThat(stored.streams()).containsOnlyKeys(StreamName.only());
    assertThat(stored.stream(StreamName.only())).isEqualTo(StoredStream.none());
  }

  /** What was advanced to is what is stored, of every kind, exactly. */
  @Test
  default void last_afterAnAdvance_isTheSameWatermarkOfEveryKind() {
    WatermarkStore store = newStore();
    List<Watermark> watermarks = new ArrayList<>();
    watermarks.add(Watermark.at(Instant.parse("2026-06-30T23:59:59.123456Z")));
    watermarks.add(Watermark.at(Instant.parse("0001-01-01T00:00:00Z")));
    watermarks.add(Watermark.at(Instant.parse("2026-11-01T06:30:00.000001Z")));
    watermarks.add(Watermark.at(LocalDateTime.parse("2026-03-08T02:30:00.999999")));
    watermarks.add(Watermark.on(LocalDate.parse("1582-10-10")));
    watermarks.add(Watermark.of(Long.MAX_VALUE));
    watermarks.add(Watermark.of(-9_007_199_254_740_993L));
    watermarks.add(Watermark.of(new BigDecimal("12345678901234567890.123456789012345678")));
    watermarks.add(Watermark.of("O'Neill; DROP TABLE \"x\" \\ | ` \uD83D\uDE00 "));
    watermarks.add(Watermark.ofVersion(41));
    watermarks.add(
        Watermark.of(List.of(Watermark.at(Orders.MONDAY), Watermark.of("a|b\\"), Watermark.of(7))));

    for (int i = 0; i < watermarks.size(); i++) {
      Watermark watermark = watermarks.get(i);

      if (keeps(watermark.kind())) {
        String load = "load " + i;
        advance(store, load, 1, watermark);
        assertThat(last(store, load).value(StreamName.only())).isEqualTo(watermark);
      }
    }
  }

  /** Number and state are stored in the same commit as the watermark. */
  @Test
  default void last_afterAnAdvance_holdsNumberAndState() {
    WatermarkStore store = newStore();
    assumeTrue(keepsNumbers(store), "keeps numbers");

    advance(store, "orders", 1, at(Orders.MONDAY));

    StoredWatermarks stored = last(store, "orders");
    assertThat(stored.number()).isEqualTo(1);
    assertThat(stored.highest()).isEqualTo(1);
    assertThat(stored.stream(StreamName.only()).state()).isEqualTo(state(1, at(Orders.MONDAY)));
    assertThat(stored.stream(StreamName.only()).isAsTheRunLeftIt()).isTrue();
  }

  /** An advance from what the store no longer holds fails and changes nothing. */
  @Test
  default void advance_fromAStaleRow_failsAndKeepsTheWatermark() {
    WatermarkStore store = newStore();
    StoredStream stale = last(store, "orders").stream(StreamName.only());
    advance(store, "orders", 1, at(Orders.MONDAY));

    assertThatThrownBy(() -> store.advance(advance(store, "orders", 2, stale, at(Orders.TUESDAY))))
        .isInstanceOfSatisfying(Problem.class, WatermarkStoreContract::isConcurrentRun);

    assertThat(last(store, "orders").value(StreamName.only())).isEqualTo(at(Orders.MONDAY));
  }

  /** An advance made twice is made once; the second try fails and changes nothing. */
  @Test
  default void advance_madeTwice_isMadeOnce() {
    WatermarkStore store = newStore();
    Advance advance =
        advance(
            store, "orders", 1, last(store, "orders").stream(StreamName.only()), at(Orders.MONDAY));
    store.advance(advance);
    StoredWatermarks after = last(store, "orders");

    assertThatThrownBy(() -> store.advance(advance))
        .isInstanceOfSatisfying(Problem.class, WatermarkStoreContract::isConcurrentRun);

    assertThat(last(store, "orders")).isEqualTo(after);
  }

  /** A number that the store has seen moves nothing forward, even from the right row. */
  @Test
  default void advance_withANumberThatWasSeen_failsAndKeepsTheWatermark() {
    WatermarkStore store = newStore();
    assumeTrue(keepsNumbers(store), "keeps numbers");
    advance(store, "orders", 7, at(Orders.MONDAY));

    assertThatThrownBy(() -> advance(store, "orders", 7, at(Orders.TUESDAY)))
        .isInstanceOfSatisfying(Problem.class, WatermarkStoreContract::isConcurrentRun);

    assertThat(last(store, "orders").value(StreamName.only())).isEqualTo(at(Orders.MONDAY));
  }

  /** An advance to the watermark that is stored already is made, and its number is kept. */
  @Test
  default void advance_toTheSameWatermark_keepsTheNewNumber() {
    WatermarkStore store = newStore();
    assumeTrue(keepsNumbers(store), "keeps numbers");
    advance(store, "orders", 1, at(Orders.MONDAY));

    advance(store, "orders", 2, at(Orders.MONDAY));

    assertThat(last(store, "orders").number()).isEqualTo(2);
  }

  /** A watermark of nothing is stored as such, with the number beside it. */
  @Test
  default void advance_toTheStart_keepsTheNumber() {
    WatermarkStore store = newStore();
    assumeTrue(keepsNumbers(store), "keeps numbers");

    advance(store, "orders", 1, Watermark.start());

    assertThat(last(store, "orders").isFirstRun()).isTrue();
    assertThat(last(store, "orders").number()).isEqualTo(1);
    advance(store, "orders", 2, at(Orders.MONDAY));
    assertThat(last(store, "orders").value(StreamName.only())).isEqualTo(at(Orders.MONDAY));
  }

  /** An operator's move goes back too, and may bring a number that the store has seen. */
  @Test
  default void advance_anywhere_movesBackAndKeepsTheHighestNumber() {
    WatermarkStore store = newStore();
    assumeTrue(keepsNumbers(store), "keeps numbers");
    advance(store, "orders", 1, at(Orders.MONDAY));
    advance(store, "orders", 2, at(Orders.TUESDAY));

    store.advance(
        new Advance(
            LoadIdentity.of(store.identity(), new LoadName("orders")),
            1,
            Direction.ANYWHERE,
            List.of(
                new StreamMove(
                    StreamName.only(),
                    last(store, "orders").stream(StreamName.only()),
                    at(Orders.MONDAY),
                    state(1, at(Orders.MONDAY))))));

    StoredWatermarks stored = last(store, "orders");
    assertThat(stored.value(StreamName.only())).isEqualTo(at(Orders.MONDAY));
    assertThat(stored.number()).isEqualTo(1);
    assertThat(stored.highest()).isEqualTo(2);
    advance(store, "orders", 3, at(Orders.WEDNESDAY));
    assertThat(last(store, "orders").number()).isEqualTo(3);
  }

  /** Loads do not see each other, whatever characters their names are made of. */
  @Test
  default void advance_ofOneLoad_leavesTheOthersAlone() {
    WatermarkStore store = newStore();
    List<String> names = List.of("orders", "Orders", "orders ", "o'rders", "o`r%_d.e/r\\s", "é😀");

    for (int i = 0; i < names.size(); i++) {
      advance(store, names.get(i), i + 1, at(Orders.MONDAY.plusSeconds(i)));
    }

    for (int i = 0; i < names.size(); i++) {
      assertThat(last(store, names.get(i)).value(StreamName.only()))
          .isEqualTo(at(Orders.MONDAY.plusSeconds(i)));
    }
  }

  /** The streams of a load are advanced in one step, each to its own watermark. */
  @Test
  default void advance_ofTwoStreams_movesBoth() {
    assumeTrue(keepsStreams(), "keeps streams");
    WatermarkStore store = newStore();
    StreamName active = new StreamName("active");
    StreamName archive = new StreamName("archive");

    store.advance(
        streams(
            store,
            1,
            move(StoredStream.none(), active, 1, at(Orders.TUESDAY)),
            move(StoredStream.none(), archive, 1, at(Orders.MONDAY))));

    StoredWatermarks stored = store.last(new LoadName("orders"), Set.of(active, archive));
    assertThat(stored.value(active)).isEqualTo(at(Orders.TUESDAY));
    assertThat(stored.value(archive)).isEqualTo(at(Orders.MONDAY));
  }

  /** If one stream of a load cannot be moved, none is. */
  @Test
  default void advance_ofTwoStreamsWithOneStale_movesNone() {
    assumeTrue(keepsStreams(), "keeps streams");
    WatermarkStore store = newStore();
    StreamName active = new StreamName("active");
    StreamName archive = new StreamName("archive");
    store.advance(
        streams(
            store,
            1,
            move(StoredStream.none(), active, 1, at(Orders.MONDAY)),
            move(StoredStream.none(), archive, 1, at(Orders.MONDAY))));
    StoredWatermarks before = store.last(new LoadName("orders"), Set.of(active, archive));

    assertThatThrownBy(
            () ->
                store.advance(
                    streams(
                        store,
                        2,
                        move(before.stream(active), active, 2, at(Orders.TUESDAY)),
                        move(StoredStream.none(), archive, 2, at(Orders.TUESDAY)))))
        .isInstanceOfSatisfying(Problem.class, WatermarkStoreContract::isConcurrentRun);

    assertThat(store.last(new LoadName("orders"), Set.of(active, archive))).isEqualTo(before);
  }

  /** Of two runs that advance from the same row at once, exactly one succeeds. */
  @Test
  default void advance_ofTwoRunsAtOnce_succeedsOnce() {
    WatermarkStore store = newStore();
    advance(store, "orders", 1, at(Orders.MONDAY));
    StoredStream row = last(store, "orders").stream(StreamName.only());

    List<Optional<RuntimeException>> outcomes =
        Together.run(
            List.of(
                () -> store.advance(advance(store, "orders", 2, row, at(Orders.TUESDAY))),
                () -> store.advance(advance(store, "orders", 2, row, at(Orders.WEDNESDAY)))));

    assertThat(outcomes).as("the winner").filteredOn(Optional::isEmpty).hasSize(1);
    assertThat(last(store, "orders").value(StreamName.only()))
        .isIn(at(Orders.TUESDAY), at(Orders.WEDNESDAY));
  }

  /** Loads that advance at once do not fail each other. */
  @Test
  default void advance_ofEightLoadsAtOnce_succeedsForAll() {
    WatermarkStore store = newStore();
    List<Runnable> advances = new ArrayList<>();

    for (int i = 0; i < 8; i++) {
      String load = "load " + i;
      advances.add(() -> advance(store, load, 1, at(Orders.MONDAY)));
    }

    assertThat(Together.run(advances)).allMatch(Optional::isEmpty);

    for (int i = 0; i < 8; i++) {
      assertThat(last(store, "load " + i).value(StreamName.only())).isEqualTo(at(Orders.MONDAY));
    }
  }

  /** What a person writes into the row is what the store holds; the state then says nothing. */
  @Test
  default void last_afterAPersonEditedTheRow_isWhatThePersonWrote() {
    WatermarkStore store = newStore();
    Operator operator = requireOperator(store);
    advance(store, "orders", 1, at(Orders.TUESDAY));

    operator.edit(new LoadName("orders"), at(Orders.MONDAY));

    StoredStream row = last(store, "orders").stream(StreamName.only());
    assertThat(row.value()).isEqualTo(at(Orders.MONDAY));
    assertThat(row.isAsTheRunLeftIt()).isFalse();
    advance(store, "orders", 2, at(Orders.WEDNESDAY));
    assertThat(last(store, "orders").value(StreamName.only())).isEqualTo(at(Orders.WEDNESDAY));
  }

  /** A run that was overtaken by a person's edit does not overwrite it. */
  @Test
  default void advance_afterAPersonEditedTheRow_failsAndKeepsTheEdit() {
    WatermarkStore store = newStore();
    Operator operator = requireOperator(store);
    advance(store, "orders", 1, at(Orders.TUESDAY));
    StoredStream row = last(store, "orders").stream(StreamName.only());
    operator.edit(new LoadName("orders"), at(Orders.MONDAY));

    assertThatThrownBy(() -> store.advance(advance(store, "orders", 2, row, at(Orders.WEDNESDAY))))
        .isInstanceOfSatisfying(Problem.class, WatermarkStoreContract::isConcurrentRun);

    assertThat(last(store, "orders").value(StreamName.only())).isEqualTo(at(Orders.MONDAY));
  }

  /** A deleted row means a first run; the numbers that were seen are not used again. */
  @Test
  default void last_afterAPersonDeletedTheRow_isTheStart() {
    WatermarkStore store = newStore();
    Operator operator = requireOperator(store);
    advance(store, "orders", 1, at(Orders.TUESDAY));

    operator.delete(new LoadName("orders"));

    StoredWatermarks stored = last(store, "orders");
    assertThat(stored.isFirstRun()).isTrue();
    assertThat(stored.number()).isZero();
    assertThat(stored.highest()).isEqualTo(keepsNumbers(store) ? 1 : 0);
    advance(store, "orders", 2, at(Orders.MONDAY));
    assertThat(last(store, "orders").value(StreamName.only())).isEqualTo(at(Orders.MONDAY));
  }

  /** Two rows of one load are an error, since nobody can say which is true; others go on. */
  @Test
  default void last_ofALoadWithTwoRows_fails() {
    WatermarkStore store = newStore();
    Operator operator = requireOperator(store);
    advance(store, "orders", 1, at(Orders.TUESDAY));
    advance(store, "items", 1, at(Orders.TUESDAY));

    operator.duplicate(new LoadName("orders"));

    assertThatThrownBy(() -> last(store, "orders"))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.MULTIPLE_WATERMARK_ROWS));
    assertThat(last(store, "items").value(StreamName.only())).isEqualTo(at(Orders.TUESDAY));
  }

  private Operator requireOperator(WatermarkStore store) {
    Optional<Operator> operator = operator(store);
    assumeTrue(operator.isPresent(), "a person can write into the table");
    return operator.orElseThrow();
  }

  private static boolean keepsNumbers(WatermarkStore store) {
    return store.numberKeeping() == NumberKeeping.WITH_THE_ROW;
  }

  private static void isConcurrentRun(Problem problem) {
    assertThat(problem.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN);
  }

  private static Watermark at(Instant value) {
    return Watermark.at(value);
  }

  private static StoredWatermarks last(WatermarkStore store, String load) {
    return store.last(new LoadName(load), Set.of(StreamName.only()));
  }

  private static void advance(WatermarkStore store, String load, long number, Watermark to) {
    store.advance(advance(store, load, number, last(store, load).stream(StreamName.only()), to));
  }

  private static Advance advance(
      WatermarkStore store, String load, long number, StoredStream expected, Watermark to) {
    return new Advance(
        LoadIdentity.of(store.identity(), new LoadName(load)),
        number,
        Direction.FORWARD,
        List.of(move(expected, StreamName.only(), number, to)));
  }

  private static Advance streams(WatermarkStore store, long number, StreamMove... moves) {
    return new Advance(
        LoadIdentity.of(store.identity(), new LoadName("orders")),
        number,
        Direction.FORWARD,
        List.of(moves));
  }

  private static StreamMove move(
      StoredStream expected, StreamName stream, long number, Watermark to) {
    return new StreamMove(stream, expected, to, state(number, to));
  }

  private static StoreState state(long number, Watermark value) {
    return new StoreState(
        number,
        value,
        new TableSnapshot("bronze", 3),
        Remainder.NONE,
        new TableSnapshot("silver", 4),
        "matched on 'order_id'; newer by loaded_at");
  }
}
