package io.strandline.clean;

import java.util.List;
import java.util.stream.Stream;

/**
 * Rows after cleaning.
 *
 * @param accepted the rows that the target shall take
 * @param rejected the rows that cannot be used, as they came, each with its reason in the column
 *     {@code _strandline_reason}; empty if all rows can be used
 * @param <D> how the engine holds rows
 */
public record Cleaned<D>(D accepted, List<D> rejected) {
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
