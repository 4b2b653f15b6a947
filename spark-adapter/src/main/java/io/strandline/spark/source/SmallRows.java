package io.strandline.spark.source;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Rows that are looked at several times. */
final class SmallRows {
  /**
   * Up to how many bytes of files are kept. A second look at the watermark columns alone costs less
   * than keeping large rows: Parquet holds columns apart.
   */
  private static final long MOST_BYTES = 64L << 20;

  private SmallRows() {}

  /**
   * Lets the executors keep rows that the first look at them computes, so that later ones need not
   * read them again, if they lie in few bytes.
   *
   * @param rows the rows, which must be pinned: of those that are not kept every look reads anew
   * @return the rows
   */
  static Dataset<Row> kept(Dataset<Row> rows) {
    // Planned once for this question and for the look: Delta has left out files by then.
    return ((org.apache.spark.sql.classic.Dataset<Row>) rows)
            .queryExecution()
            .optimizedPlan()
            .stats()
            .sizeInBytes()
            .$less$eq(scala.math.BigInt.apply(MOST_BYTES))
        ? rows.localCheckpoint(false)
        : rows;
  }
}
