package io.strandline.spark.target;

import static org.apache.spark.sql.functions.broadcast;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.when;

import io.strandline.spark.internal.Columns;
import io.strandline.spark.target.MergeColumns.Removal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Observation;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.FutureConverters;

/** What would become of the newest row of every key, given what a table holds. */
final class Fates {
  private static final String ROWS = "_strandline_rows";
  private static final String STORED = "_strandline_stored_";
  private static final String IS_STORED = "_strandline_is_stored";
  private static final String GRAVES = "_strandline_graves";
  private static final String MAY_INSERT = "_strandline_may_insert";
  private static final String MAY_UPDATE = "_strandline_may_update";
  private static final String FATE = "_strandline_fate";

  private static final String INSERT = "insert";
  private static final String UPDATE = "update";
  private static final String DELETE = "delete";
  private static final String UNCHANGED = "unchanged";
  private static final String STALE = "stale";

  /** Up to so many keys are sent to every reader of the table, so that it passes no others on. */
  private static final long KEYS_TO_BROADCAST = 100_000;

  /** How long Spark may take to hand over what it has counted already. */
  private static final long SECONDS_FOR_COUNTS = 10;

  private final Dataset<Row> rows;

  /** The rows that are older than the tombstone of their key; null if there are no tombstones. */
  private final @Nullable Dataset<Row> buried;

  private Fates(Dataset<Row> rows, @Nullable Dataset<Row> buried) {
    this.rows = rows;
    this.buried = buried;
  }

  /** How many rows have which fate. */
  record Counted(long inserted, long updated, long deleted, long unchanged, long stale) {}

  /**
   * Looks the keys of rows up in a table, when it is executed.
   *
   * <p>The result belongs to the table's session, so that what is observed in it is told to that
   * session, which is the one that MERGE runs in.
   *
   * @param clauses which rows are inserted and updated, and in what columns
   * @param reach where the keys lie in the table
   * @param tombstones what remains of deleted rows; empty if nothing does
   */
  static Fates of(
      MergeColumns columns,
      MergeClauses.Resolved clauses,
      KeyMatch keys,
      KeyReach reach,
      FrozenRows rows,
      Dataset<Row> table,
      Optional<Dataset<Row>> tombstones) {
    Function<String, Column> stored = name -> Columns.col(STORED + name);
    Function<String, Column> row = name -> Columns.col(ROWS, name);
    Dataset<Row> chosen =
        rows.chosen()
            .withColumn(MAY_INSERT, clauses.insert().orElse(lit(true)))
            .withColumn(MAY_UPDATE, clauses.update().orElse(lit(true)));
    Dataset<Row> buried = null;

    if (tombstones.isPresent()) {
      Dataset<Row> graves = tombstones.get().filter(rows.bounds(keys, Columns::col)).as(GRAVES);
      Function<String, Column> grave = name -> Columns.col(GRAVES, name);
      Column isBuried =
          keys.matches(row, grave).and(not(columns.isDelete(row))).and(columns.isOlder(row, grave));
      buried = chosen.as(ROWS).join(graves, isBuried, "left_semi");
      chosen = chosen.as(ROWS).join(graves, isBuried, "left_anti");
    }

    Dataset<Row> candidates =
        columns
            .in(table.filter(reach.holds(Columns::col)))
            .select(
                Stream.concat(
                        columns.names().stream().map(name -> Columns.col(name).as(STORED + name)),
                        Stream.of(lit(true).as(IS_STORED)))
                    .toArray(Column[]::new));

    if (rows.winners() <= KEYS_TO_BROADCAST) {
      Column[] keyColumns = columns.keys().stream().map(Columns::col).toArray(Column[]::new);
      candidates =
          candidates.join(
              broadcast(chosen.select(keyColumns)).as(ROWS),
              keys.matches(row, stored),
              "left_semi");
    }

    Function<String, Column> brought = filled(columns, clauses, rows, row, stored);
    Function<String, Column> filled =
        name -> columns.kept(name, brought.apply(name), stored.apply(name));
    List<Column> result = new ArrayList<>();
    columns.names().forEach(name -> result.add(filled.apply(name).as(name)));
    result.add(columns.isDelete(row).as(Deletion.MARK));
    result.add(fate(columns, row, filled, stored).as(FATE));
    return new Fates(
        candidates
            .join(chosen.as(ROWS), keys.matches(row, stored), "right_outer")
            .select(result.toArray(new Column[0])),
        buried);
  }

