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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A target in memory that keeps the history of every key (SCD2): versions with a half-open interval
 * {@code [from, to)} and a flag for the current one.
 *
 * <p>Rows are events: each says how its key is from an instant on. A change of a tracked column
 * opens a version, another change is made in place, a delete closes. In whatever order and in
 * whatever runs the same rows come, the history is the same. Rows without a key or an instant are
 * rejected.
 *
 * <p>Methods that say how to merge return another view of the same table. Safe for use by several
 * threads.
 */
public final class FakeHistoryTarget implements MergeTarget<Rows> {
  private final String name;
  private final TargetTable table;
  private final List<Map<String, @Nullable Object>> tombstones;
  private final FakeQuarantine quarantine;
  private final Declaration declared;

  /** How the history is kept. */
  private record Declaration(
      List<String> keys,
      String effective,
      List<String> sequence,
      List<String> tracked,
      List<String> names,
      Deletion deletion) {}

  private FakeHistoryTarget(
      String name,
      TargetTable table,
      List<Map<String, @Nullable Object>> tombstones,
      FakeQuarantine quarantine,
      Declaration declared) {
    this.name = name;
    this.table = table;
    this.tombstones = tombstones;
    this.quarantine = quarantine;
    this.declared = declared;
  }

  /**
   * Makes a target over a table that does not exist yet; the first run makes it.
   *
   * @param name the name
   * @return the target; call {@link #matchedOn} before rows are merged
   */
  public static FakeHistoryTarget named(String name) {
    return new FakeHistoryTarget(
        name,
        new TargetTable(),
        new ArrayList<>(),
        FakeQuarantine.named(name + "_quarantine"),
        new Declaration(
            List.of(),
            "",
            List.of(),
            List.of(),
            List.of("valid_from", "valid_to", "is_current"),
            Deletion.none()));
  }

  /**
   * Names the key columns.
   *
   * @param column the first column
   * @param more further columns
   * @return a view of the same table
   */
  public FakeHistoryTarget matchedOn(String column, String... more) {
    return with(
        new Declaration(
            listOf(column, more),
            declared.effective(),
            declared.sequence(),
            declared.tracked(),
            declared.names(),
            declared.deletion()));
  }

  /**
   * Names the column that says from when on a row holds; by default the watermark column.
   *
   * @param column the column
   * @return a view of the same table
   */
  public FakeHistoryTarget effectiveFrom(String column) {
    return with(
        new Declaration(
            declared.keys(),
            column,
            declared.sequence(),
            declared.tracked(),
            declared.names(),
            declared.deletion()));
  }

  /**
   * Names the columns that say which of two rows of one key and instant is newer; by default the
   * watermark columns.
   *
   * @param column the first column
   * @param more further columns, compared left to right
   * @return a view of the same table
   */
  public FakeHistoryTarget sequencedBy(String column, String... more) {
    return with(
        new Declaration(
            declared.keys(),
            declared.effective(),
            listOf(column, more),
            declared.tracked(),
            declared.names(),
            declared.deletion()));
  }

  /**
   * Names the columns whose change opens a version; by default all but the key and those that say
   * from when on a row holds and which is newer.
   *
   * @param column the first column
   * @param more further columns
   * @return a view of the same table
   */
  public FakeHistoryTarget tracking(String column, String... more) {
    return with(
        new Declaration(
            declared.keys(),
            declared.effective(),
            declared.sequence(),
            listOf(column, more),
            declared.names(),
            declared.deletion()));
  }

  /**
   * Names the columns that the history adds; by default {@code valid_from}, {@code valid_to} and
   * {@code is_current}.
   *
   * @param from the column of the instant from which on a version holds
   * @param to the column of the instant from which on it holds no more; null in open versions
   * @param current the column of the flag of open versions
   * @return a view of the same table
   */
  public FakeHistoryTarget named(String from, String to, String current) {
    return with(
        new Declaration(
            declared.keys(),
            declared.effective(),
            declared.sequence(),
            declared.tracked(),
            listOf(from, to, current),
            declared.deletion()));
  }

  /**
   * Says which rows are deletes, which close the version of their key that holds then.
   *
   * @param deletes the declaration, of hard deletes told by a column
   * @return a view of the same table
   * @throws IllegalArgumentException if the deletes are soft
   */
  public FakeHistoryTarget deletedWhen(Deletes deletes) {
    if (deletes.manner() instanceof Deletes.Soft) {
      throw new IllegalArgumentException(
          "Cannot flag deletes in a history: a delete closes the version. Declare hard deletes.");
    }

    return with(
        new Declaration(
            declared.keys(),
            declared.effective(),
            declared.sequence(),
            declared.tracked(),
            declared.names(),
            new Deletion(Optional.of(deletes))));
  }

