package io.strandline.spark.target;

import static io.strandline.spark.target.TargetRef.listed;
import static java.util.Objects.requireNonNull;

import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.target.MergeDeclaration.Order;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.TargetStanding;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A Delta table that rows are added to, each range exactly once; nothing that stands there is ever
 * changed.
 *
 * <p>Rows, the receipt and the run's number land in one commit of the table.
 *
 * <p>Without a key every row is appended. A row that is read twice would stand there twice, so the
 * source must not read rows again: its cursor is {@code exclusive()}, without a lookback. A load
 * never appends a range that overlaps the one before, that follows a receipt which can no longer be
 * read, or that begins at the start though the table holds rows: it stops, and a person decides.
 *
 * <p>With a key ({@link #matchedOn}) a row is appended only if the table holds no row of its key,
 * or, with {@link #changesOnly()}, only if it differs from the version before it. Then reading rows
 * again does no harm, and inclusive bounds and lookbacks are safe. Rows without a key are rejected.
 *
 * <p>Immutable: every method returns another target. Safe for use by several threads.
 *
 * <pre>{@code
 * DeltaAppendTarget.forName(spark, "bronze_orders").createdIfMissing();
 * DeltaAppendTarget.forName(spark, "price_changes").matchedOn("product_id").changesOnly();
 * }</pre>
 */
public final class DeltaAppendTarget implements MergeTarget<Dataset<Row>> {
  private final TargetRef table;
  private final MergeDeclaration declaration;
  private final Appended appended;

  /** Which rows are appended. */
  enum Appended {
    ALL,
    NEW_KEYS,
    CHANGES
  }

  private DeltaAppendTarget(TargetRef table, MergeDeclaration declaration, Appended appended) {
    this.table = table;
    this.declaration = declaration;
    this.appended = appended;
  }

  /**
   * Names a table of the catalog.
   *
   * @param spark the session; its settings apply to what is written, and are never changed
   * @param name the name of the table, of one to three parts
   * @return the target, which appends every row
   */
  public static DeltaAppendTarget forName(SparkSession spark, String name) {
    return of(DeltaRef.forName(spark, name));
  }

  /**
   * Names a table by the folder it lies in.
   *
   * @param spark the session; its settings apply to what is written, and are never changed
   * @param path the folder
   * @return the target, which appends every row
   */
  public static DeltaAppendTarget forPath(SparkSession spark, String path) {
    return of(DeltaRef.forPath(spark, path));
  }

  private static DeltaAppendTarget of(DeltaRef table) {
    return new DeltaAppendTarget(
        TargetRef.existing(table),
        MergeDeclaration.matchedOn(List.of()).lastReadWins(),
        Appended.ALL);
  }

  /**
   * Says what tells rows apart: a row whose key the table holds is not appended. Of several rows of
   * one key in a range the newest is taken.
   *
   * @param column the key column, by its exact name after cleaning
   * @param more further columns of the key
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice
   */
  public DeltaAppendTarget matchedOn(String column, String... more) {
    return new DeltaAppendTarget(
        table, MergeDeclaration.matchedOn(listed("matchedOn", column, more)), Appended.NEW_KEYS);
  }

  /**
   * Appends every version of a key that differs from the version before it, in the order of the
   * sequence, and no version that the table holds. Compared are all columns but key, sequence,
   * watermark and {@link #stamped} ones.
   *
   * @return the target
   * @throws IllegalArgumentException if no key was named before
   */
  public DeltaAppendTarget changesOnly() {
    requireKey("changesOnly()");
    return new DeltaAppendTarget(table, declaration, Appended.CHANGES);
  }

  /**
   * Says which of two versions of a key is newer; by default the watermark columns say it.
   *
   * @param column the column; the greater value is newer, null is older than all values
   * @param more further columns, compared left to right
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice, or no key was named before
   */
  public DeltaAppendTarget sequencedBy(String column, String... more) {
    requireKey("sequencedBy(..)");
    return with(declaration.sequencedBy(listed("sequencedBy", column, more)));
  }

  /**
   * Says what decides between rows of a range that are equal in sequence and watermark; the greater
   * value wins.
   *
   * @param column the column
   * @param more further columns, compared left to right
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice, or no key was named before
   */
  public DeltaAppendTarget tieBrokenBy(String column, String... more) {
    requireKey("tieBrokenBy(..)");
    return with(declaration.tieBrokenBy(listed("tieBrokenBy", column, more)));
  }

  /**
   * Names columns that the cleaner stamps anew on every run, such as {@code loaded_at}, which are
   * appended but never compared.
   *
   * @param column the column
   * @param more further columns
   * @return the target
   * @throws IllegalArgumentException if a name is blank or stands twice
   */
  public DeltaAppendTarget stamped(String column, String... more) {
    return with(declaration.stamped(listed("stamped", column, more)));
  }

  /**
   * Lets null be a key like any other; by default rows with a null or blank key column are
   * rejected. A blank key counts as null, and is stored as null.
   *
   * @return the target
   * @throws IllegalArgumentException if no key was named before
   */
  public DeltaAppendTarget nullKeysMatch() {
    requireKey("nullKeysMatch()");
    return with(declaration.nullKeysMatch());
  }

  /**
   * Creates the table with the columns of the cleaned rows if it is missing; by default a missing
   * table is an error.
   *
   * @return the target
   */
  public DeltaAppendTarget createdIfMissing() {
    return createdIfMissing(TableLayout.plain());
  }

  /**
   * Creates the table with the columns of the cleaned rows, and with a layout, if it is missing.
   *
   * @param layout partitioning, clustering and properties
   * @return the target
   */
  public DeltaAppendTarget createdIfMissing(TableLayout layout) {
    return new DeltaAppendTarget(
        table.createdIfMissing(requireNonNull(layout, "layout")), declaration, appended);
  }

  /**
   * Says what becomes of rows whose columns are not those of the table; by default every difference
   * fails the load.
   *
   * @param policy what becomes of new and missing columns and of wider types
   * @return the target
   */
  public DeltaAppendTarget onSchemaDrift(SchemaPolicy policy) {
    return new DeltaAppendTarget(table.onSchemaDrift(policy), declaration, appended);
  }

  private DeltaAppendTarget with(MergeDeclaration changed) {
    return new DeltaAppendTarget(table, changed, appended);
  }

  private void requireKey(String call) {
    if (appended == Appended.ALL) {
      throw new IllegalArgumentException(
          "Cannot call " + call + ": call matchedOn(..) before, to say what tells rows apart.");
    }
  }

  @Override
  public String name() {
    return table.name();
  }

  @Override
  public String declaration() {
    return switch (appended) {
      case ALL -> "appended";
      case NEW_KEYS -> "appended once per " + String.join(", ", declaration.keys());
      case CHANGES -> "changes appended, " + declaration;
    };
  }

  /** Rows without a key cannot be told apart, so they may not come again. */
  @Override
  public Repeats repeats() {
    return appended == Appended.ALL ? Repeats.APPENDED : Repeats.ABSORBED;
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
    ColumnResolution resolution = table.resolution(request, ordered());
    Dataset<Row> accepted = resolution.marked(request.accepted());
    MergeColumns columns =
        TargetRef.columns(resolution, accepted, found, request.watermarkColumns());
    Dataset<Row> renamed = resolution.shaped(accepted, columns);
    KeyMatch keys = new KeyMatch(columns, declaration.nullKeys());
    FrozenRows rows =
        appended == Appended.ALL
            ? FrozenRows.unkeyed(renamed, request.rejected(), columns)
            : FrozenRows.of(renamed, request.rejected(), columns, keys);
    return new DeltaStagedAppend(
        table.table(), columns, keys, rows, appended, table.creation(found, resolution, columns));
  }

  /**
   * Where only one row of a key is appended, nothing stored is ever replaced: no sequence needed.
   */
  private MergeDeclaration ordered() {
    return appended == Appended.NEW_KEYS && declaration.order() == Order.WATERMARK
        ? declaration.lastReadWins()
        : declaration;
  }

  /** Returns the table and the declaration. */
  @Override
  public String toString() {
    return table.name() + ", " + declaration();
  }
}
