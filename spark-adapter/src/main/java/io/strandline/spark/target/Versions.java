package io.strandline.spark.target;

import static org.apache.spark.sql.functions.array_sort;
import static org.apache.spark.sql.functions.broadcast;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_list;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.explode;
import static org.apache.spark.sql.functions.lag;
import static org.apache.spark.sql.functions.last;
import static org.apache.spark.sql.functions.lead;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.max_by;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.row_number;
import static org.apache.spark.sql.functions.size;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;

import io.strandline.spark.internal.Columns;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.expressions.WindowSpec;
import scala.jdk.javaapi.FutureConverters;

/**
 * The versions of the keys of a range, recomputed from the stored versions and the events that have
 * come, when they are executed.
 *
 * <p>What is stored tells every event that ever came and counted: the row of a version is its last
 * event, those before it are kept beside it, an end without a successor is a delete, and deletes
 * that closed nothing are tombstones. Of each instant the newest event counts. One after the other
 * they then open, confirm and close versions, so neither the order of arrival nor the split into
 * runs shows in the result.
 */
final class Versions {
  /** What is to be done with a version: a column of {@link #changes}. */
  static final String ACTION = "_strandline_action";

  static final String INSERT = "insert";
  static final String UPDATE = "update";
  static final String DELETE = "delete";

  private static final String ROWS = "_strandline_rows";
  private static final String STORED = "_strandline_stored_";
  private static final String IS_STORED = "_strandline_is_stored";
  private static final String EVENT = "_strandline_event";
  private static final String MARK = Deletion.MARK;
  private static final String ORIGIN = "_strandline_origin";
  private static final String KNOWN = "_strandline_known";
  private static final String REPLACES = "_strandline_replaces";
  private static final String ENDS = "_strandline_ends";
  private static final String RANK = "_strandline_rank";
  private static final String TRACKED = "_strandline_tracked";
  private static final String SHOWN = "_strandline_shown";
  private static final String AFTER_ROW = "_strandline_after_row";
  private static final String OPENS = "_strandline_opens";
  private static final String FATE = "_strandline_fate";
  private static final String NEXT = "_strandline_next";
  private static final String LAST = "_strandline_last";
  private static final String VERSION = "_strandline_version";
  private static final String VALUE = "_strandline_value";
  private static final String ROW = "_strandline_row";

  private static final int COME = 0;
  private static final int KEPT = 1;
  private static final int IMPLIED = 2;

  private static final String INSERTED = "inserted";
  private static final String UPDATED = "updated";
  private static final String DELETED = "deleted";
  private static final String STALE = "stale";
  private static final String UNCHANGED = "unchanged";

  /** Up to so many keys are sent to every reader of the table, so that it passes no others on. */
  private static final long KEYS_TO_BROADCAST = 100_000;

  /** How long Spark may take to hand over what it has counted already. */
  private static final long SECONDS_FOR_COUNTS = 10;

  private final HistoryColumns columns;
  private final KeyMatch keys;
  private final Optional<Dataset<Row>> stored;
  private final Dataset<Row> events;

  /** How many events have which fate. */
  record Counted(long inserted, long updated, long deleted, long unchanged, long stale) {}

  private Versions(
      HistoryColumns columns, KeyMatch keys, Optional<Dataset<Row>> stored, Dataset<Row> events) {
    this.columns = columns;
    this.keys = keys;
    this.stored = stored;
    this.events = events;
  }

  /**
   * Prepares the versions of the keys of frozen rows.
   *
   * @param session the session that MERGE runs in, which is told what is observed
   * @param table what the table holds; empty if it holds nothing that counts
   * @param tombstones the deletes that are remembered; empty if none are
   */
  static Versions of(
      SparkSession session,
      HistoryColumns columns,
      KeyMatch keys,
      FrozenRows rows,
      Optional<Dataset<Row>> table,
      Optional<Dataset<Row>> tombstones) {
    Versions work =
        new Versions(
            columns,
            keys,
            table.map(held -> columns.versions().in(candidates(columns, keys, rows, held))),
            rows.chosen());
    List<Dataset<Row>> events = new ArrayList<>();
    work.stored.ifPresent(
        held -> {
          events.add(work.rowsOf(held));
          events.add(work.eventsOf(held));
          events.add(work.endsOf(held));
        });
    tombstones.ifPresent(buried -> events.add(work.deletesOf(ofKeys(columns, keys, rows, buried))));
    Dataset<Row> come = work.come(rows);
    // The session of a union is that of its first part.
    Dataset<Row> all =
        events.stream()
            .reduce(session.createDataFrame(List.of(), come.schema()), Dataset::unionByName)
            .unionByName(come);
    return new Versions(columns, keys, work.stored, work.fated(work.kept(all)));
  }

