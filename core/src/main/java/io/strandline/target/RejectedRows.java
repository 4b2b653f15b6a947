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
 * @param rows the rows as they came, each with its reason in the column {@code _strandline_reason},
 *     and perhaps with {@link #ORIGIN_COLUMN}
 * @param <D> how the engine holds rows
 */
public record RejectedRows<D>(
    LoadName load, long number, String source, List<StreamRange> ranges, List<D> rows) {
  /**
   * The column, text, in which a rejected row says who rejected it, if that was no cleaner: {@link
   * #BY_SOURCE} or {@link #BY_TARGET}. It is no column of the row itself.
   */
  public static final String ORIGIN_COLUMN = "_strandline_rejected_by";

  /** The source rejected the row, so that no cleaner can mend it. */
  public static final String BY_SOURCE = "SOURCE";

  /** The target rejected the row, and it is the cleaned one, since nobody has kept the raw one. */
  public static final String BY_TARGET = "TARGET";

  /** Copies the lists. */
  public RejectedRows {
    ranges = List.copyOf(ranges);
    rows = List.copyOf(rows);
  }
}
