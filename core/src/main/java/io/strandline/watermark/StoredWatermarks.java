package io.strandline.watermark;

import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a store holds of a load: its number, and a row for each of its streams.
 *
 * @param load the load
 * @param number the number of the last run that the rows know of; zero if there was none
 * @param highest the highest number that the store has ever seen of this load; greater than {@code
 *     number} only where a person has taken the rows back, or has rewound the load onto a target
 *     that knows of fewer runs
 * @param streams a row for every stream of the load, by name
 * @param store the {@link WatermarkStore#identity} of the store, if reading the rows told it, which
 *     spares a second look; empty otherwise
 */
public record StoredWatermarks(
    LoadName load,
    long number,
    long highest,
    SortedMap<StreamName, StoredStream> streams,
    Optional<String> store) {
  /** Copies the streams. */
  public StoredWatermarks {
    streams = ImmutableSortedMap.copyOf(streams);
  }

  /**
   * Makes what a store holds of a load, without the store's identity.
   *
   * @param load the load
   * @param number the number of the last run that the rows know of; zero if there was none
   * @param highest the highest number that the store has ever seen of this load
   * @param streams a row for every stream of the load, by name
   */
  public StoredWatermarks(
      LoadName load, long number, long highest, SortedMap<StreamName, StoredStream> streams) {
    this(load, number, highest, streams, Optional.empty());
  }

  /**
   * Makes what a store holds of a load that was never taken back.
   *
   * @param load the load
   * @param number the number of the last run; zero if there was none
   * @param streams a row for every stream of the load, by name
   */
  public StoredWatermarks(LoadName load, long number, SortedMap<StreamName, StoredStream> streams) {
    this(load, number, number, streams);
  }

  /**
   * Makes what a store holds of a load with one stream.
   *
   * @param load the load
   * @param number the number of the last run; zero if there was none
   * @param stream the row
   * @return the stored watermarks
   */
  public static StoredWatermarks of(LoadName load, long number, StoredStream stream) {
    return new StoredWatermarks(load, number, new TreeMap<>(Map.of(StreamName.only(), stream)));
  }

  /**
   * Returns the row of a stream.
   *
   * @param name the stream
   * @return its row; {@link StoredStream#none()} if the store has none
   */
  public StoredStream stream(StreamName name) {
    return streams.getOrDefault(name, StoredStream.none());
  }

  /**
   * Returns the watermark of a stream.
   *
   * @param name the stream
   * @return its watermark; {@link Watermark#start()} if the store has none
   */
  public Watermark value(StreamName name) {
    return stream(name).value();
  }

  /**
   * Returns what a store would hold if the load had never run, for a reload.
   *
   * @return the same streams without rows
   */
  public StoredWatermarks forgotten() {
    SortedMap<StreamName, StoredStream> none = new TreeMap<>();
    streams.keySet().forEach(stream -> none.put(stream, StoredStream.none()));
    return new StoredWatermarks(load, 0, highest, none, store);
  }

  /** Tells whether no stream of the load has a watermark. */
  public boolean isFirstRun() {
    return streams.values().stream().allMatch(stream -> stream.value().isStart());
  }
}
