package io.strandline.spark.source;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.Lookback;
import io.strandline.spark.internal.Columns;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Decides which rows of a database must wait, because rows below them may not be committed yet.
 *
 * <p>For use by one thread.
 */
final class JdbcSettling {
  private static final Duration USUAL_TIME = Duration.ofMinutes(5);

  /** A transaction that has just begun may not be listed yet. */
  private static final Duration UNTIL_LISTED = Duration.ofSeconds(1);

  private static final int DIGITS_OF_A_NANOSECOND = 9;

  private static final Set<WatermarkKind> TIMES =
      Set.of(WatermarkKind.TIMESTAMP, WatermarkKind.LOCAL_TIMESTAMP, WatermarkKind.DATE);

  private final JdbcDeclaration declared;
  private final Cursor cursor;
  private final JdbcSession session;
  private final JdbcRows rows;
  private final List<JdbcColumn> columns;
  private final JdbcColumn first;
  private final CursorColumns measured;
  private final SqlConditions conditions;
  private final Clock clock;

  /**
   * Prepares the decision.
   *
   * @param declared the declaration
   * @param session the connection to ask
   * @param rows the rows
   * @param columns all their columns
   * @param first the first one of those that tell new rows
   * @param measured those that tell new rows
   * @param conditions writes conditions
   * @param clock what time it is
   */
  JdbcSettling(
      JdbcDeclaration declared,
      JdbcSession session,
      JdbcRows rows,
      List<JdbcColumn> columns,
      JdbcColumn first,
      CursorColumns measured,
      SqlConditions conditions,
      Clock clock) {
    this.declared = declared;
    this.cursor = declared.cursor();
    this.session = session;
    this.rows = rows;
    this.columns = columns;
    this.first = first;
    this.measured = measured;
    this.conditions = conditions;
    this.clock = clock;
  }

  /**
   * A window that ends where rows must wait.
   *
   * @param window the window
   * @param reason says of a number of rows what they wait for, after the number
   * @param warnings what a person should know of it
   */
  record Held(CursorWindow window, LongFunction<String> reason, List<String> warnings) {
    String inWords(long rows) {
      return CursorPlanner.counted(rows) + (rows == 1 ? " waits " : " wait ") + reason.apply(rows);
    }
  }

  /**
   * Opens the window after a stored watermark.
   *
   * @param stored the stored watermark
   * @return the window up to where rows must wait
   * @throws Problem of kind {@code BAD_CONFIGURATION} if an option does not go with the columns
   */
  Held held(Watermark stored) {
    List<String> warnings = new ArrayList<>();

    if (declared.waiting().transactions() == JdbcDeclaration.OpenTransactions.ASKED) {
      Optional<Held> held = belowOpenTransactions(stored);

      if (held.isPresent()) {
        return held.get();
      }

      warnings.add(
          "It cannot be told below which '"
              + measured.names().get(0)
              + "' all transactions are finished, so the settle time holds instead.");
    }

    String column = declared.waiting().column();

    if (column != null) {
      return bySettleColumn(stored, settleColumn(column), warnings);
    }

    if (!TIMES.contains(measured.firstKind()) && cursor.lookback() instanceof Lookback.None) {
      warnings.add(
          "A row with a smaller '"
              + measured.names().get(0)
              + "' that is committed after this run is never read. Give the cursor a lookback, or"
              + " name the column that says when a row was written with settledBy(..).");
    }

    Duration time =
        TIMES.contains(measured.firstKind())
            ? settleTime()
            : cursor.settleTime().orElse(Duration.ZERO);
    return new Held(
        CursorWindow.after(stored, cursor, measured, time, clock),
        rows -> (rows == 1 ? "until it has existed for " : "until they have existed for ") + time,
        warnings);
  }

  private Duration settleTime() {
    return cursor.settleTime().orElse(USUAL_TIME);
  }

  private CursorWindow open(Watermark stored) {
    return CursorWindow.after(stored, cursor, measured, Duration.ZERO, clock);
  }

  private Optional<Held> belowOpenTransactions(Watermark stored) {
    if (first.kind() == JdbcColumn.Kind.ROW_VERSION) {
      return session
          .lowestOpenRowVersion()
          .map(version -> below(stored, version, "for transactions that are open"));
    }

    return TIMES.contains(measured.firstKind())
        ? session.openTransactions().map(open -> below(stored, open))
        : Optional.empty();
  }

