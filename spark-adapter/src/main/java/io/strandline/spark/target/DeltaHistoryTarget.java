package io.strandline.spark.target;

import static io.strandline.spark.target.TargetRef.listed;
import static java.util.Objects.requireNonNull;
import static org.apache.spark.sql.functions.lit;

import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.target.Deletes;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.SweepRequest;
import io.strandline.target.TargetStanding;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * A Delta table that keeps the history of every key (SCD2): versions with a half-open interval
 * {@code [valid_from, valid_to)} and a flag for the current one.
 *
 * <p>Each row is an event: it says how its key is from an instant on.
 *
 * <ul>
 *   <li>A change of a tracked column closes the version before and opens one.
 *   <li>A change of another column is made in place, in the version that holds then.
 *   <li>A row that changes nothing opens no version. The instant is kept all the same, so that a
 *       change which arrives later, and lies before it, ends there.
 *   <li>A delete closes; a row after it opens a version again, and between the two there is none.
 *   <li>A sweep closes the open version of a key that the source no longer has, at the time of the
 *       run by the clock of the load (in UTC, if versions hold from local times or days on), or
 *       just after what is known of the key, if that is later.
 *   <li>Of several rows of one key and instant the newest counts, by the sequence.
 * </ul>
 *
 * <p>A row that arrives late is put in its place between the versions that are there. In whatever
 * order the same rows come, and however they are split into runs, the history is the same. Of the
 * table only the versions of the keys of the range are read, and only versions that change are
 * written. Rows without a key or an instant are rejected.
 *
 * <p>Rows, the receipt and the run's number land in one commit. Beside the columns of the cleaned
 * rows, and the three of the history, the table has {@code _strandline_events}, in which a version
 * keeps its events but the last.
 *
 * <p>Immutable: every method returns another target. Safe for use by several threads.
 *
 * <pre>{@code
 * DeltaHistoryTarget.forName(spark, "dim_customer")
 *     .matchedOn("customer_id")
 *     .effectiveFrom("modified_at")
 *     .tracking("name", "city")
 *     .createdIfMissing();
 * }</pre>
 */
public final class DeltaHistoryTarget implements MergeTarget<Dataset<Row>> {
  private final TargetRef table;
  private final MergeDeclaration declaration;
  private final HistoryDeclaration history;

  private DeltaHistoryTarget(
      TargetRef table, MergeDeclaration declaration, HistoryDeclaration history) {
    this.table = table;
    this.declaration = declaration;
    this.history = history;
  }

  /**
   * Names a table of the catalog.
   *
   * @param spark the session; its settings apply to what is written, and are never changed
   * @param name the name of the table, of one to three parts
   * @return the next stage
   */
  public static Unmatched forName(SparkSession spark, String name) {
    return new Unmatched(DeltaRef.forName(spark, name));
  }

  /**
   * Names a table by the folder it lies in.
   *
   * @param spark the session; its settings apply to what is written, and are never changed
   * @param path the folder
   * @return the next stage
   */
  public static Unmatched forPath(SparkSession spark, String path) {
    return new Unmatched(DeltaRef.forPath(spark, path));
  }

  /** The first stage of a target, which has the table alone. */
  public static final class Unmatched {
    private final DeltaRef table;

    private Unmatched(DeltaRef table) {
      this.table = table;
    }

    /**
     * Says whose history it is.
     *
     * @param column the key column, by its exact name after cleaning
     * @param more further columns of the key
     * @return the target
     * @throws IllegalArgumentException if a name is blank or stands twice
     */
    public DeltaHistoryTarget matchedOn(String column, String... more) {
      return new DeltaHistoryTarget(
          TargetRef.existing(table),
          MergeDeclaration.matchedOn(listed("matchedOn", column, more)),
          HistoryDeclaration.usual());
    }
  }

  /**
   * Names the column that says from when on a row holds; by default the watermark column, if there
   * is one alone.
   *
   * @param column the column: a timestamp, a date or a number; rows without a value are rejected
   * @return the target
   * @throws IllegalArgumentException if the name is blank
   */
  public DeltaHistoryTarget effectiveFrom(String column) {
    return with(history.effectiveFrom(listed("effectiveFrom", column).get(0)));
  }

  /**
   * Names the columns whose change opens a version; by default all but the key, the column that
   * says from when on a row holds, the sequence, the watermark columns and the {@link #stamped}
   * ones.
   *
   * @param column the column
   * @param more further columns
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice
   */
  public DeltaHistoryTarget tracking(String column, String... more) {
    return with(history.tracking(listed("tracking", column, more)));
  }

