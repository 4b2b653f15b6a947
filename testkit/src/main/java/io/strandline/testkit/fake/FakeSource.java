package io.strandline.testkit.fake;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.source.NullCursors;
import io.strandline.source.ReadCounts;
import io.strandline.source.Reading;
import io.strandline.source.Rereads;
import io.strandline.source.SourcePlan;
import io.strandline.target.RejectedRows;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.WatermarkRange;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A source in memory: a table with versions, in which rows land over time.
 *
 * <h2>Strict by default</h2>
 *
 * <p>Between plan and read a stranger's row lands, newer than all that was planned, and goes away
 * again before the next plan. Whoever asks the table for its newest row after the plan is led
 * astray; whoever keeps to the plan sees nothing of it. {@link #undisturbed()} turns that off.
 *
 * <h2>Table and view</h2>
 *
 * <p>Methods that say how to read, such as {@link #newerBy}, return another view of the same table;
 * what lands through one of them is seen by all.
 *
 * <pre>{@code
 * FakeSource orders = FakeSource.named("bronze_orders").newerBy("loaded_at");
 * orders.land(Rows.columns("order_id", "loaded_at").row("A-17", MONDAY));
 * }</pre>
 *
 * <p>Safe for use by several threads.
 */
public final class FakeSource implements IncrementalSource<Rows> {
  private final String name;
  private final SourceTable table;
  private final @Nullable Cursor cursor;
  private final Clock clock;
  private final Strangers strangers;
  private final Versions versions;

  /** Whether somebody else's rows land between plan and read. */
  private enum Strangers {
    LAND,
    STAY_AWAY
  }

  /** Whether the source knows which version of it was read. */
  private enum Versions {
    KNOWN,
    UNKNOWN
  }

  private FakeSource(
      String name,
      SourceTable table,
      @Nullable Cursor cursor,
      Clock clock,
      Strangers strangers,
      Versions versions) {
    this.name = name;
    this.table = table;
    this.cursor = cursor;
    this.clock = clock;
    this.strangers = strangers;
    this.versions = versions;
  }

  /**
   * Makes a source over an empty table.
   *
   * @param name the name
   * @return the source; call {@link #newerBy} before it is planned
   */
  public static FakeSource named(String name) {
    return new FakeSource(
        name, new SourceTable(), null, Clock.systemUTC(), Strangers.LAND, Versions.KNOWN);
  }

  /**
   * Names the watermark columns.
   *
   * @param column the first column
   * @param more further columns, compared left to right
   * @return a view of the same table
   */
  public FakeSource newerBy(String column, String... more) {
    return newerBy(Cursor.on(column, more));
  }

  /**
   * Says which rows are new.
   *
   * @param newCursor the watermark columns and options; expressions are not understood
   * @return a view of the same table
   * @throws IllegalArgumentException if the cursor is an expression
   */
  public FakeSource newerBy(Cursor newCursor) {
    if (newCursor.isExpression()) {
      throw new IllegalArgumentException(
          "Cannot read "
              + name
              + " newer by '"
              + newCursor
              + "': a fake source has no SQL. Land"
              + " the value of the expression as a column.");
    }

    return new FakeSource(name, table, newCursor, clock, strangers, versions);
  }

  /**
   * Names the source's own clock, which settle time and the cap on future rows go by.
   *
   * @param newClock the clock; the system's by default
   * @return a view of the same table
   */
  public FakeSource timedBy(Clock newClock) {
    return new FakeSource(name, table, cursor, newClock, strangers, versions);
  }

  /** Returns a view of the same table in which no stranger's row lands between plan and read. */
  public FakeSource undisturbed() {
    return new FakeSource(name, table, cursor, clock, Strangers.STAY_AWAY, versions);
  }

  /**
   * Returns a view of the same table that does not know versions, as a database does not.
   *
   * <p>What a plan saw is frozen with it.
   */
  public FakeSource withoutVersions() {
    return new FakeSource(name, table, cursor, clock, strangers, Versions.UNKNOWN);
  }

  /**
   * Lands rows, in one version.
   *
   * @param rows the rows
   */
  public void land(Rows rows) {
    table.commit(all -> all.concat(rows));
  }

  /**
   * Lands rows after the next plan and before its rows are read.
   *
   * @param rows the rows, which stay
   */
  public void landDuringNextRead(Rows rows) {
    table.landDuringNextRead(rows);
  }

  /**
   * Deletes rows, in one version.
   *
   * @param condition true for the rows to delete
   */
  public void delete(Predicate<Map<String, @Nullable Object>> condition) {
    table.commit(all -> all.filter(condition.negate()));
  }

  /** Makes a version that holds the same rows, as compaction does. */
  public void compact() {
    table.commit(all -> all);
  }

  /**
   * Drops the table and makes it anew, under the same name.
   *
   * @param rows the first rows of the new table
   */
  public void recreate(Rows rows) {
    table.recreate(rows);
  }

  /** Returns every row that the table holds now. */
  public Rows rows() {
    return table.newest();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Set<StreamName> streams() {
    return Set.of(StreamName.only());
  }

  @Override
  public List<String> watermarkColumns() {
    return cursor().columns();
  }

  @Override
  public Rereads rereads() {
    return cursor().rereads();
  }

  @Override
  public String declaration() {
    return "newer by " + cursor();
  }

  @Override
  public SourcePlan<Rows> plan(StoredWatermarks stored) {
    return plan(StreamName.only(), stored.stream(StreamName.only()));
  }

  SourcePlan<Rows> plan(StreamName stream, StoredStream stored) {
    table.settleDown();
    TableSnapshot snapshot = snapshot();

    if (stored.isAsTheRunLeftIt()) {
      TableSnapshot seen = stored.state().source();

      if (seen.isOfAnotherTable(snapshot)) {
        throw recreated(seen, snapshot);
      }

      if (snapshot.isKnown()
          && seen.equals(snapshot)
          && stored.state().remainder() == Remainder.NONE) {
        return new SourcePlan.NothingNew<>(name + " is still at version " + snapshot.version(), 0);
      }
    }

    Rows pinned = requireColumns(table.newest());
    Window window =
        explained(() -> Window.after(stored.value(), cursor(), clock.instant(), pinned));
    refuseNulls(window.unmeasured(pinned));

    if (window.isEmpty()) {
      return new SourcePlan.NothingNew<>(
          name + " has no row after " + stored.value(), window.waiting());
    }

    return planned(stream, window, pinned, snapshot);
  }

  @Override
  public SourcePlan<Rows> planBackfill(StreamName stream, WatermarkRange range) {
    table.settleDown();
    Rows pinned = requireColumns(table.newest());
    Window window = explained(() -> Window.of(range, cursor(), pinned));

    if (window.isEmpty()) {
      return new SourcePlan.NothingNew<>(name + " has no row in " + range, 0);
    }

    return planned(stream, window, pinned, snapshot());
  }

  @Override
  public Rows readAll() {
    return table.newest();
  }

  private SourcePlan<Rows> planned(
      StreamName stream, Window window, Rows pinned, TableSnapshot snapshot) {
    Rows rows = window.rows(pinned);
    Rows rejected =
        cursor().nulls() == NullCursors.QUARANTINE ? window.unmeasured(pinned) : Rows.none();
    ReadCounts counts =
        new ReadCounts((long) rows.size() + rejected.size(), window.late(), window.earliest());
    return new SourcePlan.Planned<>(
        List.of(window.range(stream)),
        Map.of(stream, snapshot),
        window.remainder(),
        window.waiting(),
        name + ", range " + window.range(stream).range(),
        () -> {
          table.landMeanwhile(stranger(rows));
          return new Reading<>(
              rows, rejected.isEmpty() ? List.of() : List.of(withReason(rejected)), () -> counts);
        });
  }

  private Rows withReason(Rows rows) {
    return rows.with(RejectedRows.ORIGIN_COLUMN, row -> RejectedRows.BY_SOURCE)
        .with(Reading.REASON_COLUMN, row -> "no value in watermark column " + cursor());
  }

  /** Makes a row that would be the newest of all, if anyone asked now. */
  private Rows stranger(Rows planned) {
    if (strangers == Strangers.STAY_AWAY) {
      return Rows.none();
    }

    String column = cursor().columns().get(0);
    return planned.stream()
        .filter(row -> row.get(column) != null)
        .sorted(RowValues.newestFirst(cursor().columns()))
        .limit(1)
        .map(newest -> Rows.of(List.of(newest)).with(column, row -> raised(row.get(column))))
        .findFirst()
        .orElse(Rows.none());
  }

  private static @Nullable Object raised(@Nullable Object value) {
    if (value instanceof Instant instant) {
      return instant.plus(1, ChronoUnit.MICROS);
    }

    if (value instanceof LocalDateTime time) {
      return time.plus(1, ChronoUnit.MICROS);
    }

    if (value instanceof LocalDate day) {
      return day.plusDays(1);
    }

    if (value instanceof Long number) {
      return number + 1;
    }

    return value instanceof BigDecimal number ? number.add(BigDecimal.ONE) : value + "~";
  }

  private TableSnapshot snapshot() {
    return versions == Versions.KNOWN ? table.snapshot() : TableSnapshot.unknown();
  }

  private Rows requireColumns(Rows rows) {
    for (String column : cursor().columns()) {
      if (!rows.isEmpty() && !rows.columns().contains(column)) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            "read " + name + " newer by '" + column + "'",
            "the table has no such column. Columns: " + String.join(", ", rows.columns()),
            "");
      }
    }

    return rows;
  }

  private void refuseNulls(Rows rows) {
    if (cursor().nulls() == NullCursors.REFUSE && !rows.isEmpty()) {
      throw new Problem(
          ProblemKind.NULL_CURSOR,
          "read " + name + " newer by '" + cursor() + "'",
          rows.size() + " rows have no value there",
          "Repair them, or choose another policy: nulls(QUARANTINE) or nulls(LOAD).");
    }
  }

  private Problem recreated(TableSnapshot seen, TableSnapshot now) {
    return new Problem(
        ProblemKind.SOURCE_RECREATED,
        "read " + name + " after the stored watermark",
        "it was dropped and made anew: the last run read table "
            + seen.tableId()
            + ", now it is table "
            + now.tableId(),
        "Call reload(), or rewind(..) with the watermark to go on from.");
  }

  /** Turns what does not compare into a problem that names the source. */
  private <T> T explained(Supplier<T> work) {
    try {
      return work.get();
    } catch (IllegalArgumentException e) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "read " + name + " newer by '" + cursor() + "'",
          Objects.toString(e.getMessage(), "").replaceAll("\\.$", ""),
          "",
          e);
    }
  }

  private Cursor cursor() {
    if (cursor == null) {
      throw new IllegalStateException(
          "Cannot read " + name + ": call newerBy(..) to say which rows are new.");
    }

    return cursor;
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
