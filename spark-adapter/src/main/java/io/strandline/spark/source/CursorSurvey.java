package io.strandline.spark.source;

import static org.apache.spark.sql.functions.count_if;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.when;

import io.strandline.watermark.Watermark;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * What one look at the rows of a window found.
 *
 * @param rows how many rows can be read
 * @param fresh how many of them lie above the stored watermark and may move it
 * @param missing how many rows have no value
 * @param waiting how many rows have not settled
 * @param late how many of the rows lie below the stored watermark
 * @param earliest the lowest of the late rows' values; the start if there are none
 * @param largest the largest value among the rows; the start if there are none
 * @param next the largest value among the rows that may move the watermark; the start if there are
 *     none
 */
record CursorSurvey(
    long rows,
    long fresh,
    long missing,
    long waiting,
    long late,
    Watermark earliest,
    Watermark largest,
    Watermark next) {
  /** Where the values begin in the row that the query gives. */
  private static final int FIRST_VALUE = 5;

  /**
   * Surveys rows with one query, which gives one row.
   *
   * @param rows the rows
   * @param columns their watermark columns
   * @param window which of them matter, beside those without a value
   * @return what was found
   */
  static CursorSurvey of(Dataset<Row> rows, CursorColumns columns, CursorWindow window) {
    Column readable = window.isReadable(columns);
    Column value = columns.asOneValue();
    Column late = readable.and(window.isLate(columns));
    Column moving = readable.and(window.mayMove(columns));
    Dataset<Row> found =
        inReach(rows, columns, window)
            .agg(
                count_if(readable).as("rows"),
                count_if(moving.and(columns.isAbove(window.stored()))).as("fresh"),
                count_if(columns.isMissing()).as("missing"),
                count_if(window.isWaiting(columns)).as("waiting"),
                count_if(late).as("late"),
                min(when(late, value)).as("earliest"),
                max(when(readable, value)).as("largest"),
                max(when(moving, value)).as("next"));
    List<Column> encoded = new ArrayList<>();

    for (String count : List.of("rows", "fresh", "missing", "waiting", "late")) {
      encoded.add(found.col(count));
    }

    for (String bound : List.of("earliest", "largest", "next")) {
      encoded.addAll(columns.encoded(found.col(bound)));
    }

    Row row = found.select(encoded.toArray(new Column[0])).collectAsList().get(0);
    return new CursorSurvey(
        row.getLong(0),
        row.getLong(1),
        row.getLong(2),
        row.getLong(3),
        row.getLong(4),
        columns.decode(row, FIRST_VALUE),
        columns.decode(row, FIRST_VALUE + columns.size()),
        columns.decode(row, FIRST_VALUE + 2 * columns.size()));
  }

  /**
   * Surveys rows that can all be read, lie above the stored watermark and may move it, with one
   * query that gives one row.
   *
   * @param count how many there are
   * @param highest those among which a largest value is, if any
   * @param columns their watermark columns
   * @return what was found; empty if there is none of the highest
   */
  static Optional<CursorSurvey> ofAll(long count, Dataset<Row> highest, CursorColumns columns) {
    Dataset<Row> found = highest.agg(max(columns.asOneValue()).as("largest"));
    Row row =
        found
            .select(columns.encoded(found.col("largest")).toArray(new Column[0]))
            .collectAsList()
            .get(0);
    Watermark largest = columns.decode(row, 0);
    return largest.isStart()
        ? Optional.empty()
        : Optional.of(new CursorSurvey(count, count, 0, 0, 0, Watermark.start(), largest, largest));
  }

  /** Returns the same for a plan that does not read rows without a value. */
  CursorSurvey withoutMissing() {
    return new CursorSurvey(rows, fresh, 0, waiting, late, earliest, largest, next);
  }

  /** Leaves out what lies outside the window, in a form that lets Spark skip files. */
  static Dataset<Row> inReach(Dataset<Row> rows, CursorColumns columns, CursorWindow window) {
    return window.isUnbounded() ? rows : rows.where(window.holds(columns).or(columns.isMissing()));
  }
}
