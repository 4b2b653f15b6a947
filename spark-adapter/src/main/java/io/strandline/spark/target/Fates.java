package io.strandline.spark.target;

import static org.apache.spark.sql.functions.broadcast;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.when;

import io.strandline.spark.internal.Columns;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Observation;
import org.apache.spark.sql.Row;
import scala.jdk.javaapi.FutureConverters;

/** What would become of the newest row of every key, given what a table holds. */
final class Fates {
  private static final String ROWS = "_strandline_rows";
  private static final String STORED = "_strandline_stored_";
  private static final String IS_STORED = "_strandline_is_stored";
  private static final String FATE = "_strandline_fate";

  private static final String INSERT = "insert";
  private static final String UPDATE = "update";
  private static final String UNCHANGED = "unchanged";
  private static final String STALE = "stale";

  /** Up to so many keys are sent to every reader of the table, so that it passes no others on. */
  private static final long KEYS_TO_BROADCAST = 100_000;

  /** How long Spark may take to hand over what it has counted already. */
  private static final long SECONDS_FOR_COUNTS = 10;

  private final MergeColumns columns;
  private final Dataset<Row> rows;

  private Fates(MergeColumns columns, Dataset<Row> rows) {
    this.columns = columns;
    this.rows = rows;
  }

  /** How many rows have which fate. */
  record Counted(long inserted, long updated, long unchanged, long stale) {}

  /**
   * Looks the keys of rows up in a table, when it is executed.
   *
   * <p>The result belongs to the table's session, so that what is observed in it is told to that
   * session, which is the one that MERGE runs in.
   */
  static Fates of(MergeColumns columns, KeyMatch keys, FrozenRows rows, Dataset<Row> table) {
    Function<String, Column> stored = name -> Columns.col(STORED + name);
    Function<String, Column> row = name -> Columns.col(ROWS, name);
    Dataset<Row> candidates =
        table
            .filter(rows.bounds(keys, Columns::col))
            .select(
                Stream.concat(
                        columns.names().stream().map(name -> Columns.col(name).as(STORED + name)),
                        Stream.of(lit(true).as(IS_STORED)))
                    .toArray(Column[]::new));

    if (rows.winners() <= KEYS_TO_BROADCAST) {
      Column[] keyColumns = columns.keys().stream().map(Columns::col).toArray(Column[]::new);
      candidates =
          candidates.join(
              broadcast(rows.chosen().select(keyColumns)).as(ROWS),
              keys.matches(row, stored),
              "left_semi");
    }

    Column fate =
        when(Columns.col(IS_STORED).isNull(), INSERT)
            .when(columns.isOlder(row, stored), STALE)
            .when(columns.isEqual(row, stored), UNCHANGED)
            .otherwise(UPDATE);
    return new Fates(
        columns,
        candidates
            .join(rows.chosen().as(ROWS), keys.matches(row, stored), "right_outer")
            .select(
                Stream.concat(columns.names().stream().map(row), Stream.of(fate.as(FATE)))
                    .toArray(Column[]::new)));
  }

  /** Counts the fates, now. */
  Counted counted() {
    Row counts =
        rows.agg(countOf(INSERT), countOf(UPDATE), countOf(UNCHANGED), countOf(STALE)).head();
    return new Counted(counts.getLong(0), counts.getLong(1), counts.getLong(2), counts.getLong(3));
  }

  /** Prepares the rows that change something, with an eye on those that do not. */
  Observed observed() {
    Observation observation = new Observation();
    Column[] names = columns.names().stream().map(Columns::col).toArray(Column[]::new);
    return new Observed(
        rows.observe(observation, countOf(STALE).as(STALE))
            .filter(col(FATE).isin(INSERT, UPDATE))
            .select(names),
        observation);
  }

  private static Column countOf(String fate) {
    return count(when(col(FATE).equalTo(fate), 1));
  }

  /** The rows that change something, and what is seen of the others when they are computed. */
  record Observed(Dataset<Row> changes, Observation observation) {

    /**
     * Returns how many rows were older than what the table held.
     *
     * <p>Spark tells soon after the rows were computed. It is not waited for without end, since an
     * observation that an optimizer has dropped is never told.
     *
     * @return the count; empty if it was not told
     */
    Optional<Long> stale() {
      try {
        Row seen =
            FutureConverters.asJava(observation.future())
                .toCompletableFuture()
                .get(SECONDS_FOR_COUNTS, TimeUnit.SECONDS);
        return seen.length() == 1 ? Optional.of(seen.getLong(0)) : Optional.empty();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      } catch (ExecutionException | TimeoutException e) {
        return Optional.empty();
      }
    }
  }
}
