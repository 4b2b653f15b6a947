package io.strandline.spark.source;

/** How rows stand in files. */
enum FileFormat {
  /** Fields with separators, a line per row; a quoted field may go over several lines. */
  CSV,
  /** A JSON object per line. */
  JSON,
  /** Columns, as Spark writes them. */
  PARQUET
}
