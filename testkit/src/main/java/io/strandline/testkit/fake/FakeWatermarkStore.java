package io.strandline.testkit.fake;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.watermark.Advance;
import io.strandline.watermark.Direction;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.NumberKeeping;
import io.strandline.watermark.StoreState;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamMove;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A watermark store in memory.
 *
 * <h2>Strict by default</h2>
 *
 * <p>It moves a watermark only from exactly the row that the run has read, value and time; takes a
 * run's number once; moves all streams or none; and refuses to answer when a stream has two rows.
 *
 * <h2>An operator's hand</h2>
 *
 * <p>{@link #edit}, {@link #delete} and {@link #duplicate} do what a person with SQL can do to a
 * watermark table. As that person would, they leave the time and the state in the row alone.
 *
 * <p>Safe for use by several threads.
 */
public final class FakeWatermarkStore implements WatermarkStore {
  private static final Instant FIRST_TICK = Instant.parse("2026-01-01T00:00:00Z");

  private final String name;
  private final NumberKeeping numberKeeping;
  private final Map<Key, List<StoredStream>> rows = new HashMap<>();
  private final Map<LoadName, Long> numbersSeen = new HashMap<>();
  private long ticks;
  private int commits;

  /** Where a row stands. */
  private record Key(LoadName load, StreamName stream) {}

  private FakeWatermarkStore(String name, NumberKeeping numberKeeping) {
    this.name = name;
    this.numberKeeping = numberKeeping;
  }

  /** Makes an empty store that is called {@code etl_watermark}. */
  public static FakeWatermarkStore empty() {
    return named("etl_watermark");
  }

  /**
   * Makes an empty store.
   *
   * @param name its name, which is its identity too
   * @return the store
   */
  public static FakeWatermarkStore named(String name) {
    return new FakeWatermarkStore(name, NumberKeeping.WITH_THE_ROW);
  }

  /**
   * Makes an empty store that has no room for a run's number, nor for the rest of its state, as a
   * control table that somebody else made.
   *
   * @param name its name, which is its identity too
   * @return the store
   */
  public static FakeWatermarkStore withoutNumbers(String name) {
    return new FakeWatermarkStore(name, NumberKeeping.NONE);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String identity() {
    return name;
  }

  @Override
  public NumberKeeping numberKeeping() {
    return numberKeeping;
  }

  @Override
  public synchronized StoredWatermarks last(LoadName load, Set<StreamName> streams) {
    SortedMap<StreamName, StoredStream> found = new TreeMap<>();
    streams.forEach(stream -> found.put(stream, row(load, stream)));
    long number = found.values().stream().mapToLong(row -> row.state().number()).max().orElse(0);
    return new StoredWatermarks(load, number, highest(load), found, Optional.of(name));
  }

  @Override
  public synchronized void advance(Advance advance) {
    boolean keepsNumbers = numberKeeping == NumberKeeping.WITH_THE_ROW;

    if (keepsNumbers
        && advance.direction() == Direction.FORWARD
        && advance.number() <= highest(advance.load())) {
      throw conflict(
          advance.load(),
          "it has seen run " + highest(advance.load()) + ", and run " + advance.number() + " came");
    }

    for (StreamMove move : advance.moves()) {
      requireUntouched(advance.load(), move);
    }

    Instant now = FIRST_TICK.plus(Duration.ofSeconds(ticks++));

    for (StreamMove move : advance.moves()) {
      StoreState state = keepsNumbers ? move.state() : StoreState.none();
      replace(advance.load(), move.stream(), List.of(new StoredStream(move.to(), now, state)));
    }

    if (keepsNumbers) {
      numbersSeen.merge(advance.load(), advance.number(), Math::max);
    }

    commits++;
  }

  private void requireUntouched(LoadName load, StreamMove move) {
    StoredStream found = row(load, move.stream());
    StoredStream expected = move.expected();

    if (!found.value().equals(expected.value())
        || !found.updatedAt().equals(expected.updatedAt())) {
      throw conflict(
          load,
          "it holds "
              + found.value()
              + " since "
              + found.updatedAt()
              + ", not "
              + expected.value()
              + " since "
              + expected.updatedAt());
    }
  }

  private Problem conflict(LoadName load, String reason) {
    return new Problem(
        ProblemKind.CONCURRENT_RUN,
        "move the watermark of '" + load + "' in " + name,
        reason,
        "Run the load again.");
  }

  /** Writes another watermark into the only row of a load, or a new row; what UPDATE does. */
  public void edit(LoadName load, Watermark value) {
    edit(load, StreamName.only(), value);
  }

  /**
   * Writes another watermark into a row, or a new row.
   *
   * @param load the load
   * @param stream the stream
   * @param value the watermark; {@link Watermark#start()} for a null
   */
  public synchronized void edit(LoadName load, StreamName stream, Watermark value) {
    StoredStream row = row(load, stream);
    replace(load, stream, List.of(new StoredStream(value, row.updatedAt(), row.state())));
  }

  /**
   * Deletes all rows of a load; the numbers that were seen stay known, as they do in a Delta table.
   *
   * @param load the load
   */
  public synchronized void delete(LoadName load) {
    rows.keySet().removeIf(key -> key.load().equals(load));
  }

  /**
   * Doubles every row of a load.
   *
   * @param load the load
   */
  public synchronized void duplicate(LoadName load) {
    for (Map.Entry<Key, List<StoredStream>> entry : rows.entrySet()) {
      if (entry.getKey().load().equals(load)) {
        List<StoredStream> twice = new ArrayList<>(entry.getValue());
        twice.addAll(entry.getValue());
        entry.setValue(twice);
      }
    }
  }

  /** Returns how many times a watermark was moved by a load; an operator's hand does not count. */
  public synchronized int commits() {
    return commits;
  }

  private StoredStream row(LoadName load, StreamName stream) {
    List<StoredStream> found = rows.getOrDefault(new Key(load, stream), List.of());

    if (found.size() > 1) {
      throw new Problem(
          ProblemKind.MULTIPLE_WATERMARK_ROWS,
          "read the watermark of '" + load + "' in " + name,
          "there are " + found.size() + " rows for it, so nobody can say which is true",
          "Delete all but one.");
    }

    return found.isEmpty() ? StoredStream.none() : found.get(0);
  }

  private long highest(LoadName load) {
    return numbersSeen.getOrDefault(load, 0L);
  }

  private void replace(LoadName load, StreamName stream, List<StoredStream> with) {
    rows.put(new Key(load, stream), with);
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
