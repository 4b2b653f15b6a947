package io.strandline.source;

import io.strandline.watermark.Bound;
import io.strandline.watermark.Watermark;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Says which rows of a source are new: the watermark columns, and the options that all sources with
 * such columns share.
 *
 * <p>By default the lower bound is inclusive, nothing is looked back at, rows without a value are
 * quarantined, values from the future are loaded, and a run takes everything. Immutable: every
 * method returns another cursor.
 */
public final class Cursor {
  private final List<String> columns;
  private final boolean isExpression;
  private final Bound bound;
  private final Lookback lookback;
  private final @Nullable Duration settleTime;
  private final Watermark floor;
  private final Set<Watermark> sentinels;
  private final NullCursors nulls;
  private final FutureCursors future;
  private final long rowLimit;
  private final Extent extent;
  private final @Nullable ZoneId zone;

  /** Whether a run reads what is new, or everything. */
  private enum Extent {
    NEW_ROWS,
    ALL_ROWS
  }

  private Cursor(Draft draft) {
    this.columns = List.copyOf(draft.columns);
    this.isExpression = draft.isExpression;
    this.bound = draft.bound;
    this.lookback = draft.lookback;
    this.settleTime = draft.settleTime;
    this.floor = draft.floor;
    this.sentinels = Set.copyOf(draft.sentinels);
    this.nulls = draft.nulls;
    this.future = draft.future;
    this.rowLimit = draft.rowLimit;
    this.extent = draft.extent;
    this.zone = draft.zone;
  }

  /**
   * Measures the watermark by one column, or by several compared left to right.
   *
   * @param column the first column, exactly as the source names it
   * @param more further columns
   * @return the cursor
   * @throws IllegalArgumentException if a name is blank or stands twice
   */
  public static Cursor on(String column, String... more) {
    Draft draft = new Draft();
    draft.columns = Stream.concat(Stream.of(column), Stream.of(more)).toList();

    for (String name : draft.columns) {
      if (name.isBlank()) {
        throw new IllegalArgumentException("Cannot measure by column '" + name + "': no name.");
      }
    }

    if (new LinkedHashSet<>(draft.columns).size() < draft.columns.size()) {
      throw new IllegalArgumentException(
          "Cannot measure by columns " + draft.columns + ": one of them stands twice.");
    }

    return new Cursor(draft);
  }

  /**
   * Measures the watermark by an expression over the source's columns.
   *
   * <p>An expression prunes no files and uses no index, unless the source knows better.
   *
   * @param sqlExpression the expression in the source's SQL, such as {@code coalesce(modified,
   *     created)}
   * @return the cursor
   * @throws IllegalArgumentException if the expression is blank
   */
  public static Cursor expression(String sqlExpression) {
    if (sqlExpression.isBlank()) {
      throw new IllegalArgumentException("Cannot measure by a blank expression.");
    }

    Draft draft = new Draft();
    draft.columns = List.of(sqlExpression);
    draft.isExpression = true;
    return new Cursor(draft);
  }

  /** Reads rows that share the stored watermark again; the default. */
  public Cursor inclusive() {
    Draft draft = new Draft(this);
    draft.bound = Bound.INCLUSIVE;
    return new Cursor(draft);
  }

  /** Does not read rows that share the stored watermark again; for columns without ties. */
  public Cursor exclusive() {
    Draft draft = new Draft(this);
    draft.bound = Bound.EXCLUSIVE;
    return new Cursor(draft);
  }

  /**
   * Reads again what lies less than a time below the stored watermark, to catch late rows.
   *
   * @param time the time, positive; none by default
   * @return the cursor
   */
  public Cursor lookback(Duration time) {
    Draft draft = new Draft(this);
    draft.lookback = new Lookback.OfTime(time);
    return new Cursor(draft);
  }

