package io.strandline.spark.source;

/** How much a query of a database sees of what other transactions do meanwhile. */
public enum JdbcIsolation {
  /** Each query sees what was committed when it began. */
  READ_COMMITTED,
  /** A transaction sees the rows that it has read once more as they were. */
  REPEATABLE_READ,
  /** A transaction sees what was committed when it began; on SQL Server, where it is allowed. */
  SNAPSHOT,
  /** A transaction sees the database as if it were alone. */
  SERIALIZABLE;

  /** Returns the words of the SQL standard, as {@code REPEATABLE READ}. */
  String sql() {
    return name().replace('_', ' ');
  }
}
