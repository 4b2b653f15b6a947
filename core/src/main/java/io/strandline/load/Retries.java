package io.strandline.load;

import java.time.Duration;

/**
 * How often a run begins again from the stored watermark after another writer interfered with its
 * merge.
 *
 * <p>Only conflicts that left nothing written are tried again; a run of the same load, a wrong
 * declaration or a broken source is not. Each try is an attempt of its own, with its own row in the
 * load log.
 *
 * @param atMost how many further attempts a run makes, zero or more
 * @param firstDelay how long it waits before the first of them; positive; it doubles each time, up
 *     to ten times as long, and varies by a quarter so that two runs do not meet again
 */
public record Retries(int atMost, Duration firstDelay) {
  private static final int USUAL_RETRIES = 4;
  private static final Duration USUAL_DELAY = Duration.ofMillis(500);

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if the number is negative or the delay not positive
   */
  public Retries {
    if (atMost < 0) {
      throw new IllegalArgumentException("Cannot retry " + atMost + " times: at least 0.");
    }

    if (firstDelay.isNegative() || firstDelay.isZero()) {
      throw new IllegalArgumentException("Cannot wait " + firstDelay + ": it must be positive.");
    }
  }

  /** Returns the default: four further attempts, the first after half a second. */
  public static Retries usual() {
    return new Retries(USUAL_RETRIES, USUAL_DELAY);
  }

  /** Returns the policy of a run that is tried once. */
  public static Retries none() {
    return new Retries(0, USUAL_DELAY);
  }
}