  /**
   * Reads again what lies less than a distance below the stored watermark, to catch late rows.
   *
   * @param distance the distance in the watermark's own numbers, positive; none by default
   * @return the cursor
   */
  public Cursor lookback(BigDecimal distance) {
    Draft draft = new Draft(this);
    draft.lookback = new Lookback.OfNumber(distance);
    return new Cursor(draft);
  }

  /**
   * Reads again what lies less than a distance below the stored watermark, to catch late rows.
   *
   * @param distance the distance in the watermark's own numbers, positive; none by default
   * @return the cursor
   */
  public Cursor lookback(long distance) {
    return lookback(BigDecimal.valueOf(distance));
  }

  /**
   * Leaves rows for a later run until they have existed for a time, so that open transactions can
   * finish.
   *
   * @param time the time by the source's own clock, zero or more; the default is the source's
   * @return the cursor
   * @throws IllegalArgumentException if the time is negative
   */
  public Cursor settledFor(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("Cannot settle for " + time + ": it is negative.");
    }

    Draft draft = new Draft(this);
    draft.settleTime = time;
    return new Cursor(draft);
  }

  /**
   * Never reads rows below a value, not even on the first run.
   *
   * @param watermark the lowest value to read; none by default
   * @return the cursor
   */
  public Cursor notBefore(Watermark watermark) {
    Draft draft = new Draft(this);
    draft.floor = watermark;
    return new Cursor(draft);
  }

  /**
   * Counts a value as none, as where an application writes 1900-01-01 for "never".
   *
   * @param watermark the value; may be called several times
   * @return the cursor
   */
  public Cursor sentinel(Watermark watermark) {
    Draft draft = new Draft(this);
    draft.sentinels = new LinkedHashSet<>(sentinels);
    draft.sentinels.add(watermark);
    return new Cursor(draft);
  }

  /**
   * Says what happens to rows without a value.
   *
   * @param policy the policy; {@link NullCursors#QUARANTINE} by default
   * @return the cursor
   */
  public Cursor nulls(NullCursors policy) {
    Draft draft = new Draft(this);
    draft.nulls = policy;
    return new Cursor(draft);
  }

  /**
   * Says what happens when values lie beyond the source's clock.
   *
   * @param policy the policy; {@link FutureCursors#ALLOW} by default
   * @return the cursor
   */
  public Cursor future(FutureCursors policy) {
    Draft draft = new Draft(this);
    draft.future = policy;
    return new Cursor(draft);
  }

  /**
   * Reads a limited number of rows per run, whole ties only, so that a large first load goes in
   * steps.
   *
   * <p>Only rows above the stored watermark count, so that what is read again, because of a
   * lookback or an inclusive bound, never keeps a run from getting on.
   *
   * @param rows the number, positive; rows that share the last value are all read, even beyond it
   * @return the cursor
   * @throws IllegalArgumentException if the number is not positive
   */
  public Cursor atMost(long rows) {
    if (rows < 1) {
      throw new IllegalArgumentException("Cannot read at most " + rows + " rows: at least 1.");
    }

    Draft draft = new Draft(this);
    draft.rowLimit = rows;
    return new Cursor(draft);
  }

  /** Reads every row on every run; the watermark is kept all the same. */
  public Cursor readingAll() {
    Draft draft = new Draft(this);
    draft.extent = Extent.ALL_ROWS;
    return new Cursor(draft);
  }

  /**
   * Declares the zone of a zone-less watermark column, wherever it meets a clock.
   *
   * @param declaredZone the zone
   * @return the cursor
   */
  public Cursor inZone(ZoneId declaredZone) {
    Draft draft = new Draft(this);
    draft.zone = declaredZone;
    return new Cursor(draft);
  }

  /** Returns the watermark columns left to right; for an expression, its one text. */
  public List<String> columns() {
    return columns;
  }

  /** Tells whether the watermark is measured by an expression instead of columns. */
  public boolean isExpression() {
    return isExpression;
  }

  /** Returns whether rows at the lower end are read again. */
  public Bound bound() {
    return bound;
  }

  /** Returns how far below the stored watermark a run reads. */
  public Lookback lookback() {
    return lookback;
  }

  /** Returns how long rows must have existed; empty if the source's own default holds. */
  public Optional<Duration> settleTime() {
    return Optional.ofNullable(settleTime);
  }

  /** Returns the lowest value ever read; {@link Watermark#start()} if there is no floor. */
  public Watermark floor() {
    return floor;
  }

  /** Returns the values that count as none. */
  public Set<Watermark> sentinels() {
    return sentinels;
  }

  /** Returns what happens to rows without a value. */
  public NullCursors nulls() {
    return nulls;
  }

  /** Returns what happens when values lie beyond the clock. */
  public FutureCursors future() {
    return future;
  }

  /** Returns the most rows that a run reads; {@link Long#MAX_VALUE} without a limit. */
  public long rowLimit() {
    return rowLimit;
  }

  /** Tells whether every run reads every row. */
  public boolean readsAll() {
    return extent == Extent.ALL_ROWS;
  }

  /**
   * Tells whether rows are read again on purpose: those that share the stored watermark, those that
   * a lookback reaches, those without a value if they are loaded, those from the future if the
   * watermark is capped, or all of them.
   */
  public Rereads rereads() {
    boolean readsAgain =
        bound == Bound.INCLUSIVE
            || !(lookback instanceof Lookback.None)
            || nulls == NullCursors.LOAD
            || future == FutureCursors.CAP
            || readsAll();
    return readsAgain ? Rereads.SOMETIMES : Rereads.NEVER;
  }

  /** Returns the declared zone of a zone-less column; empty if none was declared. */
  public Optional<ZoneId> zone() {
    return Optional.ofNullable(zone);
  }

  /**
   * Returns the value to read from, after lookback and floor.
   *
   * @param stored the stored watermark
   * @return the lower end; {@link Watermark#start()} if everything is read
   * @throws IllegalArgumentException if the lookback or floor is of another kind than the watermark
   */
  public Watermark lowerEnd(Watermark stored) {
    Watermark below = stored.isStart() || readsAll() ? Watermark.start() : lookback.below(stored);
    return Watermark.max(below, floor);
  }

  /**
   * Returns whether the value to read from belongs to the range.
   *
   * @param stored the stored watermark
   * @return exclusive only if that was chosen, and the lower end is the stored watermark itself
   */
  public Bound lowerBound(Watermark stored) {
    return lowerEnd(stored).equals(stored) ? bound : Bound.INCLUSIVE;
  }

  /** Returns what is remembered of the cursor: its columns or expression. */
  @Override
  public String toString() {
    return String.join(", ", columns);
  }

  /** The options while they are changed. */
  private static final class Draft {
    private List<String> columns = List.of();
    private boolean isExpression;
    private Bound bound = Bound.INCLUSIVE;
    private Lookback lookback = Lookback.none();
    private @Nullable Duration settleTime;
    private Watermark floor = Watermark.start();
    private Set<Watermark> sentinels = Set.of();
    private NullCursors nulls = NullCursors.QUARANTINE;
    private FutureCursors future = FutureCursors.ALLOW;
    private long rowLimit = Long.MAX_VALUE;
    private Extent extent = Extent.NEW_ROWS;
    private @Nullable ZoneId zone;

    private Draft() {}

    private Draft(Cursor cursor) {
      this.columns = cursor.columns;
      this.isExpression = cursor.isExpression;
      this.bound = cursor.bound;
      this.lookback = cursor.lookback;
      this.settleTime = cursor.settleTime;
      this.floor = cursor.floor;
      this.sentinels = cursor.sentinels;
      this.nulls = cursor.nulls;
      this.future = cursor.future;
      this.rowLimit = cursor.rowLimit;
      this.extent = cursor.extent;
      this.zone = cursor.zone;
    }
  }
}
