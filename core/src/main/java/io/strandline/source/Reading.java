package io.strandline.source;

import java.util.List;
import java.util.function.Supplier;

/**
 * The rows of one range, perhaps not computed yet.
 *
 * @param rows the rows to clean
 * @param rejected rows that cannot be used because of their watermark column, each with the column
 *     {@link io.strandline.source.Reading#REASON_COLUMN}; usually empty
 * @param counts what was read; asked for only after the rows were merged or staged, so that
 *     counting needs no pass of its own
 * @param <D> how the engine holds rows
 */
public record Reading<D>(D rows, List<D> rejected, Supplier<ReadCounts> counts) {
  /**
   * The name of the column, text, in which rejected rows say why they were rejected. It is added to
   * the columns of the row as it came.
   */
  public static final String REASON_COLUMN = "_strandline_reason";

  /** Copies the rejected rows' list. */
  public Reading {
    rejected = List.copyOf(rejected);
  }
}
