package io.strandline.spark.source;

import static java.util.stream.Collectors.joining;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.NullCursors;
import io.strandline.source.ReadCounts;
import io.strandline.source.Reading;
import io.strandline.source.SourcePlan;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Plans the range of a run over rows that stay as they are, by the options of a cursor.
 *
 * <p>The rows must be pinned or frozen: what is counted here is what is read later. Immutable and
 * safe for use by several threads.
 */
final class CursorPlanner {
  private final String task;
  private final String what;
  private final Cursor cursor;
  private final Duration settleTime;
  private final Clock clock;
  private final TableSnapshot snapshot;
  private final Dataset<Row> rows;
  private final CursorColumns columns;

  /**
   * Makes a planner.
   *
   * @param task what is done, as it follows "Cannot"
   * @param what the rows in words, as "bronze_orders at version 7"
   * @param cursor the options
   * @param settleTime how long rows must have existed where the cursor does not say
   * @param clock the source's clock
   * @param snapshot what the rows are a snapshot of
   * @param rows the rows
   * @throws Problem of kind {@code BAD_CONFIGURATION} if the cursor does not go with the rows
   */
  CursorPlanner(
      String task,
      String what,
      Cursor cursor,
      Duration settleTime,
      Clock clock,
      TableSnapshot snapshot,
      Dataset<Row> rows) {
    this.task = task;
    this.what = what;
    this.cursor = cursor;
    this.settleTime = cursor.settleTime().orElse(settleTime);
    this.clock = clock;
    this.snapshot = snapshot;
    this.rows = rows;
    this.columns = CursorColumns.of(task, cursor, rows);
  }

  /** Returns what cannot be done if this planner fails, for messages: columns in their order. */
  static String task(String source, Cursor cursor) {
    return "read "
        + source
        + " newer by "
        + cursor.columns().stream().map(column -> "'" + column + "'").collect(joining(", "));
  }

  /**
   * Narrows rows that do not stay as they are to those that a plan is made of, to be frozen.
   *
   * @param stored the stored watermark
   * @return the rows from the lower end on, up to the row limit if there is one
   * @throws Problem of kind {@code BAD_CONFIGURATION} if watermark and columns are of different
   *     kinds
   */
  Reach reach(Watermark stored) {
    columns.requireMyKind(stored);
    CursorWindow window = CursorWindow.after(stored, cursor, columns, settleTime, clock);

    if (cursor.rowLimit() == Long.MAX_VALUE
        || CursorSurvey.of(rows, columns, window).fresh() <= cursor.rowLimit()) {
      return new Reach(CursorSurvey.inReach(rows, columns, window), Remainder.NONE);
    }

    CursorWindow cut = window.upTo(boundary(window));
    return new Reach(CursorSurvey.inReach(rows, columns, cut), Remainder.WAITING);
  }

  /**
   * Narrows rows to a given range.
   *
   * @param range the range
   * @return the rows
   */
  Dataset<Row> reach(WatermarkRange range) {
    columns.requireMyKind(range.after());
    columns.requireMyKind(range.upTo());
    return rows.where(CursorWindow.of(range).isReadable(columns));
  }

  /**
   * What a plan is made of.
   *
   * @param rows the rows
   * @param remainder whether a row limit left some out
   */
  record Reach(Dataset<Row> rows, Remainder remainder) {}

  /**
   * Plans what comes after a stored watermark.
   *
   * @param stored the stored watermark
   * @return the range, or why there is none
   * @throws Problem of kind {@code NULL_CURSOR} if rows without a value are refused and there are
   *     some, of kind {@code BAD_CONFIGURATION} if watermark and columns are of different kinds
   */
  SourcePlan<Dataset<Row>> plan(Watermark stored) {
    columns.requireMyKind(stored);
    CursorWindow window = CursorWindow.after(stored, cursor, columns, settleTime, clock);
    CursorSurvey all = CursorSurvey.of(rows, columns, window);
    refuseMissing(all);
    CursorSurvey found = all;

    if (all.fresh() > cursor.rowLimit()) {
      window = window.upTo(boundary(window));
      found = CursorSurvey.of(rows, columns, window);
    }

    long left = all.rows() - found.rows();

    if (found.rows() == 0 && found.missing() == 0) {
      return new SourcePlan.NothingNew<>(nothingNew(window, all), all.waiting());
    }

    Watermark upTo = found.rows() == 0 ? stored : found.largest();
    CursorWindow closed = window.upTo(upTo);
    StreamRange range =
        new StreamRange(
            StreamName.only(), stored, closed.rangeTo(upTo), Watermark.max(stored, found.next()));
    boolean isComplete = all.waiting() == 0 && left == 0;
    return planned(
        closed,
        range,
        isComplete ? Remainder.NONE : Remainder.WAITING,
        all.waiting(),
        busy(range, found, all, left),
        found);
  }