  private FakeHistoryTarget with(Declaration changed) {
    return new FakeHistoryTarget(name, table, tombstones, quarantine, changed);
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
    return "history of " + String.join(", ", declared.keys());
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
    return declared.keys();
  }

  @Override
  public StagedMerge<Rows> stage(StageRequest<Rows> request) {
    return staged(request, Closing.none());
  }

  @Override
  public StagedMerge<Rows> stage(StageRequest<Rows> request, SweepRequest<Rows> sweep) {
    return staged(
        request, closing(sweep, request.accepted(), shape(List.of(), sweep.watermarkColumns())));
  }

  @Override
  public StagedMerge<Rows> stage(SweepRequest<Rows> sweep) {
    KeyHistory.Shape shape = shape(List.of(), sweep.watermarkColumns());
    Rows none = Rows.columns(declared.keys().toArray(String[]::new));
    return new Staged(
        CheckedRows.of(none, List.of(), row -> true, ""), shape, closing(sweep, none, shape));
  }

  /** What a sweep closes, and when. */
  private record Closing(Set<Map<String, @Nullable Object>> keys, Instant at) {
    static Closing none() {
      return new Closing(Set.of(), Instant.EPOCH);
    }
  }

  private Closing closing(SweepRequest<Rows> sweep, Rows accepted, KeyHistory.Shape shape) {
    synchronized (table) {
      return new Closing(
          new GoneKeys(name, declared.keys())
              .in(table, row -> row.get(shape.to()) == null, sweep, accepted),
          sweep.at());
    }
  }

