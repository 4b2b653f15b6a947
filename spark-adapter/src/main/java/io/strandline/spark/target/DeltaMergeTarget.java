package io.strandline.spark.target;

import static io.strandline.spark.target.TargetRef.listed;
import static java.util.Objects.requireNonNull;

import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.TargetStanding;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

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
 * told apart by name; the columns of the cleaned rows must be those of the table.
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
  public StagedMerge<Dataset<Row>> stage(StageRequest<Dataset<Row>> request) {
    Optional<DeltaSnapshot> found = table.find();
    ColumnResolution resolution = table.resolution(request, declaration);
    MergeColumns columns = TargetRef.columns(resolution, request, found);
    KeyMatch keys = new KeyMatch(columns, declaration.nullKeys());
    FrozenRows rows =
        FrozenRows.of(
            resolution.renamed(request.accepted(), columns), request.rejected(), columns, keys);
    return new DeltaStagedMerge(
        table.table(), columns, keys, rows, table.creation(found, resolution, columns));
  }

  /** Returns the table and the declaration. */
  @Override
  public String toString() {
    return table.name() + ", " + declaration;
  }
}
