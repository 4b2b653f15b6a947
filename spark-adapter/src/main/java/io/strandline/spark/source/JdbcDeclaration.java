package io.strandline.spark.source;

import io.strandline.source.Cursor;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * What is declared of a source in a database.
 *
 * @param origin where the rows are
 * @param cursor what tells new ones
 * @param waiting what they wait for
 * @param reader how they are read
 */
record JdbcDeclaration(Origin origin, Cursor cursor, Waiting waiting, Reader reader) {

  JdbcDeclaration waiting(Waiting newWaiting) {
    return new JdbcDeclaration(origin, cursor, newWaiting, reader);
  }

  JdbcDeclaration reading(Reader newReader) {
    return new JdbcDeclaration(origin, cursor, waiting, newReader);
  }

  /** Returns what is done, as it follows "Cannot". */
  String task() {
    return CursorPlanner.task(origin.name, cursor);
  }

  /** Returns the statement that each session begins with; empty if there is none. */
  String sessionStart() {
    return origin.dialect.sessionStart(Optional.ofNullable(reader.isolation));
  }

  /** Returns what Spark's JDBC source is told, besides how to log in. */
  Map<String, String> readerOptions() {
    Map<String, String> options = new HashMap<>();
    options.put("fetchsize", Integer.toString(reader.fetchSize));
    options.put("preferTimestampNTZ", "true");

    if (!sessionStart().isEmpty()) {
      options.put("sessionInitStatement", sessionStart());
    }

    return options;
  }

  /**
   * Where the rows are.
   *
   * @param spark the session that reads
   * @param database the database
   * @param dialect its SQL
   * @param name the name of the source, for messages
   * @param from what stands behind FROM
   */
  record Origin(
      SparkSession spark, JdbcDatabase database, SqlDialect dialect, String name, String from) {}

  /** Whether the database is asked which transactions are open. */
  enum OpenTransactions {
    NOT_ASKED,
    ASKED
  }

  /**
   * What rows wait for.
   *
   * @param transactions whether the database is asked which transactions are open
   * @param column the settle column; null if none is named
   * @param clock the clock; null for the database's own
   */
  record Waiting(OpenTransactions transactions, @Nullable String column, @Nullable Clock clock) {}

  /**
   * How rows are read.
   *
   * @param parts with how many tasks
   * @param fetchSize how many rows the driver fetches at once
   * @param isolation how far from other transactions; null as the database does
   */
  record Reader(int parts, int fetchSize, @Nullable JdbcIsolation isolation) {}
}
