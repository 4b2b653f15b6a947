package io.strandline.spark.source;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;

import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.Lookback;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.apache.spark.sql.Column;
import org.jspecify.annotations.Nullable;

/**
 * Which rows a run may read, as far as that is known before any row was seen.
 *
 * <p>Immutable.
 */
final class CursorWindow {
  private static final String SETTLE_REMEDY =
      "Only a watermark of time settles; leave the settle time out, and look back instead.";
  private static final String CAP_REMEDY = "Only a watermark of time can lie in the future.";
  private static final String ZONE_REMEDY = "Declare its zone with inZone(..).";

  private final Watermark stored;
  private final Watermark after;
  private final Bound bound;
  private final Watermark floor;
  private final boolean countsLate;

  /** The largest value to read; null if the rows decide. */
  private final @Nullable Watermark upTo;

  /** Where the first values end that have settled; null if rows need not settle. */
  private final @Nullable Ceiling ceiling;

  /** The largest first value that may move the watermark; null if every one may. */
  private final @Nullable Watermark now;

  private CursorWindow(
      Watermark stored,
      Watermark after,
      Bound bound,
      Watermark floor,
      boolean countsLate,
      @Nullable Watermark upTo,
      @Nullable Ceiling ceiling,
      @Nullable Watermark now) {
    this.stored = stored;
    this.after = after;
    this.bound = bound;
    this.floor = floor;
    this.countsLate = countsLate;
    this.upTo = upTo;
    this.ceiling = ceiling;
    this.now = now;
  }

  /**
   * Opens the window that comes after a stored watermark.
   *
   * @param stored the stored watermark, of the columns' kind
   * @param cursor the options
   * @param columns the columns
   * @param settleTime how long rows must have existed; zero if they need not
   * @param clock the source's clock
   * @return the window
   * @throws io.strandline.problem.Problem of kind {@code BAD_CONFIGURATION} if an option does not
   *     go with the columns
   */
  static CursorWindow after(
      Watermark stored, Cursor cursor, CursorColumns columns, Duration settleTime, Clock clock) {
    boolean looksBack = !(cursor.lookback() instanceof Lookback.None);
    return new CursorWindow(
        stored,
        cursor.lowerEnd(stored),
        cursor.lowerBound(stored),
        cursor.floor(),
        looksBack && !cursor.readsAll() && !stored.isStart(),
        null,
        settleTime.isZero() ? null : ceiling(cursor, columns, settleTime, clock),
        cursor.future() == FutureCursors.CAP
            ? moment(
                clock.instant(), cursor, columns, "values beyond the clock are capped", CAP_REMEDY)
            : null);
  }

  /**
   * Opens the window of a given range.
   *
   * @param range the range
   * @return the window
   */
  static CursorWindow of(WatermarkRange range) {
    return new CursorWindow(
        Watermark.start(),
        range.after(),
        range.bound(),
        Watermark.start(),
        false,
        range.upTo(),
        null,
        null);
  }

  /** A day has settled when all of it has: rows of a day come until its end. */
  private static Ceiling ceiling(
      Cursor cursor, CursorColumns columns, Duration settleTime, Clock clock) {
    Watermark moment =
        moment(
            clock.instant().minus(settleTime),
            cursor,
            columns,
            "rows settle for " + settleTime,
            SETTLE_REMEDY);
    return new Ceiling(
        moment, moment instanceof Watermark.Date ? Bound.EXCLUSIVE : Bound.INCLUSIVE);
  }

  /**
   * Returns a moment as a value of the leftmost column, whole microseconds.
   *
   * @param instant the moment
   * @param cursor the options, of which the zone counts
   * @param columns the columns
   * @param option what the moment is needed for, for messages
   * @param remedy what to do if the column is not one of time
   * @return the value
   * @throws io.strandline.problem.Problem of kind {@code BAD_CONFIGURATION} if the column is not
   *     one of time, or has no zone and none was declared
   */
  static Watermark moment(
      Instant instant, Cursor cursor, CursorColumns columns, String option, String remedy) {
    WatermarkKind kind = columns.firstKind();

    if (kind == WatermarkKind.TIMESTAMP) {
      return Watermark.at(instant.truncatedTo(ChronoUnit.MICROS));
    }

    if (kind != WatermarkKind.LOCAL_TIMESTAMP && kind != WatermarkKind.DATE) {
      throw columns.misfit(option, remedy);
    }

    ZoneId zone = cursor.zone().orElseThrow(() -> columns.misfit(option, ZONE_REMEDY));
    return kind == WatermarkKind.DATE
        ? Watermark.on(LocalDate.ofInstant(instant, zone))
        : Watermark.at(LocalDateTime.ofInstant(instant, zone).truncatedTo(ChronoUnit.MICROS));
  }