  private StagedMerge<Rows> staged(StageRequest<Rows> request, Closing closing) {
    Rows marked = declared.deletion().marked(request.accepted());
    Rows come =
        marked.columns().contains(KeyHistory.MARK)
            ? marked
            : marked.with(KeyHistory.MARK, row -> false);
    List<String> columns =
        CheckedRows.plain(come).columns().stream()
            .filter(column -> !column.equals(KeyHistory.MARK))
            .toList();
    KeyHistory.Shape shape = shape(columns, request.watermarkColumns());
    List<String> needed =
        Stream.concat(shape.keys().stream(), Stream.of(shape.effective())).toList();

    for (String column : needed) {
      if (!come.isEmpty() && !come.columns().contains(column)) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            "keep the history of rows in " + name,
            "the cleaned rows have no column '" + column + "'",
            "");
      }
    }

    requireSchema(come.isEmpty() ? List.of() : columns, shape);
    CheckedRows checked =
        CheckedRows.of(
            come,
            request.rejected(),
            row -> needed.stream().noneMatch(column -> isBlank(row.get(column))),
            "no value in " + String.join(" or ", needed));
    return new Staged(checked, shape, closing);
  }

  private void requireSchema(List<String> come, KeyHistory.Shape shape) {
    Rows held;

    synchronized (table) {
      held = table.rows();
    }

    List<String> own =
        held.columns().stream().filter(column -> !shape.isOfHistory(column)).toList();

    if (!come.isEmpty() && !own.isEmpty() && !Set.copyOf(own).equals(Set.copyOf(come))) {
      throw new Problem(
          ProblemKind.SCHEMA_MISMATCH,
          "keep the history of rows in " + name,
          "the target has the columns "
              + String.join(", ", own)
              + ", the cleaned rows have "
              + String.join(", ", come),
          "Give the rows the target's columns in the cleaner.");
    }
  }

  private static boolean isBlank(@Nullable Object value) {
    return value == null || (value instanceof String text && text.isBlank());
  }

  private KeyHistory.Shape shape(List<String> columns, List<String> watermark) {
    String effective = declared.effective().isEmpty() ? watermark.get(0) : declared.effective();
    List<String> sequence = declared.sequence().isEmpty() ? watermark : declared.sequence();
    List<String> tracked =
        declared.tracked().isEmpty()
            ? columns.stream()
                .filter(
                    column ->
                        !declared.keys().contains(column)
                            && !column.equals(effective)
                            && !sequence.contains(column)
                            && !watermark.contains(column))
                .toList()
            : declared.tracked();
    return new KeyHistory.Shape(
        declared.keys(),
        effective,
        tracked,
        new VersionOrder(sequence, watermark, List.of()),
        List.of(),
        declared.names().get(0),
        declared.names().get(1),
        declared.names().get(2));
  }

  /** Events that wait to be merged. */
  private final class Staged implements StagedMerge<Rows> {
    private final CheckedRows checked;
    private final Rows accepted;
    private final KeyHistory.Shape shape;
    private final Closing closing;

    private Staged(CheckedRows checked, KeyHistory.Shape shape, Closing closing) {
      this.checked = checked;
      this.accepted = checked.accepted();
      this.shape = shape;
      this.closing = closing;
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
        requireFresh(receipt);
        boolean overwrites = receipt.verb() == Verb.RELOAD;
        Rows held = overwrites ? table.rows().filter(row -> false) : table.rows();

        if (overwrites) {
          tombstones.clear();
        }

        Rows events = newest();
        Merging merging = new Merging(held, events);
        tombstones.addAll(deletes(events).maps());

        if (!merging.isChanged() && !receipt.moves() && !overwrites) {
          return new MergeOutcome.NothingToDo(merging.counts(), table.snapshot());
        }

        table.commitRun(overwrites ? "OVERWRITE" : "MERGE", merging.rows(), receipt);
        return new MergeOutcome.Committed(merging.counts(), table.snapshot());
      }
    }

    /** Keeps the newest event of each key and instant. */
    private Rows newest() {
      Map<List<@Nullable Object>, Map<String, @Nullable Object>> newest = new LinkedHashMap<>();
      accepted.stream()
          .sorted(
              RowValues.newestFirst(shape.versionColumns())
                  .thenComparing(row -> !Boolean.TRUE.equals(row.get(KeyHistory.MARK)))
                  .thenComparing(shape.order().inRange()))
          .forEach(
              row -> {
                List<@Nullable Object> instant = key(row);
                instant.add(row.get(shape.effective()));
                newest.putIfAbsent(instant, row);
              });
      return Rows.of(List.copyOf(newest.values()));
    }

    private Rows deletes(Rows events) {
      Set<String> kept = new HashSet<>(shape.keys());
      kept.add(shape.effective());
      kept.addAll(shape.versionColumns());
      Rows deletes = events.filter(row -> Boolean.TRUE.equals(row.get(KeyHistory.MARK)));
      return deletes.isEmpty()
          ? Rows.none()
          : deletes.select(
              deletes.columns().stream().filter(kept::contains).toArray(String[]::new));
    }

    private List<@Nullable Object> key(Map<String, @Nullable Object> row) {
      List<@Nullable Object> key = new ArrayList<>();
      shape.keys().forEach(column -> key.add(row.get(column)));
      return key;
    }

    /** The rows of the table after the events have come. */
    private final class Merging {
      private final Rows held;
      private final List<Map<String, @Nullable Object>> rows = new ArrayList<>();
      private MergeCounts counts;

      private Merging(Rows held, Rows events) {
        this.held = held;
        this.counts = new MergeCounts(0, 0, 0, 0, (long) accepted.size() - events.size(), 0);
        Map<List<@Nullable Object>, List<Map<String, @Nullable Object>>> byKey =
            new LinkedHashMap<>();
        events
            .maps()
            .forEach(row -> byKey.computeIfAbsent(key(row), k -> new ArrayList<>()).add(row));
        GoneKeys keys = new GoneKeys(name, shape.keys());
        held.stream()
            .filter(row -> !byKey.containsKey(key(row)))
            .map(
                row ->
                    row.get(shape.to()) == null && closing.keys().contains(keys.of(row))
                        ? KeyHistory.closed(row, closing.at(), shape)
                        : row)
            .forEach(rows::add);
        byKey.forEach(
            (key, come) -> {
              KeyHistory history =
                  KeyHistory.of(
                      held.filter(row -> key(row).equals(key)).maps(),
                      tombstones.stream().filter(row -> key(row).equals(key)).toList(),
                      come,
                      shape);
              rows.addAll(history.versions());
              counts = sum(counts, history.counts());
            });
        counts = counts.sweeping(closing.keys().size());
      }

      private static MergeCounts sum(MergeCounts one, MergeCounts other) {
        return new MergeCounts(
            one.inserted() + other.inserted(),
            one.updated() + other.updated(),
            one.deleted() + other.deleted(),
            one.unchanged() + other.unchanged(),
            one.superseded() + other.superseded(),
            one.stale() + other.stale());
      }

      private MergeCounts counts() {
        return counts;
      }

      private boolean isChanged() {
        return rows.size() != held.size() || !Set.copyOf(rows).equals(Set.copyOf(held.maps()));
      }

      private Rows rows() {
        return rows.isEmpty() && !held.columns().isEmpty()
            ? held.filter(row -> false)
            : Rows.of(rows);
      }
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

  /** Returns every version that the target holds, without what it keeps for itself. */
  public Rows rows() {
    synchronized (table) {
      Rows rows = table.rows();
      return rows.select(
          rows.columns().stream()
              .filter(column -> !column.equals(KeyHistory.EVENTS))
              .toArray(String[]::new));
    }
  }

  /** Returns every commit, oldest first. */
  public List<FakeCommit> commits() {
    synchronized (table) {
      return table.commits();
    }
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