  private static Dataset<Row> candidates(
      HistoryColumns columns, KeyMatch keys, FrozenRows rows, Dataset<Row> table) {
    Dataset<Row> near = table.filter(rows.bounds(keys, Columns::col));
    return rows.winners() <= KEYS_TO_BROADCAST ? ofKeys(columns, keys, rows, near) : near;
  }

  private static Dataset<Row> ofKeys(
      HistoryColumns columns, KeyMatch keys, FrozenRows rows, Dataset<Row> some) {
    return some.as(STORED)
        .join(
            broadcast(rows.chosen().select(columns.keys()).distinct()).as(ROWS),
            keys.matches(name -> Columns.col(ROWS, name), name -> Columns.col(STORED, name)),
            "left_semi");
  }

  private Dataset<Row> come(FrozenRows rows) {
    Dataset<Row> chosen = rows.chosen();
    Column isDelete = columns.rows().isDelete(Columns::col);
    return select(
        chosen,
        name ->
            columns.isOfDeletes(name) ? Columns.col(name) : when(not(isDelete), Columns.col(name)),
        isDelete,
        COME);
  }

  /** The row of a version is its last event. */
  private Dataset<Row> rowsOf(Dataset<Row> held) {
    return select(
        held,
        name ->
            name.equals(columns.effective())
                ? coalesce(Columns.col(name), Columns.col(columns.names().from()))
                : Columns.col(name),
        lit(false),
        KEPT);
  }

  private Dataset<Row> eventsOf(Dataset<Row> held) {
    return select(
        held.filter(size(Columns.col(HistoryNames.EVENTS)).gt(0))
            .withColumn(EVENT, explode(Columns.col(HistoryNames.EVENTS))),
        name -> columns.carried().contains(name) ? col(EVENT).getField(name) : Columns.col(name),
        lit(false),
        KEPT);
  }

  /** The end of a version is a delete, unless another event is known of that instant. */
  private Dataset<Row> endsOf(Dataset<Row> held) {
    Column to = Columns.col(columns.names().to());
    return select(
        held.filter(to.isNotNull()),
        name ->
            name.equals(columns.effective())
                ? to
                : columns.rows().keys().contains(name) ? Columns.col(name) : lit(null),
        lit(true),
        IMPLIED);
  }

  private Dataset<Row> deletesOf(Dataset<Row> buried) {
    return select(
        buried, name -> columns.isOfDeletes(name) ? Columns.col(name) : lit(null), lit(true), KEPT);
  }

  private Dataset<Row> select(
      Dataset<Row> some, Function<String, Column> value, Column isDelete, int origin) {
    return some.select(
        Stream.concat(
                columns.rows().names().stream()
                    .map(name -> value.apply(name).cast(columns.rows().type(name)).as(name)),
                Stream.of(isDelete.as(MARK), lit(origin).as(ORIGIN)))
            .toArray(Column[]::new));
  }

  /**
   * Gives events what their rows had no values for: what the event before them has, or one that is
   * known of their own instant.
   */
  private Dataset<Row> kept(Dataset<Row> all) {
    Column hasValues = not(col(ORIGIN).equalTo(COME)).or(col(MARK));
    WindowSpec before =
        Window.partitionBy(columns.keys())
            .orderBy(Columns.col(columns.effective()), col(ORIGIN).desc())
            .rowsBetween(Window.unboundedPreceding(), Window.currentRow());
    Map<String, Column> kept = new LinkedHashMap<>();

    for (String name : columns.rows().names()) {
      if (columns.rows().drift().absent().isIn(name)) {
        Column value = Columns.col(name);
        Column known =
            last(when(hasValues, struct(value.as(VALUE))), true).over(before).getField(VALUE);
        kept.put(name, when(hasValues, value).otherwise(columns.rows().kept(name, value, known)));
      }
    }

    return all.withColumns(kept);
  }

