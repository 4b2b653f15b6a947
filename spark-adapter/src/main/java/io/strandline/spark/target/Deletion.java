package io.strandline.spark.target;

/** Which of the cleaned rows are deletes. */
final class Deletion {
  /** The column that marks a delete on its way into a table. */
  static final String MARK = "_strandline_deleted";

  private Deletion() {}
}