  /** Returns the row as it is stored if it changes something. */
  private static Function<String, Column> filled(
      MergeColumns columns,
      MergeClauses.Resolved clauses,
      FrozenRows rows,
      Function<String, Column> row,
      Function<String, Column> stored) {
    List<String> data = columns.data();
    Column isStored = Columns.col(IS_STORED).isNotNull();
    Function<String, Column> whole =
        clauses.keepsWhereNull()
            ? name ->
                data.contains(name)
                    ? Patches.patched(name, columns, row, isStored, stored)
                    : row.apply(name)
            : filledIfBare(columns, rows, row, stored);
    return name ->
        data.contains(name) && clauses.isLeft(name)
            ? when(isStored, stored.apply(name)).otherwise(whole.apply(name))
            : whole.apply(name);
  }

  /** A bare delete leaves the stored row's columns, unless the range has a newer version. */
  private static Function<String, Column> filledIfBare(
      MergeColumns columns,
      FrozenRows rows,
      Function<String, Column> row,
      Function<String, Column> stored) {
    if (columns.removal() != Removal.SOFT) {
      return row;
    }

    Function<String, Column> filler = name -> row.apply(FrozenRows.FILLER).getField(name);
    Column isFilled = Columns.col(IS_STORED).isNull().or(not(columns.isOlder(filler, stored)));
    return name -> rows.filled(name, row, isFilled, stored.apply(name));
  }

  private static Column fate(
      MergeColumns columns,
      Function<String, Column> row,
      Function<String, Column> filled,
      Function<String, Column> stored) {
    Column isNew = Columns.col(IS_STORED).isNull();
    Column isOlder = columns.isOlder(row, stored);
    Column isEqual = columns.isEqual(filled, stored);
    Column isDelete = columns.isDelete(row);
    Column inserts = when(row.apply(MAY_INSERT), INSERT).otherwise(UNCHANGED);
    Column isLeft = isEqual.or(not(row.apply(MAY_UPDATE)));

    return switch (columns.removal()) {
      case NONE ->
          when(isNew, inserts).when(isOlder, STALE).when(isLeft, UNCHANGED).otherwise(UPDATE);
      case HARD ->
          when(isNew, when(isDelete, UNCHANGED).otherwise(inserts))
              .when(isOlder, STALE)
              .when(isDelete, DELETE)
              .when(isLeft, UNCHANGED)
              .otherwise(UPDATE);
      case SOFT ->
          when(isNew, inserts)
              .when(isOlder, STALE)
              .when(isEqual, UNCHANGED)
              .when(isDelete, DELETE)
              .when(isLeft, UNCHANGED)
              .otherwise(UPDATE);
    };
  }

  /** Counts the fates, now. */
  Counted counted() {
    Row counts =
        rows.agg(
                countOf(INSERT),
                countOf(UPDATE),
                countOf(DELETE),
                countOf(UNCHANGED),
                countOf(STALE))
            .head();
    return new Counted(
        counts.getLong(0),
        counts.getLong(1),
        counts.getLong(2),
        counts.getLong(3),
        counts.getLong(4) + buriedRows());
  }

  private long buriedRows() {
    return buried == null ? 0 : buried.count();
  }

  /** Prepares the rows that change something, with an eye on those that do not. */
  Observed observed() {
    Observation observation = new Observation();
    return new Observed(
        rows.observe(observation, countOf(STALE).as(STALE), countOf(DELETE).as(DELETE))
            .filter(col(FATE).isin(INSERT, UPDATE, DELETE))
            .drop(FATE),
        observation,
        this::buriedRows);
  }

  private static Column countOf(String fate) {
    return count(when(col(FATE).equalTo(fate), 1));
  }

  /** What was seen of rows on their way into the table. */
  record Seen(long stale, long deleted) {}

  /** The rows that change something, and what is seen of the others when they are computed. */
  record Observed(Dataset<Row> changes, Observation observation, LongSupplier buried) {

    /**
     * Returns how many rows were older than what the table held, and how many were deletes that
     * changed something.
     *
     * <p>Spark tells soon after the rows were computed. It is not waited for without end, since an
     * observation that an optimizer has dropped is never told.
     *
     * @return the counts; empty if they were not told
     */
    Optional<Seen> seen() {
      try {
        Row seen =
            FutureConverters.asJava(observation.future())
                .toCompletableFuture()
                .get(SECONDS_FOR_COUNTS, TimeUnit.SECONDS);
        return seen.length() == 2
            ? Optional.of(new Seen(seen.getLong(0) + buried.getAsLong(), seen.getLong(1)))
            : Optional.empty();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      } catch (ExecutionException | TimeoutException e) {
        return Optional.empty();
      }
    }
  }
}
