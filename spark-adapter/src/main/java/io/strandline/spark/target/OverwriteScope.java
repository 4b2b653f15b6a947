package io.strandline.spark.target;

/** Which rows of a table the rows of a run are put in the place of. */
sealed interface OverwriteScope {

  /** All of them. */
  record Whole() implements OverwriteScope {
    @Override
    public String toString() {
      return "the whole table is overwritten";
    }
  }

  /**
   * Those whose value in a column lies in the range of the run.
   *
   * @param column the column
   */
  record RangeOf(String column) implements OverwriteScope {
    @Override
    public String toString() {
      return "the range of " + column + " is overwritten";
    }
  }

  /** Those of the partitions that the rows lie in. */
  record Partitions() implements OverwriteScope {
    @Override
    public String toString() {
      return "partitions are overwritten";
    }
  }

  /**
   * Those that fulfill a condition.
   *
   * @param sql the condition, in SQL
   */
  record Condition(String sql) implements OverwriteScope {
    @Override
    public String toString() {
      return "rows with " + sql + " are overwritten";
    }
  }
}
