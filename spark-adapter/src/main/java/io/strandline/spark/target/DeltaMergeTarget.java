package io.strandline.spark.target;

import static io.strandline.spark.target.TargetRef.listed;
import static java.util.Objects.requireNonNull;
import static org.apache.spark.sql.functions.lit;

import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.target.Deletes;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.Receipt;
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

  private DeltaMergeTarget(TargetRef table, MergeDeclaration declaration) {
    this.table = table;
    this.declaration = declaration;
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
     * @param column the key column, by its exact name after cleaning
     * @param more further columns of the key
     * @return the target
     * @throws IllegalArgumentException if a name is blank or stands twice
     */
    public DeltaMergeTarget matchedOn(String column, String... more) {
      return new DeltaMergeTarget(
          TargetRef.existing(table), MergeDeclaration.matchedOn(listed("matchedOn", column, more)));
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
        table.createdIfMissing(requireNonNull(newLayout, "layout")), declaration);
  }

  /**
   * Says what becomes of rows whose columns are not those of the table; by default every difference
   * fails the load.
   *
   * @param policy what becomes of new and missing columns and of wider types
   * @return the target
   */
  public DeltaMergeTarget onSchemaDrift(SchemaPolicy policy) {
    return new DeltaMergeTarget(table.onSchemaDrift(policy), declaration);
  }

  private DeltaMergeTarget with(MergeDeclaration changed) {
    return new DeltaMergeTarget(table, changed);
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
        new ColumnResolution(table.name(), ColumnNames.of(spark), declaration, table.onDrift());
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
        swept(found, columns, keys, rows, sweep),
        flagged(),
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
            flagged())
        .find(sweep, rows.chosen());
  }

  /** Returns the flag of a row that is swept softly. */
  private Object flagged() {
    Deletes deletes = declaration.deletes();
    return deletes == null ? true : deletes.flagged();
  }

  private StagedMerge<Dataset<Row>> staged(
      StageRequest<Dataset<Row>> request, @Nullable SweepRequest<Dataset<Row>> sweep) {
    Optional<DeltaSnapshot> found = table.find();
    ColumnResolution resolution = table.resolution(request, declaration);
    Dataset<Row> marked = resolution.marked(request.accepted());
    MergeColumns columns = TargetRef.columns(resolution, marked, found, request.watermarkColumns());
    KeyMatch keys = new KeyMatch(columns, declaration.nullKeys());
    FrozenRows rows =
        FrozenRows.of(resolution.shaped(marked, columns), request.rejected(), columns, keys);
    return new DeltaStagedMerge(
        table.table(),
        columns,
        keys,
        rows,
        swept(found, columns, keys, rows, sweep),
        flagged(),
        table.creation(found, resolution, columns));
  }

  /** What is ready for a table that does not exist: nothing. */
  private static final class NothingStaged implements StagedMerge<Dataset<Row>> {
    @Override
    public long accepted() {
      return 0;
    }

    @Override
    public long rejectedRows() {
      return 0;
    }

    @Override
    public List<Dataset<Row>> rejected() {
      return List.of();
    }

    @Override
    public MergeOutcome merge(Receipt receipt) {
      return new MergeOutcome.NothingToDo(MergeCounts.none(), TableSnapshot.unknown());
    }
  }

  /** Returns the table and the declaration. */
  @Override
  public String toString() {
    return table.name() + ", " + declaration;
  }
}
