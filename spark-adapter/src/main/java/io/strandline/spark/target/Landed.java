package io.strandline.spark.target;

import java.time.Instant;

/**
 * What became of a landing.
 *
 * @param outcome whether this call landed the rows
 * @param loadedAt the time that the landing's rows are stamped with
 * @param rows how many rows this call landed; zero if they were there already
 */
public record Landed(Outcome outcome, Instant loadedAt, long rows) {
  /** Whether a call landed its rows. */
  public enum Outcome {
    /** It did. */
    LANDED,
    /** A landing of the same name had landed before. */
    THERE_ALREADY
  }

  /** Tells whether this call landed the rows. */
  public boolean isNew() {
    return outcome == Outcome.LANDED;
  }
}
