package io.strandline.watermark;

import java.time.Instant;

/**
 * The row that a store holds for one stream of a load.
 *
 * @param value the watermark; {@link Watermark#start()} if there is no row, or its value is null
 * @param updatedAt when the row was written last, by the row itself; {@link Instant#MIN} if it does
 *     not tell
 * @param state what the last run wrote beside the watermark
 */
public record StoredStream(Watermark value, Instant updatedAt, StoreState state) {
  private static final StoredStream NONE =
      new StoredStream(Watermark.start(), Instant.MIN, StoreState.none());

  /** Returns what a store holds of a stream that was never loaded. */
  public static StoredStream none() {
    return NONE;
  }

  /** Tells whether the state belongs to the value, so that nobody has changed the row since. */
  public boolean isAsTheRunLeftIt() {
    return state.number() > 0 && state.value().equals(value);
  }

  /**
   * Returns the same row, with another word on what the last run left behind.
   *
   * @param remainder whether rows were left behind
   * @return the row
   */
  public StoredStream leaving(Remainder remainder) {
    return new StoredStream(
        value,
        updatedAt,
        new StoreState(
            state.number(),
            state.value(),
            state.source(),
            remainder,
            state.target(),
            state.declaration()));
  }
}
