package io.strandline.spark.source;

import java.util.Optional;
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
   * read them again.
   *
   * @param rows the rows
   * @return the rows; empty if they lie in too many bytes
   */
  static Optional<Dataset<Row>> kept(Dataset<Row> rows) {
    // Planned once for this question and for the look: Delta has left out files by then.
    return ((org.apache.spark.sql.classic.Dataset<Row>) rows)
            .queryExecution()
            .optimizedPlan()
            .stats()
            .sizeInBytes()
            .$less$eq(scala.math.BigInt.apply(MOST_BYTES))
        ? Optional.of(rows.localCheckpoint(false))
        : Optional.empty();
  }
}
