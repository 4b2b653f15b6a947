package io.strandline.spark.target;

/** What becomes of rows without a key. */
enum NullKeys {
  REJECTED,
  MATCHED
}
