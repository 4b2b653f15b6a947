package io.strandline.spark.target;

import static io.strandline.spark.target.TargetRef.listed;
import static java.util.Objects.requireNonNull;
import static org.apache.spark.sql.functions.lit;

import io.strandline.spark.internal.Columns;
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
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * A Delta table that takes rows in by key: a row of a new key is inserted, a newer version of a row
 * replaces the older one, and nothing else is written.
 *
 * <p>Of the rows of a range only the newest of each key is merged. Newer is what the sequence says,
 * by default the watermark columns; rows equal in it are decided by the declared tie columns, then
 * by a hash of all columns, so that the same rows always give the same table. Against the stored
 * row, a row that is older is left out and counted as stale, one that is equal in all columns is
 * left out and counted as unchanged. Rows without a key are rejected.
 *
 * <p>Rows, the receipt and the run's number land in one commit of the table. Rows and columns are
 * told apart by name; the columns of the cleaned rows must be those of the table, unless {@link
 * #onSchemaDrift} says what becomes of others.
 *
 * <p>Immutable: every method returns another target. Safe for use by several threads.
 *
 * <pre>{@code
 * DeltaMergeTarget.forName(spark, "silver_orders")
 *     .matchedOn("order_id")
 *     .sequencedBy("modified_at")
 *     .createdIfMissing();
 * }</pre>
 */
public final class DeltaMergeTarget implements MergeTarget<Dataset<Row>> {
  private final TargetRef table;
  private final MergeDeclaration declaration;
  private final MergeClauses clauses;

  private DeltaMergeTarget(TargetRef table, MergeDeclaration declaration, MergeClauses clauses) {
    this.table = table;
    this.declaration = declaration;
    this.clauses = clauses;
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
     * Says what tells rows apart.
     *
     * <p>A column that the table is partitioned by, and that never changes for a key, is well named
     * here too: then a run looks only at the partitions that its rows lie in.
     *
     * @param column the key column, by its exact name after cleaning
     * @param more further columns of the key
     * @return the target
     * @throws IllegalArgumentException if a name is blank or stands twice
     */
    public DeltaMergeTarget matchedOn(String column, String... more) {
      return new DeltaMergeTarget(
          TargetRef.existing(table),
          MergeDeclaration.matchedOn(listed("matchedOn", column, more)),
          MergeClauses.all());
    }
  }

  /**
   * Says which of two versions of a row is newer; by default the watermark columns say it.
   *
   * @param column the column; the greater value is newer, null is older than all values
   * @param more further columns, compared left to right
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice, or {@link #lastReadWins()}
   *     was called before
   */
  public DeltaMergeTarget sequencedBy(String column, String... more) {
    return with(declaration.sequencedBy(listed("sequencedBy", column, more)));
  }

  /**
   * Lets the row that is read later replace the stored one, whatever it says; for sources that do
   * not know which version is newer. Within a range the watermark columns decide, if they survive
   * cleaning.
   *
   * @return the target
   * @throws IllegalArgumentException if {@link #sequencedBy} was called before
   */
  public DeltaMergeTarget lastReadWins() {
    return with(declaration.lastReadWins());
  }

  /**
   * Says what decides between rows of a range that are equal in sequence and watermark; the greater
   * value wins.
   *
   * @param column the column
   * @param more further columns, compared left to right
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice
   */
  public DeltaMergeTarget tieBrokenBy(String column, String... more) {
    return with(declaration.tieBrokenBy(listed("tieBrokenBy", column, more)));
  }

  /**
   * Names columns that the cleaner stamps anew on every run, such as {@code updated_at}. A row that
   * differs from the stored one in them alone is unchanged.
   *
   * @param column the column
   * @param more further columns
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice
   */
  public DeltaMergeTarget stamped(String column, String... more) {
    return with(declaration.stamped(listed("stamped", column, more)));
  }

  /**
   * Says which rows are deletes, and what a delete does; by default no row is one.
   *
   * <p>Deletes are rows like all others: of a range the newest version of a key counts, and an
   * older delete never removes a newer row. A delete of a key that the table does not hold counts
   * as unchanged.
   *
   * @param deletes the declaration
   * @return the target
   */
  public DeltaMergeTarget deletedWhen(Deletes deletes) {
    return with(declaration.deletedWhen(requireNonNull(deletes, "deletes")));
  }

  /**
   * Changes only certain columns of a row that is stored, beside those that say which version is
   * newer and the stamped ones; a row of a new key is inserted whole.
   *
   * <p>A newer version that differs in other columns alone is an update all the same, as it is
   * newer.
   *
   * @param column the column
   * @param more further columns
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice, or {@link
   *     #insertingOnly()} was called before
   */
  public DeltaMergeTarget updating(String column, String... more) {
    return with(clauses.updating(listed("updating", column, more)));
  }

  /**
   * Leaves rows that are stored as they are: a row of a key that is there counts as unchanged, or
   * as stale. Deletes that are declared are made.
   *
   * @return the target
   * @throws IllegalArgumentException if {@link #updatingOnly()}, {@link #updating} or {@code
   *     updatingWhen(..)} was called before
   */
  public DeltaMergeTarget insertingOnly() {
    return with(clauses.insertingOnly());
  }

  /**
   * Inserts nothing: a row of a key that is not there counts as unchanged. Such a load cannot be
   * reloaded.
   *
   * @return the target
   * @throws IllegalArgumentException if {@link #insertingOnly()} or {@code insertingWhen(..)} was
   *     called before
   */
  public DeltaMergeTarget updatingOnly() {
    return with(clauses.updatingOnly());
  }

  /**
   * Inserts a row of a new key only if a column has a certain value; others count as unchanged. The
   * newest row of a range is asked.
   *
   * @param column the column, as it is named after cleaning
   * @param value the value: a boolean, a whole number, a decimal or a text
   * @return the target
   * @throws IllegalArgumentException if the name is blank, the value is of another type, or {@link
   *     #updatingOnly()} was called before
   */
  public DeltaMergeTarget insertingWhen(String column, Object value) {
    return with(clauses.insertingWhen(new Deletes.ColumnEquals(column, value)));
  }

  /**
   * Inserts a row of a new key only if it fulfills a condition; others count as unchanged.
   *
   * @param sqlCondition the condition over the columns that are stored; null counts as false
   * @return the target
   * @throws IllegalArgumentException if it is blank, or {@link #updatingOnly()} was called before
   */
  public DeltaMergeTarget insertingWhen(String sqlCondition) {
    return with(clauses.insertingWhen(new Deletes.SqlCondition(sqlCondition)));
  }

  /**
   * Updates a stored row only if a column of the row that comes has a certain value; others count
   * as unchanged. The newest row of a range is asked; deletes are made all the same.
   *
   * @param column the column, as it is named after cleaning
   * @param value the value: a boolean, a whole number, a decimal or a text
   * @return the target
   * @throws IllegalArgumentException if the name is blank, the value is of another type, or {@link
   *     #insertingOnly()} was called before
   */
  public DeltaMergeTarget updatingWhen(String column, Object value) {
    return with(clauses.updatingWhen(new Deletes.ColumnEquals(column, value)));
  }

  /**
   * Updates a stored row only if the row that comes fulfills a condition; others count as
   * unchanged.
   *
   * @param sqlCondition the condition over the columns that come and are stored; null counts as
   *     false
   * @return the target
   * @throws IllegalArgumentException if it is blank, or {@link #insertingOnly()} was called before
   */
  public DeltaMergeTarget updatingWhen(String sqlCondition) {
    return with(clauses.updatingWhen(new Deletes.SqlCondition(sqlCondition)));
  }

  /**
   * Lets a null say nothing: the stored value stays. By default a null is a value like any other.
   *
   * <p>Of several versions in a range each column has its newest value, as if they had come one
   * after the other. A row that says nothing new is unchanged. A stale row is left out whole, also
   * where a newer one said nothing. Columns of the key, of the sequence, stamped ones and flags are
   * taken as they come.
   *
   * @return the target
   */
  public DeltaMergeTarget keepingWhereNull() {
    return with(clauses.keepingWhereNull());
  }

  /**
   * Stamps rows that are inserted, updated, or deleted softly with the time at which the run began,
   * by the clock of the load. What changes nothing keeps its time.
   *
   * @param column the column, a timestamp, such as {@code LASTUPDATED}; the cleaned rows must not
   *     have it
   * @return the target
   * @throws IllegalArgumentException if the name is blank
   */
  public DeltaMergeTarget stampingChanges(String column) {
    return with(clauses.stampingChanges(listed("stampingChanges", column).get(0)));
  }

  /** Returns what remains of the rows that hard deletes have removed from this table. */
  public DeltaTombstones tombstones() {
    return DeltaTombstones.beside(table.table());
  }

  /**
   * Lets null be a key like any other; by default rows with a null or blank key column are
   * rejected. A blank key counts as null, and is stored as null.
   *
   * @return the target
   */
  public DeltaMergeTarget nullKeysMatch() {
    return with(declaration.nullKeysMatch());
  }

  /**
   * Creates the table with the columns of the cleaned rows if it is missing; by default a missing
   * table is an error.
   *
   * @return the target
   */
  public DeltaMergeTarget createdIfMissing() {
    return createdIfMissing(TableLayout.plain());
  }

  /**
   * Creates the table with the columns of the cleaned rows, and with a layout, if it is missing.
   *
   * @param newLayout partitioning, clustering and properties
   * @return the target
   */
  public DeltaMergeTarget createdIfMissing(TableLayout newLayout) {
    return new DeltaMergeTarget(
        table.createdIfMissing(requireNonNull(newLayout, "layout")), declaration, clauses);
  }

  /**
   * Says what becomes of rows whose columns are not those of the table; by default every difference
   * fails the load.
   *
   * @param policy what becomes of new and missing columns and of wider types
   * @return the target
   */
  public DeltaMergeTarget onSchemaDrift(SchemaPolicy policy) {
    return new DeltaMergeTarget(table.onSchemaDrift(policy), declaration, clauses);
  }

  private DeltaMergeTarget with(MergeDeclaration changed) {
    return new DeltaMergeTarget(table, changed, clauses);
  }

  private DeltaMergeTarget with(MergeClauses changed) {
    return new DeltaMergeTarget(table, declaration, changed);
  }

  @Override
  public String name() {
    return table.name();
  }

  @Override
  public String declaration() {
    return declaration.toString();
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

    SparkSession spark = table.table().spark();
    ColumnResolution resolution =
        new ColumnResolution(
            table.name(), ColumnNames.of(spark), clauses.stamped(declaration), table.onDrift());
    MergeColumns columns = resolution.keys(found.get().schema());
    KeyMatch keys = new KeyMatch(columns, declaration.nullKeys());
    Dataset<Row> none =
        table
            .table()
            .at(found.get().version())
            .filter(lit(false))
            .withColumn(Deletion.MARK, lit(false));
    FrozenRows rows = FrozenRows.of(none, List.of(), columns, keys);
    return new DeltaStagedMerge(
        table.table(),
        columns,
        keys,
        rows,
        MergeClauses.Resolved.all(),
        swept(found, columns, keys, rows, sweep),
        flagged(columns, sweep),
        null);
  }

  private SweptKeys swept(
      Optional<DeltaSnapshot> found,
      MergeColumns columns,
      KeyMatch keys,
      FrozenRows rows,
      @Nullable SweepRequest<Dataset<Row>> sweep) {
    if (sweep == null || found.isEmpty() || !found.get().hasFiles()) {
      return SweptKeys.none();
    }

    return new SweptKeys.Comparison(
            table.table(),
            found.get().version(),
            columns,
            keys,
            ColumnNames.of(table.table().spark()),
            flagged(),
            lit(true))
        .find(sweep, rows.chosen());
  }

  /** Returns the flag of a row that is swept softly. */
  private Object flagged() {
    Deletes deletes = declaration.deletes();
    return deletes == null ? true : deletes.flagged();
  }

  /** Returns what changes in a row that is swept softly. */
  private Map<String, Column> flagged(
      MergeColumns columns, @Nullable SweepRequest<Dataset<Row>> sweep) {
    if (sweep == null || columns.flags().isEmpty()) {
      return Map.of();
    }

    Map<String, Column> changes = new HashMap<>();
    String flag = columns.flags().get(0);
    changes.put(Columns.quoted(flag), lit(flagged()).cast(columns.type(flag)));
    ColumnNames names = ColumnNames.of(table.table().spark());

    if (!clauses.stamp().isEmpty() && names.find(clauses.stamp(), columns.schema()).isPresent()) {
      changes.put(Columns.quoted(clauses.stamp()), lit(sweep.at().truncatedTo(ChronoUnit.MICROS)));
    }

    return changes;
  }

  private StagedMerge<Dataset<Row>> staged(
      StageRequest<Dataset<Row>> request, @Nullable SweepRequest<Dataset<Row>> sweep) {
    Optional<DeltaSnapshot> found = table.find();
    ColumnNames names = ColumnNames.of(request.accepted().sparkSession());
    ColumnResolution resolution = table.resolution(request, clauses.stamped(declaration));
    Dataset<Row> marked = resolution.marked(clauses.stamped(request, names, table.name()));
    MergeColumns columns = TargetRef.columns(resolution, marked, found, request.watermarkColumns());
    KeyMatch keys = new KeyMatch(columns, declaration.nullKeys());
    Dataset<Row> shaped = resolution.shaped(marked, columns);
    MergeClauses.Resolved resolved =
        clauses.in(shaped, columns, names, table.name(), request.verb());
    FrozenRows rows =
        FrozenRows.of(
            resolved.keepsWhereNull()
                ? Patches.added(keys.normalized(shaped), columns, keys)
                : shaped,
            request.rejected(),
            columns,
            keys);
    return new DeltaStagedMerge(
        table.table(),
        columns,
        keys,
        rows,
        resolved,
        swept(found, columns, keys, rows, sweep),
        flagged(columns, sweep),
        table.creation(found, resolution, columns));
  }

  /** Returns the table and the declaration. */
  @Override
  public String toString() {
    return table.name() + ", " + declaration;
  }
}
