package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;

import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.source.Rereads;
import io.strandline.source.SourcePlan;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Reads the rows of any query that Spark can run, such as a view or an Iceberg table, that came
 * after the stored watermark.
 *
 * <p>Such rows cannot be pinned: each time Spark computes them it may find others. So planning
 * reads the rows of the range once and keeps them on the executors, and the range ends at the
 * largest value among the kept ones. Planning therefore costs what reading costs, also where only
 * the plan is wanted.
 *
 * <p>Whether rows appear later that lie below the largest value is for the query to know. Where
 * writers commit out of order, give the cursor a settle time or a lookback; by default there is
 * none.
 *
 * <p>Immutable and safe for use by several threads, if the query is.
 *
 * <pre>{@code
 * QuerySource.named("open_orders", () -> spark.table("open_orders"))
 *     .newerBy(Cursor.expression("coalesce(modified, created)"))
 * }</pre>
 */
public final class QuerySource implements IncrementalSource<Dataset<Row>> {
  private final Query query;
  private final Cursor cursor;
  private final Clock clock;

  private QuerySource(Query query, Cursor cursor, Clock clock) {
    this.query = query;
    this.cursor = cursor;
    this.clock = clock;
  }

  /**
   * Begins a source on a query.
   *
   * @param name the name of the source for messages; no secrets
   * @param rows makes the query; called for every plan
   * @return the next stage, which asks for the watermark columns
   * @throws IllegalArgumentException if the name is blank
   */
  public static Query named(String name, Supplier<Dataset<Row>> rows) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("Cannot name a source '" + name + "': no name.");
    }

    return new Query(name, requireNonNull(rows, "rows"));
  }

  /**
   * Names the clock of the source, which settle time and the cap of future values go by; by default
   * the system's.
   *
   * <p>No watermark ever comes from it.
   *
   * @param newClock the clock
   * @return a source with that clock
   */
  public QuerySource timedBy(Clock newClock) {
    return new QuerySource(query, cursor, requireNonNull(newClock, "clock"));
  }

  @Override
  public String name() {
    return query.name;
  }

  @Override
  public Set<StreamName> streams() {
    return Set.of(StreamName.only());
  }

  @Override
  public List<String> watermarkColumns() {
    if (cursor.isExpression()) {
      return List.of();
    }

    Dataset<Row> rows = query.rows.get();
    return CursorColumns.spelled(cursor, rows.schema(), rows.sparkSession());
  }

  @Override
  public Rereads rereads() {
    return cursor.rereads();
  }

  @Override
  public String declaration() {
    return "newer by " + cursor;
  }

  @Override
  public SourcePlan<Dataset<Row>> plan(StoredWatermarks stored) {
    Watermark watermark = stored.value(StreamName.only());
    // One moment for both looks, so that what settles meanwhile does not count.
    Clock now = Clock.fixed(clock.instant(), clock.getZone());
    CursorPlanner.Reach reach = planner(query.rows.get(), now).reach(watermark);
    SourcePlan<Dataset<Row>> plan =
        planner(reach.rows().localCheckpoint(true), now).plan(watermark);
    return reach.remainder() == Remainder.WAITING
            && plan instanceof SourcePlan.Planned<Dataset<Row>> planned
        ? new SourcePlan.Planned<>(
            planned.ranges(),
            planned.snapshots(),
            Remainder.WAITING,
            planned.waiting(),
            planned.explanation()
                + " The limit of "
                + cursor.rowLimit()
                + " leaves rows to later runs.",
            planned.reader())
        : plan;
  }

  @Override
  public SourcePlan<Dataset<Row>> planBackfill(StreamName stream, WatermarkRange range) {
    Dataset<Row> reach = planner(query.rows.get(), clock).reach(range);
    return planner(reach.localCheckpoint(true), clock).planBackfill(range);
  }

  @Override
  public Dataset<Row> readAll() {
    return query.rows.get();
  }

  private CursorPlanner planner(Dataset<Row> rows, Clock now) {
    return new CursorPlanner(
        CursorPlanner.task(query.name, cursor),
        query.name,
        cursor,
        Duration.ZERO,
        now,
        TableSnapshot.unknown(),
        rows);
  }

  /** Returns the name and what it is newer by. */
  @Override
  public String toString() {
    return query.name + " " + declaration();
  }

  /** A query of which it is not said yet what tells new rows. */
  public static final class Query {
    private final String name;
    private final Supplier<Dataset<Row>> rows;

    private Query(String name, Supplier<Dataset<Row>> rows) {
      this.name = name;
      this.rows = rows;
    }

    /**
     * Tells new rows by one column, or by several compared left to right.
     *
     * @param column the first column
     * @param more further columns
     * @return the source
     * @throws IllegalArgumentException if a name is blank or stands twice
     */
    public QuerySource newerBy(String column, String... more) {
      return newerBy(Cursor.on(column, more));
    }

    /**
     * Tells new rows by a cursor, which may have options.
     *
     * @param cursor the cursor
     * @return the source
     */
    public QuerySource newerBy(Cursor cursor) {
      return new QuerySource(this, requireNonNull(cursor, "cursor"), Clock.systemUTC());
    }
  }
}