  /**
   * Plans a given range; rows without a value belong to none.
   *
   * @param range the range
   * @return the range, or why there is nothing to read
   */
  SourcePlan<Dataset<Row>> planBackfill(WatermarkRange range) {
    columns.requireMyKind(range.after());
    columns.requireMyKind(range.upTo());
    CursorWindow window = CursorWindow.of(range);
    CursorSurvey found = CursorSurvey.of(rows, columns, window).withoutMissing();

    if (found.rows() == 0) {
      return new SourcePlan.NothingNew<>(what + " has no rows with " + in(range), 0);
    }

    return planned(
        window,
        new StreamRange(StreamName.only(), Watermark.start(), range, Watermark.start()),
        Remainder.NONE,
        0,
        reads(found, range) + ".",
        found);
  }

  private SourcePlan<Dataset<Row>> planned(
      CursorWindow window,
      StreamRange range,
      Remainder remainder,
      long waiting,
      String explanation,
      CursorSurvey found) {
    return new SourcePlan.Planned<>(
        List.of(range),
        snapshot.isKnown() ? Map.of(StreamName.only(), snapshot) : Map.of(),
        remainder,
        waiting,
        explanation,
        () -> read(window, found));
  }

  private Reading<Dataset<Row>> read(CursorWindow window, CursorSurvey found) {
    Column wanted = window.isReadable(columns);
    List<Dataset<Row>> rejected = new ArrayList<>();

    if (found.missing() > 0 && cursor.nulls() == NullCursors.LOAD) {
      wanted = wanted.or(columns.isMissing());
    } else if (found.missing() > 0) {
      rejected.add(
          rows.where(columns.isMissing()).withColumn(Reading.REASON_COLUMN, columns.whyMissing()));
    }

    ReadCounts counts =
        new ReadCounts(found.rows() + found.missing(), found.late(), found.earliest());
    return new Reading<>(rows.where(wanted), rejected, () -> counts);
  }

  private void refuseMissing(CursorSurvey found) {
    if (cursor.nulls() == NullCursors.REFUSE && found.missing() > 0) {
      throw new Problem(
          ProblemKind.NULL_CURSOR,
          task,
          counted(found.missing())
              + " of "
              + what
              + (found.missing() == 1 ? " has" : " have")
              + " no value there",
          "Give every row a value, or say nulls(QUARANTINE) or nulls(LOAD) of the cursor.");
    }
  }

  /**
   * Finds the value at which the row limit cuts. Counted are rows above the stored watermark only,
   * so that every run gets on, and of them those that move the watermark, so that rows from the
   * future do not stop it.
   */
  private Watermark boundary(CursorWindow window) {
    Dataset<Row> fresh =
        rows.where(
            window
                .isReadable(columns)
                .and(window.mayMove(columns))
                .and(columns.isAbove(window.stored())));
    return CursorBoundary.by(columns).find(fresh, cursor.rowLimit());
  }

  private String nothingNew(CursorWindow window, CursorSurvey found) {
    String none = what + " has no rows" + window.lowerEndInWords(names());
    return found.waiting() == 0 ? none : none + " that have settled; " + waiting(found);
  }

  private String busy(StreamRange range, CursorSurvey found, CursorSurvey all, long left) {
    List<String> sentences = new ArrayList<>();
    sentences.add(
        reads(found, range.range())
            + (range.moves()
                ? " and moves the watermark from " + range.stored() + " to " + range.next()
                : " and leaves the watermark at " + range.stored()));

    if (found.missing() > 0) {
      sentences.add(missing(found));
    }

    if (found.late() > 0) {
      sentences.add(
          counted(found.late())
              + (found.late() == 1 ? " lies" : " lie")
              + " below the stored watermark, the earliest at "
              + found.earliest());
    }

    if (found.largest().isAfter(found.next())) {
      sentences.add("Values beyond the clock do not move the watermark");
    }

    if (left > 0) {
      sentences.add(
          "The limit of " + cursor.rowLimit() + " leaves " + counted(left) + " to later runs");
    }

    if (all.waiting() > 0) {
      sentences.add(waiting(all));
    }

    return String.join(". ", sentences) + ".";
  }

  private String reads(CursorSurvey found, WatermarkRange range) {
    return "Reads " + counted(found.rows()) + " of " + what + " with " + in(range);
  }

  private String missing(CursorSurvey found) {
    String rows = counted(found.missing()) + " without a value there ";
    boolean isOne = found.missing() == 1;
    return cursor.nulls() == NullCursors.LOAD
        ? rows + (isOne ? "is read too" : "are read too")
        : rows + (isOne ? "goes to the quarantine" : "go to the quarantine");
  }

  private String waiting(CursorSurvey found) {
    return counted(found.waiting())
        + (found.waiting() == 1
            ? " waits until it has existed for "
            : " wait until they have existed for ")
        + settleTime;
  }

  private String in(WatermarkRange range) {
    return names() + " in " + range;
  }

  private String names() {
    return String.join(", ", columns.names());
  }

  private static String counted(long rows) {
    return rows == 1 ? "1 row" : rows + " rows";
  }
}
