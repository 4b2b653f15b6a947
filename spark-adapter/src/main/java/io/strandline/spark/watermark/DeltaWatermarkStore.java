package io.strandline.spark.watermark;

import static java.util.Objects.requireNonNull;
import static org.apache.spark.sql.functions.when;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.Conflicts;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.NewTable;
import io.strandline.spark.internal.RunSession;
import io.strandline.spark.internal.SmallCommit;
import io.strandline.spark.internal.States;
import io.strandline.watermark.Advance;
import io.strandline.watermark.Direction;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.NumberKeeping;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamMove;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import io.strandline.watermark.WatermarkStore;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Remembers how far each load got in a Delta table, which a person may read and change by hand.
 *
 * <p>The table is made when it is first needed, with these columns:
 *
 * <ul>
 *   <li>{@code table_name STRING}: the load; see below for loads of several streams
 *   <li>{@code last_value TIMESTAMP}: the watermark, if it is a point in time
 *   <li>{@code updated_at TIMESTAMP}: when the row was written last
 *   <li>{@code typed_value STRING}: the watermark, if it is anything else, exactly and with its
 *       kind, such as {@code integer:42} or {@code date:2026-07-01}
 *   <li>{@code state STRING}: what the last run wrote beside the watermark, as JSON
 * </ul>
 *
 * <p>Only one of {@code last_value} and {@code typed_value} is filled. Both null, or no row, means
 * that everything is new. A row changed by hand is obeyed; nothing else has to be changed with it.
 * The table keeps its log for 7 days, so that it does not grow with the runs; {@code
 * delta.logRetentionDuration} is its property.
 *
 * <h2>A table that exists already</h2>
 *
 * <p>A table with the first three columns, or more of them, is used as it is. One with other names
 * is used by naming them, and only the columns that are named are read and written:
 *
 * <pre>{@code
 * DeltaWatermarkStore.forName(spark, "load_control")
 *     .nameColumn("TableName")
 *     .valueColumn("LastWatermark");
 * }</pre>
 *
 * <p>The value column may be of type timestamp, timestamp_ntz, date, whole number, decimal or text,
 * and holds watermarks of that kind. A watermark that it cannot hold exactly goes into the typed
 * column if one is named, else it is refused before anything is merged; it is never rounded. Text
 * says its kind itself, as in {@code typed_value}, unless {@link #valueColumn(String,
 * WatermarkKind)} says it. Without a column for the state, a run cannot tell without looking that
 * its source has not moved, nor that its declaration has changed.
 *
 * <h2>Several streams</h2>
 *
 * <p>A load with one stream has one row, named as the load. Of a load with several each stream has
 * a row, named {@code load[stream]}, or as the stream alone after {@link #rowsNamedByStream()}. All
 * rows are moved in one commit.
 *
 * <p>Reading needs no Spark job. Moving is one commit that holds the run's number too, and changes
 * nothing if a row is not as the run read it. In a table as above it needs no Spark job either; in
 * a table with other columns or types, a change feed, or a log store chosen for Spark, it is a
 * MERGE. Immutable and safe for use by several threads; loads that move their watermarks at once do
 * not fail each other.
 */
public final class DeltaWatermarkStore implements WatermarkStore {
  private static final String TARGET = "kept";
  private static final String SOURCE = "moved";
  private static final String IS_NEW = "is_new";
  private static final String ROW_NAME = "row_name";
  private static final String OLD_VALUE = "old_value";
  private static final String OLD_TYPED = "old_typed";
  private static final String OLD_UPDATED = "old_updated";
  private static final String NEW_VALUE = "new_value";
  private static final String NEW_TYPED = "new_typed";
  private static final String NEW_UPDATED = "new_updated";
  private static final String NEW_STATE = "new_state";

  private static final String RUN_AGAIN =
      "Run the load again, and let only one run at a time be scheduled.";

  private static final NewTable OWN_TABLE =
      new NewTable(
          new StructType()
              .add("table_name", DataTypes.StringType)
              .add("last_value", DataTypes.TimestampType)
              .add("updated_at", DataTypes.TimestampType)
              .add("typed_value", DataTypes.StringType)
              .add("state", DataTypes.StringType),
          // Loads that move their rows at once then write different partitions, and do not
          // conflict.
          List.of("table_name"),
          // As long as Delta keeps files that nobody needs: a look at the table lists its log.
          Map.of("delta.logRetentionDuration", "interval 7 days"));

  private final DeltaRef table;
  private final ControlColumns columns;
  private final RowNaming naming;
  private final Clock clock;

  /** What the row of a stream is named by. */
  private enum RowNaming {
    LOAD_AND_STREAM,
    STREAM
  }

  private DeltaWatermarkStore(
      DeltaRef table, ControlColumns columns, RowNaming naming, Clock clock) {
    this.table = table;
    this.columns = columns;
    this.naming = naming;
    this.clock = clock;
  }

  /**
   * Makes a store in a table of the session's catalogs.
   *
   * @param spark the session
   * @param table the table's name; the table need not exist
   * @return the store
   */
  public static DeltaWatermarkStore forName(SparkSession spark, String table) {
    return of(DeltaRef.forName(spark, table));
  }

  /**
   * Makes a store in a folder.
   *
   * @param spark the session
   * @param path the folder; it need not exist
   * @return the store
   */
  public static DeltaWatermarkStore forPath(SparkSession spark, String path) {
    return of(DeltaRef.forPath(spark, path));
  }

  private static DeltaWatermarkStore of(DeltaRef table) {
    return new DeltaWatermarkStore(
        table, ControlColumns.DEFAULT, RowNaming.LOAD_AND_STREAM, Clock.systemUTC());
  }

  /**
   * Names the column of an existing table that holds the name of the load.
   *
   * @param column the column, of text
   * @return a store with that column
   */
  public DeltaWatermarkStore nameColumn(String column) {
    return with(columns.withName(requireNonNull(column)));
  }

  /**
   * Names the column of an existing table that holds the watermark.
   *
   * @param column the column; its type tells the kind of watermark, and text tells it itself
   * @return a store with that column
   */
  public DeltaWatermarkStore valueColumn(String column) {
    return with(columns.withValue(requireNonNull(column), null));
  }

  /**
   * Names the column of an existing table that holds the watermark, and the kind it is of.
   *
   * <p>For text whose kind is known: a timestamp then stands there as {@code 2026-07-01T00:00:00Z},
   * one without a zone as {@code 2026-07-01 00:00:00}. For numbers that are table versions, and for
   * decimals that are whole numbers.
   *
   * @param column the column
   * @param kind the kind of watermark that it holds
   * @return a store with that column
   */
  public DeltaWatermarkStore valueColumn(String column, WatermarkKind kind) {
    return with(columns.withValue(requireNonNull(column), requireNonNull(kind)));
  }

  /**
   * Names the column of an existing table that holds the time of the last change.
   *
   * @param column the column, of type timestamp, or timestamp_ntz, which then holds UTC
   * @return a store with that column
   */
  public DeltaWatermarkStore updatedColumn(String column) {
    return with(columns.withUpdated(requireNonNull(column)));
  }

  /**
   * Names the column of an existing table for watermarks that the value column cannot hold.
   *
   * @param column the column, of text
   * @return a store with that column
   */
  public DeltaWatermarkStore typedColumn(String column) {
    return with(columns.withTyped(requireNonNull(column)));
  }

  /**
   * Names the column of an existing table for what a run keeps beside the watermark.
   *
   * @param column the column, of text
   * @return a store with that column
   */
  public DeltaWatermarkStore stateColumn(String column) {
    return with(columns.withState(requireNonNull(column)));
  }

  private DeltaWatermarkStore with(ControlColumns newColumns) {
    return new DeltaWatermarkStore(table, newColumns, naming, clock);
  }

  /**
   * Names rows by their stream alone, as in a table with a row per source table.
   *
   * <p>Streams of one name then share a row, whatever load reads them: let only one do so.
   *
   * @return a store with such rows
   */
  public DeltaWatermarkStore rowsNamedByStream() {
    return new DeltaWatermarkStore(table, columns, RowNaming.STREAM, clock);
  }

  /**
   * Takes the time of changes from a clock.
   *
   * @param newClock the clock; that of the system in UTC unless said otherwise
   * @return a store with that clock
   */
  public DeltaWatermarkStore timedBy(Clock newClock) {
    return new DeltaWatermarkStore(table, columns, naming, requireNonNull(newClock));
  }

  @Override
  public String name() {
    return table.name();
  }

  /** Returns the id of the table, which is made if it is one of ours and missing. */
  @Override
  public String identity() {
    return made().tableId();
  }

  @Override
  public NumberKeeping numberKeeping() {
    return NumberKeeping.WITH_THE_ROW;
  }

  @Override
  public StoredWatermarks last(LoadName load, Set<StreamName> streams) {
    Optional<DeltaSnapshot> snapshot = table.findSnapshot();

    if (snapshot.isEmpty()) {
      if (columns.origin() == ControlColumns.Origin.GIVEN) {
        throw table.missing("keep watermarks in " + table.name());
      }

      return new StoredWatermarks(load, 0, rows(streams, stream -> StoredStream.none()));
    }

    ControlTable control = control(snapshot.get());
    long highest =
        snapshot.get().transaction(LoadIdentity.of(snapshot.get().tableId(), load).toString());
    SortedMap<StreamName, StoredStream> found =
        rows(
            streams,
            stream ->
                control
                    .row(load, rowName(load, stream))
                    .map(ControlTable.FoundRow::stream)
                    .orElse(StoredStream.none()));
    // Where the rows cannot tell which run they know of, the table's log is all there is.
    long number = control.state() == null ? highest : numberOf(found);
    return new StoredWatermarks(
        load, number, highest, found, Optional.of(snapshot.get().tableId()));
  }

  private static long numberOf(SortedMap<StreamName, StoredStream> rows) {
    return rows.values().stream().mapToLong(row -> row.state().number()).max().orElse(0);
  }

  private static SortedMap<StreamName, StoredStream> rows(
      Set<StreamName> streams, Function<StreamName, StoredStream> row) {
    SortedMap<StreamName, StoredStream> rows = new TreeMap<>();

    for (StreamName stream : streams) {
      rows.put(stream, row.apply(stream));
    }

    return rows;
  }

  /**
   * A row of this table whose watermark is a version of another table.
   *
   * @param row the name of the row: that of the load, or of one of its streams
   * @param version the version up to which it has read
   */
  public record VersionReader(String row, long version) {}

  /**
   * Returns who reads a table by its versions, as a change feed is read.
   *
   * @param tableId the id of the table that is read
   * @return the rows, in no order; empty if this table has no column for the state, which says what
   *     was read
   */
  public List<VersionReader> readersOf(String tableId) {
    Optional<ControlTable> control =
        table.findSnapshot().map(this::control).filter(found -> found.state() != null);

    if (control.isEmpty()) {
      return List.of();
    }

    List<VersionReader> readers = new ArrayList<>();

    for (Row name :
        table.newest().select(Columns.col(control.get().name())).distinct().collectAsList()) {
      if (name.isNullAt(0)) {
        continue;
      }

      String row = name.getString(0);
      control
          .get()
          .row(new LoadName(row), row)
          .map(ControlTable.FoundRow::stream)
          .filter(stream -> stream.state().source().tableId().equals(tableId))
          .filter(stream -> stream.value() instanceof Watermark.Version)
          .ifPresent(
              stream ->
                  readers.add(
                      new VersionReader(row, ((Watermark.Version) stream.value()).value())));
    }

    return readers;
  }

  @Override
  public void preflight(LoadName load, List<StreamRange> ranges) {
    ControlTable control = control(made());

    for (StreamRange range : ranges) {
      control.requireRoomFor(range.next());
    }
  }

  @Override
  public void advance(Advance advance) {
    if (advance.moves().isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot advance load '" + advance.load() + "' without a move.");
    }

    String task = "move the watermark in " + table.name();

    if (!moveInTurn(task, advance)) {
      Conflicts.outlasting(task, () -> move(task, advance, control(made())));
    }
  }

  /**
   * Moves the rows while nobody else in this process does.
   *
   * @return whether they were moved; not if Spark has to merge them, each into a partition of its
   *     own, since that can be committed side by side
   */
  private boolean moveInTurn(String task, Advance advance) {
    return Conflicts.oneAtATime(
        table,
        () ->
            Conflicts.outlasting(
                task,
                () -> {
                  ControlTable control = control(made());

                  if (control.isPartitionedByName() && !isSmall(control)) {
                    return false;
                  }

                  move(task, advance, control);
                  return true;
                }));
  }

  private boolean isSmall(ControlTable control) {
    return SmallCommit.isOpenTo(table, control.snapshot(), control.name(), control.columns());
  }

  /** Checks the rows as they are now and moves them in one commit that checks them again. */
  private void move(String task, Advance advance, ControlTable control) {
    String appId = advance.identity().toString();

    if (!advance.identity().store().equals(control.snapshot().tableId())) {
      throw new Problem(
          ProblemKind.CONTRADICTION,
          task,
          "the table was made anew while the run went on, and holds no watermark of it",
          "Run the load again.");
    }

    boolean isSeen = control.snapshot().transaction(appId) >= advance.number();

    if (isSeen && advance.direction() == Direction.FORWARD) {
      throw seen(task, advance);
    }

    List<RowMove> rows = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);

    for (StreamMove move : advance.moves()) {
      String rowName = rowName(advance.load(), move.stream());
      control.requireRoomFor(move.to());

      if (!names.add(rowName)) {
        throw new IllegalArgumentException(
            "Cannot advance load '"
                + advance.load()
                + "' with two moves of row '"
                + rowName
                + "'.");
      }

      rows.add(moved(task, control, rowName, move, advance.load(), now));
    }

    // Delta would skip a number that it knows, and an operator's move must not be skipped.
    Optional<SmallCommit.RunNumber> number =
        isSeen ? Optional.empty() : Optional.of(new SmallCommit.RunNumber(appId, advance.number()));
    Optional<SmallCommit> small =
        isSmall(control)
            ? SmallCommit.on(table, control.snapshot(), control.name(), number)
            : Optional.empty();

    if (small.isPresent()) {
      small.get().replace(rows.stream().map(row -> row.in(control)).toList());
    } else if (merge(session(number, advance.load()), control, rows, names).isEmpty()) {
      throw seen(task, advance);
    }
  }

  private SparkSession session(Optional<SmallCommit.RunNumber> number, LoadName load) {
    SparkSession session =
        number
            .map(
                known ->
                    RunSession.committing(
                        table.spark(),
                        known.appId(),
                        known.number(),
                        "watermark of load '" + load + "', run " + known.number()))
            .orElseGet(() -> RunSession.of(table.spark()));
    // Some rows of a small table: the caller's partitions would be tasks without work.
    session.conf().set("spark.sql.shuffle.partitions", "1");
    return session;
  }

  private static Problem seen(String task, Advance advance) {
    return new Problem(
        ProblemKind.CONCURRENT_RUN,
        task,
        "run " + advance.number() + " of load '" + advance.load() + "' has moved it already",
        RUN_AGAIN);
  }

  private RowMove moved(
      String task,
      ControlTable control,
      String rowName,
      StreamMove move,
      LoadName load,
      Instant now) {
    Optional<ControlTable.FoundRow> found = control.row(load, rowName);
    StoredStream held = found.map(ControlTable.FoundRow::stream).orElse(StoredStream.none());

    if (!held.value().equals(move.expected().value())
        || !held.updatedAt().equals(move.expected().updatedAt())) {
      throw new Problem(
          ProblemKind.CONCURRENT_RUN,
          task,
          "row '"
              + rowName
              + "' holds "
              + text(held)
              + ", not "
              + text(move.expected())
              + " as read",
          RUN_AGAIN);
    }

    Watermark to = move.to();
    return new RowMove(
        rowName,
        found,
        control.valueOf(to),
        control.typedOf(to),
        control.updatedAt(now),
        States.toJson(move.state()));
  }

  /** A row as it is to be, and as it was found. */
  private record RowMove(
      String name,
      Optional<ControlTable.FoundRow> found,
      @Nullable Object value,
      @Nullable String typed,
      @Nullable Object updated,
      String state) {

    /** Returns the row with the columns of the table. */
    Map<String, @Nullable Object> in(ControlTable control) {
      Map<String, @Nullable Object> row = new HashMap<>();
      row.put(control.name(), name);
      row.put(control.value().name(), value);

      if (control.updated() != null) {
        row.put(control.updated().name(), updated);
      }

      if (control.typed() != null) {
        row.put(control.typed(), typed);
      }

      if (control.state() != null) {
        row.put(control.state(), state);
      }

      return row;
    }

    /** Returns the row beside what it was, as a merge compares them. */
    Row merged() {
      return RowFactory.create(
          name,
          found.isEmpty(),
          found.map(ControlTable.FoundRow::value).orElse(null),
          found.map(ControlTable.FoundRow::typed).orElse(null),
          found.map(ControlTable.FoundRow::updated).orElse(null),
          value,
          typed,
          updated,
          state);
    }
  }

  private static String text(StoredStream row) {
    return row.value()
        + (row.updatedAt().equals(Instant.MIN) ? "" : " (written " + row.updatedAt() + ")");
  }

  /**
   * Moves the rows in one commit.
   *
   * @return one row of counts; none if Delta skipped the command because it knew the number
   */
  private Dataset<Row> merge(
      SparkSession session, ControlTable control, List<RowMove> rows, Set<String> names) {
    StructType schema =
        new StructType()
            .add(ROW_NAME, DataTypes.StringType)
            .add(IS_NEW, DataTypes.BooleanType)
            .add(OLD_VALUE, control.value().type())
            .add(OLD_TYPED, DataTypes.StringType)
            .add(OLD_UPDATED, control.updatedType())
            .add(NEW_VALUE, control.value().type())
            .add(NEW_TYPED, DataTypes.StringType)
            .add(NEW_UPDATED, control.updatedType())
            .add(NEW_STATE, DataTypes.StringType);
    Column isAsRead = isSame(control.value().name(), OLD_VALUE);
    Map<String, Column> changes = new HashMap<>();

    if (control.typed() != null) {
      isAsRead = isAsRead.and(isSame(control.typed(), OLD_TYPED));
      changes.put(Columns.quoted(control.typed()), moved(NEW_TYPED));
    }

    if (control.updated() != null) {
      isAsRead = isAsRead.and(isSame(control.updated().name(), OLD_UPDATED));
      changes.put(Columns.quoted(control.updated().name()), moved(NEW_UPDATED));
    }

    if (control.state() != null) {
      changes.put(Columns.quoted(control.state()), moved(NEW_STATE));
    }

    Map<String, Column> updates = new HashMap<>(changes);
    updates.put(
        Columns.quoted(control.value().name()),
        when(isAsRead.and(moved(IS_NEW).equalTo(false)), moved(NEW_VALUE))
            .otherwise(Conflicts.missed()));
    Map<String, Column> inserts = new HashMap<>(changes);
    inserts.put(Columns.quoted(control.value().name()), moved(NEW_VALUE));
    inserts.put(
        Columns.quoted(control.name()),
        when(moved(IS_NEW), moved(ROW_NAME)).otherwise(Conflicts.missed()));
    Column name = Columns.col(TARGET, control.name());
    return table
        .in(session)
        .deltaTable()
        .as(TARGET)
        .merge(
            session.createDataFrame(rows.stream().map(RowMove::merged).toList(), schema).as(SOURCE),
            // The literal names let Delta see which partitions are read, and so which are not.
            name.isin(names.toArray()).and(name.equalTo(moved(ROW_NAME))))
        .whenMatched()
        .update(updates)
        .whenNotMatched()
        .insert(inserts)
        .execute();
  }

  private static Column moved(String column) {
    return Columns.col(SOURCE, column);
  }

  private static Column isSame(String column, String read) {
    return Columns.col(TARGET, column).eqNullSafe(moved(read));
  }

  private DeltaSnapshot made() {
    return columns.origin() == ControlColumns.Origin.OWN
        ? OWN_TABLE.in(table)
        : table
            .findSnapshot()
            .orElseThrow(() -> table.missing("keep watermarks in " + table.name()));
  }

  private ControlTable control(DeltaSnapshot snapshot) {
    return ControlTable.of(table.name(), snapshot, columns);
  }

  private String rowName(LoadName load, StreamName stream) {
    if (stream.equals(StreamName.only())) {
      return load.value();
    }

    return naming == RowNaming.STREAM ? stream.value() : load.value() + "[" + stream.value() + "]";
  }

  /** Returns the name of the table. */
  @Override
  public String toString() {
    return table.name();
  }
}
