package io.strandline.spark.source;

import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.lit;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.NullCursors;
import io.strandline.source.ReadCounts;
import io.strandline.source.Reading;
import io.strandline.source.SourcePlan;
import io.strandline.spark.internal.FileValues;
import io.strandline.target.RejectedRows;
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
import java.util.Optional;
import java.util.function.Function;
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
    this(
        task,
        what,
        cursor,
        settleTime,
        clock,
        snapshot,
        rows,
        CursorColumns.of(task, cursor, rows));
  }

  /** Makes a planner whose columns are found already. */
  CursorPlanner(
      String task,
      String what,
      Cursor cursor,
      Duration settleTime,
      Clock clock,
      TableSnapshot snapshot,
      Dataset<Row> rows,
      CursorColumns columns) {
    this.task = task;
    this.what = what;
    this.cursor = cursor;
    this.settleTime = cursor.settleTime().orElse(settleTime);
    this.clock = clock;
    this.snapshot = snapshot;
    this.rows = rows;
    this.columns = columns;
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
   * Plans what comes after a stored watermark, where the rows are costly to read.
   *
   * @param stored the stored watermark
   * @param files tells of columns, named as in the rows, what is known of the files with the rows
   * @return the range, or why there is none
   * @throws Problem as {@link #plan(Watermark)}
   */
  SourcePlan<Dataset<Row>> planReadingOnce(
      Watermark stored, Function<List<String>, Optional<FileValues>> files) {
    columns.requireMyKind(stored);
    CursorWindow window = CursorWindow.after(stored, cursor, columns, settleTime, clock);
    Dataset<Row> reach = CursorSurvey.inReach(rows, columns, window);
    Optional<Dataset<Row>> kept = SmallRows.kept(reach);

    if (kept.isPresent()) {
      return over(kept.get()).plan(window);
    }

    return told(window, files)
        .map(found -> plan(window, found, HeldBack.NOTHING))
        .orElseGet(() -> over(reach).plan(window));
  }

  /** Finds only the largest value in the rows, if the files tell that all of them are in a run. */
  private Optional<CursorSurvey> told(
      CursorWindow window, Function<List<String>, Optional<FileValues>> files) {
    if (cursor.isExpression() || !cursor.sentinels().isEmpty()) {
      return Optional.empty();
    }

    return files
        .apply(columns.names())
        .filter(known -> known.rows() <= cursor.rowLimit() && window.takesAllFrom(known.least()))
        .flatMap(
            known ->
                CursorSurvey.ofAll(
                    known.rows(), rows.where(columns.startsAtLeast(known.reached())), columns));
  }

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
    return plan(CursorWindow.after(stored, cursor, columns, settleTime, clock));
  }

  private SourcePlan<Dataset<Row>> plan(CursorWindow window) {
    CursorSurvey all = CursorSurvey.of(rows, columns, window);
    refuseMissing(all.missing());
    HeldBack waiting =
        new HeldBack(all.waiting(), all.waiting() == 0 ? "" : waiting(all.waiting()), "");

    if (all.fresh() <= cursor.rowLimit()) {
      return plan(window, all, waiting);
    }

    CursorWindow cut = window.upTo(boundary(window));
    CursorSurvey found = CursorSurvey.of(rows, columns, cut);
    long left = all.rows() - found.rows();
    return plan(cut, found, left == 0 ? waiting : waiting.andBeyondTheLimit(counted(left)));
  }

  private CursorPlanner over(Dataset<Row> reach) {
    return new CursorPlanner(task, what, cursor, settleTime, clock, snapshot, reach, columns);
  }

  /**
   * Plans rows that were narrowed to what lies in a window, and frozen.
   *
   * @param window the window
   * @param heldBack what was left out
   * @return the range, or why there is none
   */
  SourcePlan<Dataset<Row>> plan(CursorWindow window, HeldBack heldBack) {
    return plan(window, CursorSurvey.of(rows, columns, window), heldBack);
  }

  private SourcePlan<Dataset<Row>> plan(
      CursorWindow window, CursorSurvey found, HeldBack heldBack) {
    if (found.rows() == 0 && found.missing() == 0) {
      return nothingNew(window, heldBack);
    }

    Watermark stored = window.stored();
    Watermark upTo = found.rows() == 0 ? stored : found.largest();
    CursorWindow closed = window.upTo(upTo);
    StreamRange range =
        new StreamRange(
            StreamName.only(), stored, closed.rangeTo(upTo), Watermark.max(stored, found.next()));
    return planned(
        closed,
        range,
        heldBack.remainder(),
        heldBack.waiting(),
        busy(range, found, heldBack),
        found);
  }

  /**
   * Says that nothing of a window can be read.
   *
   * @param window the window
   * @param heldBack what is held back
   * @return the plan
   */
  SourcePlan<Dataset<Row>> nothingNew(CursorWindow window, HeldBack heldBack) {
    String none = what + " has no rows" + window.lowerEndInWords(names());
    return new SourcePlan.NothingNew<>(
        heldBack.waiting() == 0 ? none : none + " that have settled; " + heldBack.inWords(),
        heldBack.waiting());
  }

  /**
   * What the source shows already, and this run leaves to a later one.
   *
   * @param waiting how many rows have not settled
   * @param inWords how many those are and what they wait for; empty if there are none
   * @param beyondTheLimit how many rows a limit leaves, in words; empty if there are none
   */
  record HeldBack(long waiting, String inWords, String beyondTheLimit) {
    static final HeldBack NOTHING = new HeldBack(0, "", "");

    HeldBack andBeyondTheLimit(String rows) {
      return new HeldBack(waiting, inWords, rows);
    }

    Remainder remainder() {
      return waiting == 0 && beyondTheLimit.isEmpty() ? Remainder.NONE : Remainder.WAITING;
    }
  }

  /**
   * Plans a given range, where the rows are costly to read; rows without a value belong to none.
   *
   * @param range the range
   * @return the range, or why there is nothing to read
   */
  SourcePlan<Dataset<Row>> planBackfillReadingOnce(WatermarkRange range) {
    Dataset<Row> reach = reach(range);
    return over(SmallRows.kept(reach).orElse(reach)).planBackfill(range);
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
          rows.where(columns.isMissing())
              .withColumn(RejectedRows.ORIGIN_COLUMN, lit(RejectedRows.BY_SOURCE))
              .withColumn(Reading.REASON_COLUMN, columns.whyMissing()));
    }

    ReadCounts counts =
        new ReadCounts(found.rows() + found.missing(), found.late(), found.earliest());
    return new Reading<>(rows.where(wanted), rejected, () -> counts);
  }

  /**
   * Fails if there are rows without a value and the cursor refuses them.
   *
   * @param missing how many there are
   * @throws Problem of kind {@code NULL_CURSOR}
   */
  void refuseMissing(long missing) {
    if (cursor.nulls() == NullCursors.REFUSE && missing > 0) {
      throw new Problem(
          ProblemKind.NULL_CURSOR,
          task,
          counted(missing) + " of " + what + (missing == 1 ? " has" : " have") + " no value there",
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

  private String busy(StreamRange range, CursorSurvey found, HeldBack heldBack) {
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

    if (!heldBack.beyondTheLimit().isEmpty()) {
      sentences.add(
          "The limit of "
              + cursor.rowLimit()
              + " leaves "
              + heldBack.beyondTheLimit()
              + " to later runs");
    }

    if (heldBack.waiting() > 0) {
      sentences.add(heldBack.inWords());
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

  /** Says that rows wait for their settle time. */
  String waiting(long rows) {
    return counted(rows)
        + (rows == 1 ? " waits until it has existed for " : " wait until they have existed for ")
        + settleTime;
  }

  private String in(WatermarkRange range) {
    return names() + " in " + range;
  }

  private String names() {
    return String.join(", ", columns.names());
  }

  static String counted(long rows) {
    return rows == 1 ? "1 row" : rows + " rows";
  }
}