  private Held below(Watermark stored, JdbcSession.OpenTransactions open) {
    Instant listed = clock.instant().minus(UNTIL_LISTED);
    Instant oldest = open.oldest().isBefore(listed) ? open.oldest() : listed;
    Watermark value =
        CursorWindow.moment(
            oldest,
            cursor,
            measured,
            "rows wait for open transactions",
            "Only a watermark of time can be compared with the start of a transaction.");
    return below(
        stored, cut(value), "for transactions that may be open, the oldest since " + oldest);
  }

  private Held below(Watermark stored, Watermark value, String reason) {
    return new Held(
        open(stored).under(new CursorWindow.Ceiling(value, Bound.EXCLUSIVE)),
        rows -> reason,
        List.of());
  }

  /** Cuts a moment as the column does, so that a row of that moment is not below it. */
  private Watermark cut(Watermark value) {
    if (value instanceof Watermark.Timestamp timestamp) {
      Instant whole = timestamp.value();
      return Watermark.at(whole.minusNanos(beyond(whole.get(ChronoField.NANO_OF_SECOND))));
    }

    if (value instanceof Watermark.LocalTimestamp timestamp) {
      LocalDateTime whole = timestamp.value();
      return Watermark.at(whole.minusNanos(beyond(whole.get(ChronoField.NANO_OF_SECOND))));
    }

    return value;
  }

  /** Returns what the column has no digits for. */
  private long beyond(long nanos) {
    long step = 1;

    for (int digit = DIGITS_OF_A_NANOSECOND; digit > Math.max(0, first.fraction()); digit--) {
      step *= 10;
    }

    return nanos % step;
  }

  private JdbcColumn settleColumn(String name) {
    List<String> names = columns.stream().map(JdbcColumn::name).toList();
    JdbcColumn found =
        columns.stream()
            .filter(column -> column.name().equalsIgnoreCase(name))
            .findFirst()
            .orElseThrow(
                () ->
                    new Problem(
                        ProblemKind.BAD_CONFIGURATION,
                        declared.task(),
                        "there is no settle column '" + name + "'",
                        "Columns: "
                            + String.join(", ", names)
                            + "."
                            + Columns.nearMiss(name, names)));

    if (!found.kind().isTime()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          declared.task(),
          "settle column '" + found.name() + "' is " + found.nativeType() + ", which is no time",
          "Name the column that says when a row was written.");
    }

    if (measured.firstKind() == WatermarkKind.TEXT) {
      throw measured.misfit(
          "rows settle by column '" + found.name() + "'",
          "Only times and numbers can; give the cursor a lookback.");
    }

    return found;
  }

  private Held bySettleColumn(Watermark stored, JdbcColumn column, List<String> warnings) {
    CursorWindow open = open(stored);

    if (settleTime().isZero()) {
      return new Held(open, rows -> "", warnings);
    }

    @Nullable String lowest = lowestUnsettled(open, column);
    CursorWindow window =
        lowest == null
            ? open
            : open.under(
                new CursorWindow.Ceiling(
                    JdbcSession.watermark(measured.firstKind(), lowest), Bound.EXCLUSIVE));
    return new Held(
        window,
        rows ->
            "until '" + column.name() + "' of all rows up to there lies " + settleTime() + " back",
        warnings);
  }

  private @Nullable String lowestUnsettled(CursorWindow open, JdbcColumn column) {
    String value = declared.origin().dialect().quoted(column.name());
    String condition =
        conditions.of(open.isReadable(measured))
            + " AND "
            + declared
                .origin()
                .dialect()
                .compared(
                    column,
                    value,
                    column.kind() == JdbcColumn.Kind.DATE
                        ? SqlDialect.Comparison.AT_LEAST
                        : SqlDialect.Comparison.ABOVE,
                    moment(column));
    return session
        .row(
            "SELECT "
                + declared.origin().dialect().transported(first, "strandline_lowest")
                + " FROM (SELECT MIN("
                + rows.sql(first)
                + ") AS strandline_lowest "
                + rows.fromWhere(condition)
                + ") strandline_unsettled")
        .get(0);
  }

  private Watermark moment(JdbcColumn column) {
    Instant settled = clock.instant().minus(settleTime()).truncatedTo(ChronoUnit.MICROS);

    if (column.kind() == JdbcColumn.Kind.INSTANT) {
      return Watermark.at(settled);
    }

    ZoneId zone =
        cursor
            .zone()
            .orElseThrow(
                () ->
                    new Problem(
                        ProblemKind.BAD_CONFIGURATION,
                        declared.task(),
                        "rows settle by column '" + column.name() + "', which has no zone",
                        "Declare its zone with inZone(..)."));
    return column.kind() == JdbcColumn.Kind.DATE
        ? Watermark.on(LocalDate.ofInstant(settled, zone))
        : Watermark.at(LocalDateTime.ofInstant(settled, zone));
  }
}