  /**
   * Closes the window at a value.
   *
   * @param last the largest value to read
   * @return the window that ends there
   */
  CursorWindow upTo(Watermark last) {
    return new CursorWindow(stored, after, bound, floor, countsLate, last, ceiling, now);
  }

  /**
   * Holds rows back from a value on.
   *
   * @param newCeiling where the first values end that have settled
   * @return the window that ends there, whatever its settle time
   */
  CursorWindow under(Ceiling newCeiling) {
    return new CursorWindow(stored, after, bound, floor, countsLate, upTo, newCeiling, now);
  }

  /** Returns the watermark that the run starts from. */
  Watermark stored() {
    return stored;
  }

  /** Returns the range from the lower end of this window to a given value. */
  WatermarkRange rangeTo(Watermark last) {
    return new WatermarkRange(after, bound, last);
  }

  /** Tells whether every row lies in this window, whatever its value. */
  boolean isUnbounded() {
    return after.isStart() && floor.isStart() && upTo == null;
  }

  /**
   * Tells whether every row lies in this window, may be read, moves the watermark and is not late.
   *
   * @param least a value that no row's first value lies below, a simple watermark
   * @return true if that is so; false if it is not known before the rows are seen
   */
  boolean takesAllFrom(Watermark least) {
    boolean isOpenAbove = upTo == null && ceiling == null && now == null;
    boolean isAboveStored = !stored.isAfter(after);
    return isOpenAbove
        && isAboveStored
        && (after.isStart() || least.isAfter(after.values().get(0)));
  }

  /** Tells whether a row lies between the ends of this window, settled or not. */
  Column holds(CursorColumns columns) {
    Column within = columns.isFrom(after, bound);

    if (columns.size() > 1 && !floor.isStart()) {
      // Of a composite, the inclusive lower end counts the first value alone; a floor does not.
      within = within.and(columns.isAtLeast(floor));
    }

    return upTo == null ? within : within.and(columns.isAtMost(upTo));
  }

  /** Tells whether a row may be read: it has a value, within the ends, and has settled. */
  Column isReadable(CursorColumns columns) {
    return not(columns.isMissing()).and(holds(columns)).and(hasSettled(columns));
  }

  /** Tells whether a row lies in this window but has to wait. */
  Column isWaiting(CursorColumns columns) {
    return not(columns.isMissing()).and(holds(columns)).and(not(hasSettled(columns)));
  }

  private Column hasSettled(CursorColumns columns) {
    if (ceiling == null) {
      return lit(true);
    }

    return ceiling.bound() == Bound.INCLUSIVE
        ? columns.startsAtMost(ceiling.value())
        : columns.startsBelow(ceiling.value());
  }

  /** Tells whether a row may move the watermark, as far as the clock is concerned. */
  Column mayMove(CursorColumns columns) {
    return now == null ? lit(true) : columns.startsAtMost(now);
  }

  /** Tells whether a row counts as late. */
  Column isLate(CursorColumns columns) {
    return countsLate ? columns.isBelow(stored) : lit(false);
  }

  /** Says where this window begins, for "no rows ...". */
  String lowerEndInWords(String names) {
    if (after.isStart()) {
      return " with a value of " + names;
    }

    return " with "
        + names
        + (bound == Bound.INCLUSIVE ? " from " + after + " on" : " above " + after);
  }

  /**
   * Where the first values end that have settled.
   *
   * @param value a simple watermark
   * @param bound whether rows of that value have settled too
   */
  record Ceiling(Watermark value, Bound bound) {}
}
