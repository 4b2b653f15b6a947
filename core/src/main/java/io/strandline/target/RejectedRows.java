package io.strandline.target;

import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamRange;
import java.util.List;

/**
 * The rejected rows of one run.
 *
 * @param load the load
 * @param number the number of the run that will have committed, if it does
 * @param source the name of the source
 * @param ranges what the run read
 * @param rows the rows as they came, each with its reason in the column {@code _strandline_reason}
 * @param <D> how the engine holds rows
 */
public record RejectedRows<D>(
    LoadName load, long number, String source, List<StreamRange> ranges, List<D> rows) {
  /** Copies the lists. */
  public RejectedRows {
    ranges = List.copyOf(ranges);
    rows = List.copyOf(rows);
  }
}