  /**
   * Names the columns that the history adds; by default {@code valid_from}, {@code valid_to} and
   * {@code is_current}.
   *
   * @param from the column of the instant from which on a version holds; it belongs to the version
   * @param to the column of the instant from which on it holds no more; null in open versions
   * @param current the column of the flag of open versions
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice
   */
  public DeltaHistoryTarget named(String from, String to, String current) {
    listed("named", from, to, current);
    return with(history.named(new HistoryNames(from, to, current)));
  }

  /**
   * Says which of two rows of one key and instant is newer; by default the watermark columns say
   * it.
   *
   * @param column the column; the greater value is newer, null is older than all values
   * @param more further columns, compared left to right
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice, or {@link #lastReadWins()}
   *     was called before
   */
  public DeltaHistoryTarget sequencedBy(String column, String... more) {
    return with(declaration.sequencedBy(listed("sequencedBy", column, more)));
  }

  /**
   * Lets the row that is read later replace a stored one of the same key and instant, for sources
   * that do not know which is newer.
   *
   * @return the target
   * @throws IllegalArgumentException if {@link #sequencedBy} was called before
   */
  public DeltaHistoryTarget lastReadWins() {
    return with(declaration.lastReadWins());
  }

  /**
   * Says what decides between rows of one key and instant that are equal in sequence and watermark;
   * the greater value wins.
   *
   * @param column the column
   * @param more further columns, compared left to right
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice
   */
  public DeltaHistoryTarget tieBrokenBy(String column, String... more) {
    return with(declaration.tieBrokenBy(listed("tieBrokenBy", column, more)));
  }

  /**
   * Names columns that the cleaner stamps anew on every run, such as {@code updated_at}, which open
   * no version and are never compared.
   *
   * @param column the column
   * @param more further columns
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice
   */
  public DeltaHistoryTarget stamped(String column, String... more) {
    return with(declaration.stamped(listed("stamped", column, more)));
  }

  /**
   * Says which rows are deletes, which close the version that holds then; by default no row is one.
   *
   * <p>A delete carries the key, the instant and the sequence; what else it says is not looked at.
   * It is remembered beside the table, so that a row which arrives later, and lies before it, ends
   * there.
   *
   * @param deletes the declaration, of hard deletes
   * @return the target
   * @throws IllegalArgumentException if the deletes are soft: there is nothing to flag where the
   *     version is closed
   */
  public DeltaHistoryTarget deletedWhen(Deletes deletes) {
    if (deletes.manner() instanceof Deletes.Soft) {
      throw new IllegalArgumentException(
          "Cannot flag deletes in a history: a delete closes the version. Declare hard deletes.");
    }

    return with(declaration.deletedWhen(deletes));
  }

  /** Returns the deletes that are remembered of this table. */
  public DeltaTombstones tombstones() {
    return DeltaTombstones.beside(table.table());
  }

  /**
   * Lets null be a key like any other; by default rows with a null or blank key column are
   * rejected. A blank key counts as null, and is stored as null.
   *
   * @return the target
   */
  public DeltaHistoryTarget nullKeysMatch() {
    return with(declaration.nullKeysMatch());
  }

  /**
   * Creates the table with the columns of the cleaned rows and of the history if it is missing; by
   * default a missing table is an error.
   *
   * @return the target
   */
  public DeltaHistoryTarget createdIfMissing() {
    return createdIfMissing(TableLayout.plain());
  }

  /**
   * Creates the table with the columns of the cleaned rows and of the history, and with a layout,
   * if it is missing.
   *
   * @param layout partitioning, clustering and properties
   * @return the target
   */
  public DeltaHistoryTarget createdIfMissing(TableLayout layout) {
    return new DeltaHistoryTarget(
        table.createdIfMissing(requireNonNull(layout, "layout")), declaration, history);
  }

  /**
   * Says what becomes of rows whose columns are not those of the table; by default every difference
   * fails the load.
   *
   * @param policy what becomes of new and missing columns and of wider types
   * @return the target
   */
  public DeltaHistoryTarget onSchemaDrift(SchemaPolicy policy) {
    return new DeltaHistoryTarget(table.onSchemaDrift(policy), declaration, history);
  }

  private DeltaHistoryTarget with(MergeDeclaration changed) {
    return new DeltaHistoryTarget(table, changed, history);
  }

  private DeltaHistoryTarget with(HistoryDeclaration changed) {
    return new DeltaHistoryTarget(table, declaration, changed);
  }

  /**
   * Looks, now, whether the table is a sound history; reads all of it.
   *
   * @return what was found
   * @throws io.strandline.problem.Problem of kind {@code BAD_CONFIGURATION} if there is no such
   *     table, or it lacks one of the columns
   */
  public HistoryAudit audit() {
    return HistoryAudit.of(table.table(), declaration.keys(), history.names());
  }

