package io.strandline.clean;

import java.util.List;
import java.util.stream.Stream;

/**
 * Rows after cleaning.
 *
 * <p>A cleaner that knows more of a row says it in reserved columns, which the target looks at and
 * does not store: {@link #RAW_COLUMN} and {@link #WARNED_COLUMN} among the accepted rows, {@link
 * #FAILED_COLUMN} among the rejected ones. None of them is needed.
 *
 * @param accepted the rows that the target shall take
 * @param rejected the rows that cannot be used, as they came, each with its reason in the column
 *     {@code _strandline_reason}; empty if all rows can be used
 * @param <D> how the engine holds rows
 */
public record Cleaned<D>(D accepted, List<D> rejected) {
  /**
   * The column, a structure, in which an accepted row carries the row as it came, so that a target
   * which rejects it, as for want of a key, can still put that into the quarantine.
   */
  public static final String RAW_COLUMN = "_strandline_raw";

  /**
   * The column, a structure, which has a boolean for each check of severity {@link Severity#WARN},
   * by the name of its message: true if an accepted row does not pass it.
   */
  public static final String WARNED_COLUMN = "_strandline_warned";

  /**
   * The column, a structure, which has a boolean for each check of severity {@link Severity#FAIL},
   * by the name of its message: true if a rejected row does not pass it.
   */
  public static final String FAILED_COLUMN = "_strandline_failed";

  /** Copies the list. */
  public Cleaned {
    rejected = List.copyOf(rejected);
  }

  /**
   * Makes the result of a cleaner that rejects nothing.
   *
   * @param rows the cleaned rows
   * @param <D> how the engine holds rows
   * @return the result
   */
  public static <D> Cleaned<D> accepting(D rows) {
    return new Cleaned<>(rows, List.of());
  }

  /**
   * Adds rows that were rejected elsewhere.
   *
   * @param more the rows, with their reasons
   * @return the result with those rows
   */
  public Cleaned<D> rejecting(List<D> more) {
    return new Cleaned<>(accepted, Stream.concat(rejected.stream(), more.stream()).toList());
  }
}
