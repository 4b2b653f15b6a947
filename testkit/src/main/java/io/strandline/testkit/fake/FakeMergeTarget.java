package io.strandline.testkit.fake;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.target.CheckFinding;
import io.strandline.target.Deletes;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.MergeTarget;
import io.strandline.target.Receipt;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.SweepRequest;
import io.strandline.target.TargetStanding;
import io.strandline.target.Verb;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A keyed target in memory.
 *
 * <h2>Strict by default</h2>
 *
 * <p>It refuses rows whose columns or types differ from its own, a load whose order of versions
 * nobody has named, and a run's number that was used already; it rejects rows without a key. Of
 * several versions of a row the newest is taken, in an order that does not depend on how rows come;
 * an older one never replaces a newer one; a row that changes nothing is not written; and without
 * anything to write, nothing is committed unless a watermark moves.
 *
 * <h2>An operator's hand</h2>
 *
 * <p>{@link #restore}, {@link #truncate}, {@link #overwrite}, {@link #replace} and {@link #drop} do
 * to the table as a whole what a person can do; the next run notices. {@link #put} and {@link
 * #delete} write single rows, which is everybody's right. {@link #forgetReceipts} does what the
 * cleaning of an old log does.
 *
 * <h2>Table and view</h2>
 *
 * <p>Methods that say how to merge, such as {@link #sequencedBy}, return another view of the same
 * table. Safe for use by several threads.
 */
public final class FakeMergeTarget implements MergeTarget<Rows> {
  private final String name;
  private final TargetTable table;
  private final FakeQuarantine quarantine;
  private final List<String> keys;
  private final Sequence sequence;
  private final List<String> ties;
  private final Deletion deletion;
  private final Clauses clauses;

  /** What says which of two versions of a row is newer; no columns: whichever was read later. */
  private record Sequence(Origin origin, List<String> columns) {
    enum Origin {
      WATERMARK,
      NAMED,
      LAST_READ
    }
  }

  private FakeMergeTarget(
      String name,
      TargetTable table,
      FakeQuarantine quarantine,
      List<String> keys,
      Sequence sequence,
      List<String> ties,
      Deletion deletion,
      Clauses clauses) {
    this.name = name;
    this.table = table;
    this.quarantine = quarantine;
    this.keys = keys;
    this.sequence = sequence;
    this.ties = ties;
    this.deletion = deletion;
    this.clauses = clauses;
  }

  /**
   * Makes a target over a table that does not exist yet; the first run makes it.
   *
   * @param name the name
   * @return the target; call {@link #matchedOn} before rows are merged
   */
  public static FakeMergeTarget named(String name) {
    return new FakeMergeTarget(
        name,
        new TargetTable(),
        FakeQuarantine.named(name + "_quarantine"),
        List.of(),
        new Sequence(Sequence.Origin.WATERMARK, List.of()),
        List.of(),
        Deletion.none(),
        Clauses.all());
  }

  /**
   * Names the key columns.
   *
   * @param column the first column
   * @param more further columns
   * @return a view of the same table
   */
  public FakeMergeTarget matchedOn(String column, String... more) {
    return new FakeMergeTarget(
        name, table, quarantine, listOf(column, more), sequence, ties, deletion, clauses);
  }

  /**
   * Names the columns that say which of two versions of a row is newer; by default the watermark
   * columns, where they survive cleaning.
   *
   * @param column the first column
   * @param more further columns, compared left to right
   * @return a view of the same table
   */
  public FakeMergeTarget sequencedBy(String column, String... more) {
    return new FakeMergeTarget(
        name,
        table,
        quarantine,
        keys,
        new Sequence(Sequence.Origin.NAMED, listOf(column, more)),
        ties,
        deletion,
        clauses);
  }

  /** Lets a row that is read in a later run always replace the stored one. */
  public FakeMergeTarget lastReadWins() {
    return new FakeMergeTarget(
        name,
        table,
        quarantine,
        keys,
        new Sequence(Sequence.Origin.LAST_READ, List.of()),
        ties,
        deletion,
        clauses);
  }

  /**
   * Names columns that decide between versions of equal sequence; the greater value wins.
   *
   * @param column the first column
   * @param more further columns, compared left to right
   * @return a view of the same table
   */
  public FakeMergeTarget tiesBrokenBy(String column, String... more) {
    return new FakeMergeTarget(
        name, table, quarantine, keys, sequence, listOf(column, more), deletion, clauses);
  }

  /**
   * Says which rows are deletes, and what they do; by default no row is one.
   *
   * @param deletes a condition on a column; conditions in SQL are not understood
   * @return a view of the same table
   * @throws IllegalArgumentException if the condition is SQL
   */
  public FakeMergeTarget deletedWhen(Deletes deletes) {
    if (deletes.condition() instanceof Deletes.SqlCondition) {
      throw new IllegalArgumentException(
          "Cannot tell deletes of "
              + name
              + " where "
              + deletes.condition()
              + ": a fake target has no SQL. Give the rows a column that tells.");
    }

    return new FakeMergeTarget(
        name, table, quarantine, keys, sequence, ties, new Deletion(Optional.of(deletes)), clauses);
  }

  /**
   * Changes only certain columns of data of a row that is stored.
   *
   * @param column the first column
   * @param more further columns
   * @return a view of the same table
   */
  public FakeMergeTarget updating(String column, String... more) {
    return with(clauses.updating(listOf(column, more)));
  }

  /** Leaves rows that are stored as they are. */
  public FakeMergeTarget insertingOnly() {
    return with(clauses.updatingWhen(new Deletes.Never()));
  }

  /** Inserts nothing. */
  public FakeMergeTarget updatingOnly() {
    return with(clauses.insertingWhen(new Deletes.Never()));
  }

  /**
   * Inserts a row of a new key only if a column has a certain value.
   *
   * @param column the column
   * @param value the value
   * @return a view of the same table
   */
  public FakeMergeTarget insertingWhen(String column, Object value) {
    return with(clauses.insertingWhen(new Deletes.ColumnEquals(column, value)));
  }

  /**
   * Updates a stored row only if a column of the row that comes has a certain value.
   *
   * @param column the column
   * @param value the value
   * @return a view of the same table
   */
  public FakeMergeTarget updatingWhen(String column, Object value) {
    return with(clauses.updatingWhen(new Deletes.ColumnEquals(column, value)));
  }

  /** Lets a null say nothing: the stored value stays. */
  public FakeMergeTarget keepingWhereNull() {
    return with(clauses.keepingWhereNull());
  }

  /**
   * Stamps rows that change with the time at which their run began.
   *
   * @param column the column
   * @return a view of the same table
   */
  public FakeMergeTarget stampingChanges(String column) {
    return with(clauses.stampingChanges(column));
  }

  private FakeMergeTarget with(Clauses changed) {
    return new FakeMergeTarget(name, table, quarantine, keys, sequence, ties, deletion, changed);
  }

  private static List<String> listOf(String column, String... more) {
    return Rows.columns(column).concat(Rows.columns(more)).columns();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String declaration() {
    String order =
        switch (sequence.origin()) {
          case WATERMARK -> "sequenced by the watermark";
          case NAMED -> "sequenced by " + String.join(", ", sequence.columns());
          case LAST_READ -> "last read wins";
        };
    return "matched on "
        + String.join(", ", keys)
        + ", "
        + order
        + deletion.declared().map(deletes -> ", " + deletes).orElse("");
  }

  @Override
  public Repeats repeats() {
    return Repeats.ABSORBED;
  }

  @Override
  public FakeQuarantine quarantine() {
    return quarantine;
  }

  @Override
  public TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen) {
    synchronized (table) {
      return table.standing(identity, lastSeen);
    }
  }

  @Override
  public List<String> keys() {
    return keys;
  }

  @Override
  public StagedMerge<Rows> stage(StageRequest<Rows> request) {
    return staged(request, Set.of());
  }

  @Override
  public StagedMerge<Rows> stage(StageRequest<Rows> request, SweepRequest<Rows> sweep) {
    return staged(request, gone(sweep, request.accepted()));
  }

  @Override
  public StagedMerge<Rows> stage(SweepRequest<Rows> sweep) {
    Rows none = Rows.columns(rows().columns().toArray(String[]::new));
    return new Staged(
        CheckedRows.of(none, List.of(), row -> true, ""),
        new VersionOrder(List.of(), List.of(), List.of()),
        gone(sweep, none),
        sweep.at());
  }

  private Set<Map<String, @Nullable Object>> gone(SweepRequest<Rows> request, Rows accepted) {
    synchronized (table) {
      return new GoneKeys(name, keys).in(table, row -> !deletion.isFlagged(row), request, accepted);
    }
  }

  private StagedMerge<Rows> staged(
      StageRequest<Rows> request, Set<Map<String, @Nullable Object>> gone) {
    requireKeys(request.accepted());
    requireFlag(request.accepted());
    if (request.verb() == Verb.RELOAD
        && clauses.insert().filter(Deletes.Never.class::isInstance).isPresent()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "merge rows into " + name,
          "a reload puts rows in the place of all, and updatingOnly() inserts none",
          "Run or backfill the load.");
    }

    Rows accepted = deletion.marked(stamped(request));
    requireSchema(deletion.unmarked(CheckedRows.plain(accepted)));
    CheckedRows rows =
        CheckedRows.of(
            accepted,
            request.rejected(),
            row -> keys.stream().noneMatch(key -> isBlank(row.get(key))),
            "no value in key " + String.join(", ", keys));
    return new Staged(rows, order(accepted, request.watermarkColumns()), gone, request.at());
  }

  private Rows stamped(StageRequest<Rows> request) {
    String stamp = clauses.stamp();

    if (stamp.isEmpty()) {
      return request.accepted();
    }

    if (request.accepted().columns().contains(stamp)) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "merge rows into " + name,
          "the cleaned rows have a column '" + stamp + "', which the target stamps itself",
          "Drop it in the cleaner.");
    }

    return request.accepted().with(stamp, row -> request.at());
  }

  private static boolean isBlank(@Nullable Object value) {
    return value == null || (value instanceof String text && text.isBlank());
  }

  private void requireKeys(Rows rows) {
    if (keys.isEmpty()) {
      throw new IllegalStateException(
          "Cannot merge into " + name + ": call matchedOn(..) to name the key.");
    }

    for (String key : keys) {
      if (!rows.isEmpty() && !rows.columns().contains(key)) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            "merge rows into " + name + " matched on '" + key + "'",
            "the cleaned rows have no such column. Columns: " + String.join(", ", rows.columns()),
            "");
      }
    }
  }

  private void requireFlag(Rows rows) {
    deletion
        .declared()
        .map(Deletes::condition)
        .filter(Deletes.ColumnEquals.class::isInstance)
        .map(condition -> ((Deletes.ColumnEquals) condition).column())
        .filter(column -> !rows.isEmpty() && !rows.columns().contains(column))
        .ifPresent(
            column -> {
              throw new Problem(
                  ProblemKind.BAD_CONFIGURATION,
                  "tell deletes of " + name + " by '" + column + "'",
                  "the cleaned rows have no such column. Columns: "
                      + String.join(", ", rows.columns()),
                  "");
            });
  }

  private void requireSchema(Rows rows) {
    Rows held;

    synchronized (table) {
      held = table.rows();
    }

    if (rows.isEmpty() || held.columns().isEmpty()) {
      return;
    }

    if (!Set.copyOf(held.columns()).equals(Set.copyOf(rows.columns()))) {
      throw mismatch(
          "the target has the columns "
              + String.join(", ", held.columns())
              + ", the cleaned rows have "
              + String.join(", ", rows.columns()));
    }

    for (String column : held.columns()) {
      Set<String> types = types(held, column);

      for (String type : types(rows, column)) {
        if (!types.isEmpty() && !types.contains(type)) {
          throw mismatch(
              "column '"
                  + column
                  + "' is "
                  + String.join(" or ", types)
                  + " in the target and "
                  + type
                  + " after cleaning");
        }
      }
    }
  }

  private Problem mismatch(String reason) {
    return new Problem(
        ProblemKind.SCHEMA_MISMATCH,
        "merge rows into " + name,
        reason,
        "Give the rows the target's columns in the cleaner.");
  }

  private static Set<String> types(Rows rows, String column) {
    Set<String> types = new LinkedHashSet<>();

    for (Map<String, @Nullable Object> row : rows.maps()) {
      Object value = row.get(column);

      if (value != null) {
        types.add(value.getClass().getSimpleName());
      }
    }

    return types;
  }

  private VersionOrder order(Rows rows, List<String> watermarkColumns) {
    if (sequence.origin() != Sequence.Origin.WATERMARK) {
      return new VersionOrder(sequence.columns(), watermarkColumns, ties);
    }

    if (!rows.isEmpty()
        && (watermarkColumns.isEmpty() || !rows.columns().containsAll(watermarkColumns))) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "merge rows into " + name,
          "nothing says which of two versions of a row is newer: the watermark column "
              + String.join(", ", watermarkColumns)
              + " is gone after cleaning",
          "Keep it, or call sequencedBy(..) or lastReadWins().");
    }

    return new VersionOrder(watermarkColumns, watermarkColumns, ties);
  }

  /** Rows that wait to be merged. */
  private final class Staged implements StagedMerge<Rows> {
    private final CheckedRows checked;
    private final Rows accepted;
    private final VersionOrder order;
    private final Set<Map<String, @Nullable Object>> gone;
    private final Instant at;

    private Staged(
        CheckedRows checked,
        VersionOrder order,
        Set<Map<String, @Nullable Object>> gone,
        Instant at) {
      this.checked = checked;
      this.accepted = checked.accepted();
      this.order = order;
      this.gone = gone;
      this.at = at;
    }

    @Override
    public long accepted() {
      return accepted.size();
    }

    @Override
    public long rejectedRows() {
      return rejected().stream().mapToLong(Rows::size).sum();
    }

    @Override
    public List<Rows> rejected() {
      return checked.rejected();
    }

    @Override
    public List<CheckFinding> warned() {
      return checked.warned();
    }

    @Override
    public List<CheckFinding> failed() {
      return checked.failed();
    }

    @Override
    public MergeOutcome merge(Receipt receipt) {
      synchronized (table) {
        boolean overwrites = receipt.verb() == Verb.RELOAD;
        bury(table.tombstones());
        requireFresh(receipt);

        if (overwrites) {
          bury(Rows.none());
        }

        Merged merged =
            Merged.of(
                overwrites ? Rows.columns(columns()) : table.rows(),
                table.tombstones(),
                accepted,
                keys,
                order,
                deletion,
                clauses);
        Predicate<Map<String, @Nullable Object>> isGone = row -> gone.contains(key(row));
        MergeCounts counts = merged.counts().sweeping(merged.rows().filter(isGone).size());

        if (counts.merged() == 0 && !receipt.moves() && !overwrites) {
          return new MergeOutcome.NothingToDo(counts, table.snapshot());
        }

        table.commitRun(overwrites ? "OVERWRITE" : "MERGE", swept(merged.rows(), isGone), receipt);
        return new MergeOutcome.Committed(counts, table.snapshot());
      }
    }

    private Rows swept(Rows rows, Predicate<Map<String, @Nullable Object>> isGone) {
      Rows swept = deletion.sweep(rows, isGone);
      String stamp = clauses.stamp();
      return deletion.isSoft() && swept.columns().contains(stamp)
          ? swept.with(stamp, row -> isGone.test(row) ? at : row.get(stamp))
          : swept;
    }

    /** Keeps what remains of deleted rows, before they are deleted. */
    private void bury(Rows tombstones) {
      if (deletion.isHard()) {
        table.bury(
            order.sequence().isEmpty()
                ? tombstones
                : Merged.buried(tombstones, accepted, keys, order));
      }
    }

    private String[] columns() {
      return deletion.unmarked(accepted).columns().toArray(String[]::new);
    }
  }

  private void requireFresh(Receipt receipt) {
    long last = table.standing(receipt.identity(), TableSnapshot.unknown()).number();

    if (receipt.number() <= last) {
      throw new Problem(
          ProblemKind.CONCURRENT_RUN,
          "merge rows into " + name,
          "run " + last + " has committed already, and run " + receipt.number() + " came",
          "Run the load again.");
    }
  }

  /** Returns every row that the target holds. */
  public Rows rows() {
    synchronized (table) {
      return table.rows();
    }
  }

  /** Returns what remains of the rows that hard deletes have removed: the newest of each key. */
  public Rows tombstones() {
    synchronized (table) {
      return table.tombstones();
    }
  }

  /** Forgets the tombstones, as a person does when no older version can arrive any more. */
  public void purgeTombstones() {
    synchronized (table) {
      table.bury(Rows.none());
    }
  }

  /** Returns every commit, oldest first. */
  public List<FakeCommit> commits() {
    synchronized (table) {
      return table.commits();
    }
  }

  /**
   * Writes rows as somebody else, replacing those of the same keys.
   *
   * @param rows the rows
   */
  public void put(Rows rows) {
    change(
        "UPDATE",
        held ->
            held.filter(row -> !rows.select(keyArray()).maps().contains(key(row))).concat(rows));
  }

  /**
   * Deletes rows as somebody else.
   *
   * @param condition true for the rows to delete
   */
  public void delete(Predicate<Map<String, @Nullable Object>> condition) {
    change("DELETE", held -> held.filter(condition.negate()));
  }

  private void change(String operation, UnaryOperator<Rows> change) {
    synchronized (table) {
      table.commit(operation, change.apply(table.rows()));
    }
  }

  private Map<String, @Nullable Object> key(Map<String, @Nullable Object> row) {
    return Rows.of(List.of(row)).select(keyArray()).maps().get(0);
  }

  private String[] keyArray() {
    return keys.toArray(String[]::new);
  }

  /**
   * Restores the table to an earlier version; as in Delta, numbers stay.
   *
   * @param version the version
   */
  public void restore(long version) {
    synchronized (table) {
      table.disturb("RESTORE", table.rowsAt(version), "restored it to version " + version);
    }
  }

  /** Empties the table. */
  public void truncate() {
    synchronized (table) {
      table.disturb("TRUNCATE", table.rows().filter(row -> false), "emptied it");
    }
  }

  /**
   * Overwrites the whole table as somebody else.
   *
   * @param rows the new rows
   */
  public void overwrite(Rows rows) {
    synchronized (table) {
      table.disturb("WRITE", rows, "overwrote it");
    }
  }

  /**
   * Replaces the table by another one of the same name.
   *
   * @param rows the rows of the new table
   */
  public void replace(Rows rows) {
    synchronized (table) {
      table.replace(rows);
    }
  }

  /** Drops the table, and with it every number and receipt. */
  public void drop() {
    synchronized (table) {
      table.drop();
    }
  }

  /** Forgets all receipts but not the numbers, as a cleaned log does. */
  public void forgetReceipts() {
    synchronized (table) {
      table.forgetReceipts();
    }
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