  @Override
  public String name() {
    return table.name();
  }

  @Override
  public String declaration() {
    return "history, " + declaration + history;
  }

  @Override
  public Repeats repeats() {
    return Repeats.ABSORBED;
  }

  @Override
  public Quarantine<Dataset<Row>> quarantine() {
    return table.quarantine();
  }

  @Override
  public TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen) {
    return table.standing(identity, lastSeen);
  }

  @Override
  public List<String> keys() {
    return declaration.keys();
  }

  @Override
  public List<String> advice() {
    return MergeAdvice.of(table.table(), keys());
  }

  @Override
  public StagedMerge<Dataset<Row>> stage(StageRequest<Dataset<Row>> request) {
    return staged(request, null);
  }

  @Override
  public StagedMerge<Dataset<Row>> stage(
      StageRequest<Dataset<Row>> request, SweepRequest<Dataset<Row>> sweep) {
    return staged(request, sweep);
  }

  @Override
  public StagedMerge<Dataset<Row>> stage(SweepRequest<Dataset<Row>> sweep) {
    Optional<DeltaSnapshot> found = table.table().findSnapshot();

    if (found.isEmpty()) {
      return new NothingStaged();
    }

    ColumnNames names = ColumnNames.of(table.table().spark());
    StructType stored = found.get().schema();
    HistoryResolution histories = new HistoryResolution(table.name(), names, history);
    StructType own = histories.withoutHistory(stored);
    MergeColumns rows =
        new ColumnResolution(table.name(), names, declaration, table.onDrift())
            .columns(own, Optional.of(own), sweep.watermarkColumns());
    HistoryColumns columns = histories.columns(rows, Optional.of(stored), sweep.watermarkColumns());
    KeyMatch keys = new KeyMatch(rows, declaration.nullKeys());
    Dataset<Row> none =
        table
            .table()
            .at(found.get().version())
            .filter(lit(false))
            .withColumn(Deletion.MARK, lit(false));
    FrozenRows events = FrozenRows.of(none, List.of(), columns.events(), keys);
    return new DeltaStagedHistory(
        table.table(),
        columns,
        keys,
        new KeyMatch(columns.events(), declaration.nullKeys()),
        events,
        closing(found, columns, events, sweep),
        null);
  }

  private ClosedVersions closing(
      Optional<DeltaSnapshot> found,
      HistoryColumns columns,
      FrozenRows events,
      @Nullable SweepRequest<Dataset<Row>> sweep) {
    if (sweep == null) {
      return ClosedVersions.none(columns);
    }

    ClosedVersions.requireTime(table.name(), columns);
    KeyMatch keys = new KeyMatch(columns.rows(), declaration.nullKeys());
    SweptKeys swept =
        found.filter(DeltaSnapshot::hasFiles).isEmpty()
            ? SweptKeys.none()
            : new SweptKeys.Comparison(
                    table.table(),
                    found.get().version(),
                    columns.rows(),
                    keys,
                    ColumnNames.of(table.table().spark()),
                    true,
                    ClosedVersions.isOpen(columns))
                .find(sweep, events.chosen());
    return new ClosedVersions(columns, keys, swept, sweep.at());
  }

  private StagedMerge<Dataset<Row>> staged(
      StageRequest<Dataset<Row>> request, @Nullable SweepRequest<Dataset<Row>> sweep) {
    Optional<DeltaSnapshot> found = table.find();
    ColumnResolution resolution = table.resolution(request, declaration);
    HistoryResolution histories =
        new HistoryResolution(
            table.name(), ColumnNames.of(request.accepted().sparkSession()), history);
    Dataset<Row> marked = resolution.marked(request.accepted());
    MergeColumns rows =
        resolution.columns(
            Deletion.unmarked(marked).schema(),
            found.map(DeltaSnapshot::schema).map(histories::withoutHistory),
            request.watermarkColumns());
    HistoryColumns columns =
        histories.columns(rows, found.map(DeltaSnapshot::schema), request.watermarkColumns());
    KeyMatch keys = new KeyMatch(rows, declaration.nullKeys()).requiring(columns.effective());
    FrozenRows events =
        FrozenRows.of(resolution.shaped(marked, rows), request.rejected(), columns.events(), keys);
    return new DeltaStagedHistory(
        table.table(),
        columns,
        keys,
        new KeyMatch(columns.events(), declaration.nullKeys()),
        events,
        closing(found, columns, events, sweep),
        table.creation(found, resolution, columns.versions()));
  }

  /** Returns the table and the declaration. */
  @Override
  public String toString() {
    return table.name() + ", " + declaration();
  }
}