  /** Finds out for every event whether it counts, what it does, and what becomes of it. */
  private Dataset<Row> fated(Dataset<Row> all) {
    Column isRow = not(col(MARK));
    Column isKept = col(ORIGIN).equalTo(KEPT);
    WindowSpec instant =
        Window.partitionBy(
            columns.events().keys().stream().map(Columns::col).toArray(Column[]::new));
    Column compared = columns.comparedOf(Columns::col);

    Column isKnown =
        isRow.and(compared.eqNullSafe(max(when(isKept.and(isRow), compared)).over(instant)));
    WindowSpec inTime =
        Window.partitionBy(
                Stream.concat(
                        columns.rows().keys().stream().map(Columns::col),
                        Stream.of(col(RANK).equalTo(1)))
                    .toArray(Column[]::new))
            .orderBy(Columns.col(columns.effective()));
    Column opens =
        isRow.and(
            not(col(AFTER_ROW).and(col(TRACKED).eqNullSafe(lag(col(TRACKED), 1).over(inTime)))));
    return all.withColumn(KNOWN, col(ORIGIN).equalTo(COME).and(isKnown))
        .withColumn(REPLACES, coalesce(max(isKept.and(isRow)).over(instant), lit(false)))
        .withColumn(ENDS, coalesce(max(col(ORIGIN).equalTo(IMPLIED)).over(instant), lit(false)))
        .withColumn(RANK, row_number().over(instant.orderBy(newestFirst())))
        .withColumn(TRACKED, columns.trackedOf(Columns::col))
        .withColumn(SHOWN, columns.shownOf(Columns::col))
        .withColumn(AFTER_ROW, coalesce(not(lag(col(MARK), 1).over(inTime)), lit(false)))
        .withColumn(OPENS, opens)
        .withColumn(FATE, fate(inTime))
        .withColumn(NEXT, lead(Columns.col(columns.effective()), 1).over(inTime))
        .withColumn(
            LAST,
            isRow.and(
                coalesce(
                    lead(col(MARK), 1).over(inTime).or(lead(col(OPENS), 1).over(inTime)),
                    lit(true))))
        .withColumn(
            VERSION,
            sum(col(OPENS).cast("int"))
                .over(inTime.rowsBetween(Window.unboundedPreceding(), Window.currentRow())));
  }

  /** Of what is known an event that comes again is the last, and one that is only implied next. */
  private Column[] newestFirst() {
    MergeColumns rows = columns.rows();
    List<Column> order = new ArrayList<>();
    order.add(col(KNOWN).asc());
    order.add(col(ORIGIN).equalTo(IMPLIED).asc());
    rows.versionColumns().forEach(name -> order.add(Columns.col(name).desc_nulls_last()));
    order.add(col(MARK).desc());
    rows.ties().stream()
        .map(name -> Values.comparable(Columns.col(name), rows.type(name)).desc_nulls_last())
        .forEach(order::add);
    order.add(col(ORIGIN).asc());
    return order.toArray(new Column[0]);
  }

  private Column fate(WindowSpec inTime) {
    return when(col(ORIGIN).notEqual(COME), lit(null).cast("string"))
        .when(col(KNOWN), UNCHANGED)
        .when(col(RANK).gt(1), STALE)
        .when(
            col(MARK),
            when(col(REPLACES).or(col(AFTER_ROW).and(not(col(ENDS)))), DELETED)
                .otherwise(UNCHANGED))
        .when(col(OPENS), when(col(REPLACES), UPDATED).otherwise(INSERTED))
        .when(col(SHOWN).eqNullSafe(lag(col(SHOWN), 1).over(inTime)), UNCHANGED)
        .otherwise(UPDATED);
  }

  /** Puts the events of each version together. */
  private Dataset<Row> versions(Dataset<Row> fated) {
    HistoryNames names = columns.names();
    Column effective = Columns.col(columns.effective());
    Column[] versionKeys =
        Stream.concat(columns.rows().keys().stream().map(Columns::col), Stream.of(col(VERSION)))
            .toArray(Column[]::new);
    Column[] all = columns.rows().names().stream().map(Columns::col).toArray(Column[]::new);
    Column earlier =
        array_sort(
            collect_list(when(not(col(LAST)), columns.carriedOf(Columns::col))),
            (one, other) ->
                when(at(one).lt(at(other)), lit(-1))
                    .when(at(one).gt(at(other)), lit(1))
                    .otherwise(lit(0)));
    Dataset<Row> grouped =
        fated
            .filter(col(RANK).equalTo(1).and(not(col(MARK))))
            .groupBy(versionKeys)
            .agg(
                max_by(struct(all), effective).as(ROW),
                min(effective).as(names.from()),
                max_by(col(NEXT), effective).as(names.to()),
                earlier.as(HistoryNames.EVENTS));
    List<Column> columnsOfTable = new ArrayList<>();
    columns.rows().names().forEach(name -> columnsOfTable.add(col(ROW).getField(name).as(name)));
    columnsOfTable.add(Columns.col(names.from()));
    columnsOfTable.add(Columns.col(names.to()));
    columnsOfTable.add(Columns.col(names.to()).isNull().as(names.current()));
    columnsOfTable.add(
        when(
                size(Columns.col(HistoryNames.EVENTS)).gt(0),
                Columns.col(HistoryNames.EVENTS).cast(columns.eventsType()))
            .as(HistoryNames.EVENTS));
    return grouped.select(columnsOfTable.toArray(Column[]::new));
  }

