package io.strandline.source;

import io.strandline.watermark.Watermark;

/**
 * What a source counted while it read a range.
 *
 * @param rows how many rows were read, the rejected ones included
 * @param late how many of them lie below the stored watermark, which a lookback reaches; those that
 *     an earlier run has read are among them
 * @param earliest the lowest watermark among the late rows; {@link Watermark#start()} if there were
 *     none
 */
public record ReadCounts(long rows, long late, Watermark earliest) {
  /**
   * Makes the counts of a range without late rows.
   *
   * @param rows how many rows were read
   * @return the counts
   */
  public static ReadCounts of(long rows) {
    return new ReadCounts(rows, 0, Watermark.start());
  }
}
