package io.strandline.watermark;

import java.util.List;

/**
 * The move of a load's watermark to the upper end of what was merged, all streams in one commit.
 *
 * @param identity what the run's number is filed under
 * @param number the number that the rows shall know; in a move forward greater than every number
 *     that the store has seen of this load; in a move anywhere the target's own number, which the
 *     store may have seen, and zero if the target knows of no run
 * @param direction which way the watermark may move
 * @param moves one move per stream of the load
 */
public record Advance(
    LoadIdentity identity, long number, Direction direction, List<StreamMove> moves) {
  /** Copies and checks the moves. */
  public Advance {
    moves = List.copyOf(moves);

    if (number < (direction == Direction.FORWARD ? 1 : 0)) {
      throw new IllegalArgumentException(
          "Cannot advance load '"
              + identity.load()
              + "' with number "
              + number
              + ": numbers start at 1.");
    }

    if (direction == Direction.FORWARD) {
      for (StreamMove move : moves) {
        if (move.expected().value().isAfter(move.to())) {
          throw new IllegalArgumentException(
              "Cannot advance load '"
                  + identity.load()
                  + "' from "
                  + move.expected().value()
                  + " to "
                  + move.to()
                  + ": a watermark never moves back.");
        }
      }
    }
  }

  /** Returns the load whose watermark moves. */
  public LoadName load() {
    return identity.load();
  }
}