  private Column at(Column event) {
    return event.getField(columns.effective());
  }

  /** Returns the versions of a table that is given these events and nothing else. */
  Dataset<Row> alone() {
    return versions(events);
  }

  /** Returns the versions that change, each with what is to be done, given what is stored. */
  private Dataset<Row> changes(Dataset<Row> fated) {
    Dataset<Row> recomputed = versions(fated);

    if (stored.isEmpty()) {
      return recomputed.withColumn(ACTION, lit(INSERT));
    }

    MergeColumns versions = columns.versions();
    Function<String, Column> kept = name -> Columns.col(STORED + name);
    Function<String, Column> made = name -> Columns.col(ROWS, name);
    Dataset<Row> held =
        stored
            .get()
            .select(
                Stream.concat(
                        versions.names().stream().map(name -> Columns.col(name).as(STORED + name)),
                        Stream.of(lit(true).as(IS_STORED)))
                    .toArray(Column[]::new));
    String from = columns.names().from();
    Column isGone = made.apply(from).isNull();
    Column isEqual =
        versions.names().stream()
            .filter(name -> !versions.keys().contains(name))
            .map(
                name ->
                    Values.comparable(made.apply(name), versions.type(name))
                        .eqNullSafe(Values.comparable(kept.apply(name), versions.type(name))))
            .reduce(Column::and)
            .orElse(lit(true));
    Column action =
        when(isGone, DELETE)
            .when(Columns.col(IS_STORED).isNull(), INSERT)
            .when(not(isEqual), UPDATE);
    return held.join(
            recomputed.as(ROWS),
            keys.matches(made, kept).and(made.apply(from).equalTo(kept.apply(from))),
            "full_outer")
        .select(
            Stream.concat(
                    versions.names().stream()
                        .map(
                            name ->
                                when(isGone, kept.apply(name))
                                    .otherwise(made.apply(name))
                                    .as(name)),
                    Stream.of(action.as(ACTION)))
                .toArray(Column[]::new))
        .filter(col(ACTION).isNotNull());
  }

  /** Counts the fates, now. */
  Counted counted() {
    return counted(
        events
            .agg(
                countOf(INSERTED),
                countOf(UPDATED),
                countOf(DELETED),
                countOf(UNCHANGED),
                countOf(STALE))
            .head());
  }

  private static Counted counted(Row row) {
    return new Counted(
        row.getLong(0), row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
  }

  private static Column countOf(String fate) {
    return count(when(col(FATE).equalTo(fate), 1));
  }

  /** Tells, now, whether any version changes. */
  boolean isWithoutChanges() {
    return changes(events).isEmpty();
  }

  /** Prepares the versions that change, with an eye on the fates of the events. */
  Observed observed() {
    Observation observation = new Observation();
    Dataset<Row> watched =
        events.observe(
            observation,
            countOf(INSERTED).as(INSERTED),
            countOf(UPDATED).as(UPDATED),
            countOf(DELETED).as(DELETED),
            countOf(UNCHANGED).as(UNCHANGED),
            countOf(STALE).as(STALE));
    return new Observed(changes(watched), observation);
  }

  /** The versions that change, and what is seen of the events when they are computed. */
  record Observed(Dataset<Row> changes, Observation observation) {

    /**
     * Returns what became of the events.
     *
     * <p>Spark tells soon after the versions were computed. It is not waited for without end, since
     * an observation that an optimizer has dropped is never told.
     *
     * @return the counts; empty if they were not told
     */
    Optional<Counted> counted() {
      try {
        Row seen =
            FutureConverters.asJava(observation.future())
                .toCompletableFuture()
                .get(SECONDS_FOR_COUNTS, TimeUnit.SECONDS);
        return seen.length() == 5 ? Optional.of(Versions.counted(seen)) : Optional.empty();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      } catch (ExecutionException | TimeoutException e) {
        return Optional.empty();
      }
    }
  }
}
