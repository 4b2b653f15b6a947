package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;

import io.strandline.problem.Problem;
import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.source.SourcePlan;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Reads the rows of a table or query in a database that came after the stored watermark.
 *
 * <p>Planning asks the database, by one query over the watermark columns, how many rows there are
 * and where they end; then it reads the rows up to there, once, and keeps them on the executors.
 * The range ends at the largest value among the kept ones. So planning costs what reading costs,
 * except that where nothing is new no row is read and no Spark job runs. All conditions are
 * evaluated by the database, so an index whose first column is the first watermark column is what
 * makes a run cost what is new. Watermark values are written as literals of the column's own type.
 *
 * <h2>Rows that are not committed yet</h2>
 *
 * <p>A row gets its watermark value before it can be seen. So by default rows whose value is a time
 * wait until it lies five minutes back by the database's own clock; {@link Cursor#settledFor} says
 * another time, also none. {@link #belowOpenTransactions} waits for exactly the transactions that
 * are open, where the database tells. A number tells no time: name a {@linkplain #settledBy settle
 * column}, or give the cursor a lookback; else the plan carries a warning.
 *
 * <h2>Values</h2>
 *
 * <p>Times arrive unchanged, to the microsecond, whatever the zone of session and JVM, years long
 * gone included; those of finer columns are cut, and the next run begins with the same microsecond,
 * so that an exclusive bound is refused there. Text is compared by code points, which uses an index
 * only if the index is made that way. A value that is no time, such as infinity, fails the read.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * <pre>{@code
 * JdbcTableSource.forTable(
 *         spark,
 *         JdbcDatabase.at("jdbc:postgresql://db/shop").loggedInAs("loader", vault::password),
 *         "sales.transactions")
 *     .newerBy(Cursor.on("modified_at").atMost(1_000_000))
 *     .splitInto(8)
 * }</pre>
 */
public final class JdbcTableSource implements IncrementalSource<Dataset<Row>> {
  private static final int ROWS_PER_FETCH = 10_000;

  private final JdbcDeclaration declared;

  private JdbcTableSource(JdbcDeclaration declared) {
    this.declared = declared;
  }

  /**
   * Begins a source on a table or view.
   *
   * @param spark the session that reads
   * @param database where it is
   * @param table its name, parts with dots between, each plain or quoted as the database does
   * @return the next stage, which asks for the watermark columns
   * @throws IllegalArgumentException if it is no name
   * @throws Problem of kind {@code BAD_CONFIGURATION} if the database is of a make that is not
   *     known
   */
  public static Table forTable(SparkSession spark, JdbcDatabase database, String table) {
    SqlDialect dialect = SqlDialect.of("read " + table, database.url());
    return new Table(
        new JdbcDeclaration.Origin(
            requireNonNull(spark, "spark"),
            database,
            dialect,
            table,
            dialect.requireName(table) + " " + JdbcRows.ALIAS));
  }

  /**
   * Begins a source on a query.
   *
   * <p>The conditions stand around the query; whether they reach the tables inside is for the
   * database to know.
   *
   * @param spark the session that reads
   * @param database where it is run
   * @param name the name of the source for messages; no secrets
   * @param sqlQuery the query, without a semicolon or ORDER BY
   * @return the next stage, which asks for the watermark columns
   * @throws IllegalArgumentException if the name or the query is blank
   * @throws Problem of kind {@code BAD_CONFIGURATION} if the database is of a make that is not
   *     known
   */
  public static Table forQuery(
      SparkSession spark, JdbcDatabase database, String name, String sqlQuery) {
    if (name.isBlank() || sqlQuery.isBlank()) {
      throw new IllegalArgumentException(
          "Cannot name a query '" + name + "': no name or no query.");
    }

    return new Table(
        new JdbcDeclaration.Origin(
            requireNonNull(spark, "spark"),
            database,
            SqlDialect.of("read " + name, database.url()),
            name,
            "(" + sqlQuery + ") " + JdbcRows.ALIAS));
  }

  /**
   * Reads with several tasks, each of which takes a part of the range of the first watermark
   * column; one by default.
   *
   * <p>The parts are of the same width in values, not in rows. Each is a query and a connection of
   * its own. Text is not split.
   *
   * @param parts how many, positive
   * @return a source that reads so
   * @throws IllegalArgumentException if the number is not positive
   */
  public JdbcTableSource splitInto(int parts) {
    if (parts < 1) {
      throw new IllegalArgumentException("Cannot split into " + parts + " parts: at least 1.");
    }

    return new JdbcTableSource(
        declared.reading(
            new JdbcDeclaration.Reader(parts, reader().fetchSize(), reader().isolation())));
  }

  /**
   * Says how many rows a driver fetches at once; 10,000 by default.
   *
   * @param rows the number, positive
   * @return a source that reads so
   * @throws IllegalArgumentException if the number is not positive
   */
  public JdbcTableSource fetching(int rows) {
    if (rows < 1) {
      throw new IllegalArgumentException("Cannot fetch " + rows + " rows at once: at least 1.");
    }

    return new JdbcTableSource(
        declared.reading(new JdbcDeclaration.Reader(reader().parts(), rows, reader().isolation())));
  }

  /**
   * Says how far a query is isolated from other transactions; by default as the database does.
   *
   * @param isolation the level
   * @return a source that reads so
   * @throws IllegalArgumentException if the database has no such level
   */
  public JdbcTableSource isolatedAt(JdbcIsolation isolation) {
    declared.origin().dialect().sessionStart(Optional.of(isolation));
    return new JdbcTableSource(
        declared.reading(
            new JdbcDeclaration.Reader(reader().parts(), reader().fetchSize(), isolation)));
  }

  private JdbcDeclaration.Reader reader() {
    return declared.reader();
  }

  /**
   * Takes only rows below all that a transaction which is still open can commit, instead of rows
   * that have existed for a time.
   *
   * <p>PostgreSQL, MariaDB and MySQL tell since when transactions have been open, if the user may
   * see those of others; values must be written by the clock of the database, in the transaction
   * that writes the row. SQL Server tells it of row versions. Where it cannot be told the settle
   * time holds, and the plan carries a warning.
   *
   * @return a source that waits so
   */
  public JdbcTableSource belowOpenTransactions() {
    return new JdbcTableSource(
        declared.waiting(
            new JdbcDeclaration.Waiting(
                JdbcDeclaration.OpenTransactions.ASKED, waiting().column(), waiting().clock())));
  }

  /**
   * Names a column that says when a row was written, where the watermark column does not.
   *
   * <p>A run ends below the first value of a row that has not existed for the settle time, which is
   * five minutes if the cursor names none. A row without a value there has settled.
   *
   * @param column the column
   * @return a source that waits so
   */
  public JdbcTableSource settledBy(String column) {
    return new JdbcTableSource(
        declared.waiting(
            new JdbcDeclaration.Waiting(
                waiting().transactions(), requireNonNull(column, "column"), waiting().clock())));
  }

  /**
   * Names the clock that settle time and the cap of future values go by; by default the database's
   * own.
   *
   * <p>No watermark ever comes from it.
   *
   * @param newClock the clock
   * @return a source with that clock
   */
  public JdbcTableSource timedBy(Clock newClock) {
    return new JdbcTableSource(
        declared.waiting(
            new JdbcDeclaration.Waiting(
                waiting().transactions(), waiting().column(), requireNonNull(newClock, "clock"))));
  }

  private JdbcDeclaration.Waiting waiting() {
    return declared.waiting();
  }

  @Override
  public String name() {
    return declared.origin().name();
  }

  @Override
  public Set<StreamName> streams() {
    return Set.of(StreamName.only());
  }

  @Override
  public List<String> watermarkColumns() {
    if (declared.cursor().isExpression()) {
      return List.of();
    }

    try (JdbcVisit visit = JdbcVisit.of(declared)) {
      return visit.watermarkColumns();
    }
  }

  @Override
  public String declaration() {
    return "newer by " + declared.cursor();
  }

  @Override
  public SourcePlan<Dataset<Row>> plan(StoredWatermarks stored) {
    try (JdbcVisit visit = JdbcVisit.of(declared)) {
      return visit.plan(stored.value(StreamName.only()));
    }
  }

  @Override
  public SourcePlan<Dataset<Row>> planBackfill(StreamName stream, WatermarkRange range) {
    try (JdbcVisit visit = JdbcVisit.of(declared)) {
      return visit.planBackfill(range);
    }
  }

  /** Only the columns that somebody uses are asked for, such as the keys for a sweep. */
  @Override
  public Dataset<Row> readAll() {
    try (JdbcVisit visit = JdbcVisit.of(declared)) {
      return visit.readAll();
    }
  }

  /** Returns the table and what it is newer by. */
  @Override
  public String toString() {
    return name() + " " + declaration();
  }

  /** A table or query of which it is not said yet what tells new rows. */
  public static final class Table {
    private final JdbcDeclaration.Origin origin;

    private Table(JdbcDeclaration.Origin origin) {
      this.origin = origin;
    }

    /**
     * Tells new rows by one column, or by several compared left to right.
     *
     * @param column the first column
     * @param more further columns
     * @return the source
     * @throws IllegalArgumentException if a name is blank or stands twice
     */
    public JdbcTableSource newerBy(String column, String... more) {
      return newerBy(Cursor.on(column, more));
    }

    /**
     * Tells new rows by a cursor, which may have options.
     *
     * @param cursor the cursor; an expression is one in the database's SQL
     * @return the source
     */
    public JdbcTableSource newerBy(Cursor cursor) {
      return new JdbcTableSource(
          new JdbcDeclaration(
              origin,
              requireNonNull(cursor, "cursor"),
              new JdbcDeclaration.Waiting(JdbcDeclaration.OpenTransactions.NOT_ASKED, null, null),
              new JdbcDeclaration.Reader(1, ROWS_PER_FETCH, null)));
    }
  }
}
