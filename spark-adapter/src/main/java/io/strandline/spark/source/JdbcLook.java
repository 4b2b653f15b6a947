package io.strandline.spark.source;

import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.Reading;
import io.strandline.source.SourcePlan;
import io.strandline.watermark.Bound;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/**
 * A look at the rows of a database: which are new, and what they hold.
 *
 * <p>What tells new rows is decided by the types that all sources with watermark columns share;
 * here it is the database that is asked, instead of Spark. For use by one thread.
 */
final class JdbcLook {
  private final JdbcDeclaration declared;
  private final Cursor cursor;
  private final SqlDialect dialect;
  private final JdbcSession session;
  private final JdbcRows rows;

  /** All rows, for their columns' sake; never computed. */
  private final Dataset<Row> all;

  private final List<JdbcColumn> cursorColumns;
  private final CursorColumns measured;
  private final SqlConditions conditions;
  private final SqlConditions whenRead;
  private final Clock clock;
  private final JdbcSettling settling;

  private JdbcLook(
      JdbcDeclaration declared,
      JdbcSession session,
      JdbcRows rows,
      List<JdbcColumn> columns,
      List<JdbcColumn> cursorColumns) {
    this.declared = declared;
    this.cursor = declared.cursor();
    this.dialect = declared.origin().dialect();
    this.session = session;
    this.rows = rows;
    this.cursorColumns = cursorColumns;
    this.all = rows.all();
    this.measured =
        cursor.isExpression()
            ? CursorColumns.computed(declared.task(), cursor, all, JdbcRows.COMPUTED)
            : CursorColumns.of(declared.task(), cursor, all);
    this.conditions = new SqlConditions(dialect, all, rows.places());
    this.whenRead = new SqlConditions(dialect, all, rows.placesWhenRead());
    Clock named = declared.waiting().clock();
    this.clock = Clock.fixed(named == null ? session.now() : named.instant(), ZoneOffset.UTC);
    this.settling =
        new JdbcSettling(
            declared, session, rows, columns, cursorColumns.get(0), measured, conditions, clock);
  }

  /**
   * Prepares a look; no row is read.
   *
   * @param declared the declaration
   * @param login how to log in
   * @param session the connection to ask
   * @param columns the columns of the rows
   * @param cursorColumns the names of those that tell new rows, as far as they are there
   * @return the look
   * @throws Problem of kind {@code BAD_CONFIGURATION} if the cursor does not go with the columns
   */
  static JdbcLook at(
      JdbcDeclaration declared,
      JdbcDatabase.Login login,
      JdbcSession session,
      List<JdbcColumn> columns,
      List<String> cursorColumns) {
    List<JdbcColumn> chosenBy =
        cursorColumns.stream()
            .flatMap(name -> columns.stream().filter(column -> column.name().equals(name)))
            .toList();
    Cursor cursor = declared.cursor();
    JdbcRows rows =
        new JdbcRows(
            declared.origin().spark(),
            login,
            declared.readerOptions(),
            declared.origin().dialect(),
            declared.origin().from(),
            columns,
            chosenBy,
            cursor.isExpression() ? Map.of(JdbcRows.COMPUTED, cursor.columns().get(0)) : Map.of());
    return new JdbcLook(declared, session, rows, columns, chosenBy);
  }

  /** Plans what comes after a stored watermark, and reads it. */
  SourcePlan<Dataset<Row>> plan(Watermark stored) {
    measured.requireMyKind(stored);
    refuseExclusiveOfFiner();
    JdbcSettling.Held held = settling.held(stored);
    CursorWindow window = held.window();
    String beyondTheLimit = "";

    if (cursor.rowLimit() < Long.MAX_VALUE && fresh(window) > cursor.rowLimit()) {
      window = window.upTo(boundary(window));
      beyondTheLimit = "rows";
    }

    JdbcSurvey found = survey(window, held.window(), canMiss() ? measured.isMissing() : lit(false));
    CursorPlanner.HeldBack heldBack =
        new CursorPlanner.HeldBack(
            found.waiting(),
            found.waiting() == 0 ? "" : held.inWords(found.waiting()),
            beyondTheLimit);
    planner(all).refuseMissing(found.missing());
    SourcePlan<Dataset<Row>> plan =
        found.isEmpty()
            ? planner(all).nothingNew(window, heldBack)
            : planner(frozen(window, found)).plan(window, heldBack);
    return told(plan, window).warning(held.warnings());
  }

  /** Plans a given range, and reads it; rows without a value belong to none. */
  SourcePlan<Dataset<Row>> planBackfill(WatermarkRange range) {
    measured.requireMyKind(range.after());
    measured.requireMyKind(range.upTo());
    CursorWindow window = CursorWindow.of(range);
    JdbcSurvey found = survey(window, window, lit(false));
    return told(planner(frozen(window, found)).planBackfill(range), window);
  }

  /** Returns all rows; they are asked for only when they are computed. */
  Dataset<Row> readAll() {
    return all.drop(JdbcRows.COMPUTED);
  }

  /** Tells whether a row can lack a value, so that nobody looks for one that cannot be. */
  private boolean canMiss() {
    return !cursor.sentinels().isEmpty()
        || cursorColumns.stream().anyMatch(column -> column.nulls() == JdbcColumn.Nulls.POSSIBLE);
  }

  private CursorPlanner planner(Dataset<Row> planned) {
    return new CursorPlanner(
        declared.task(),
        declared.origin().name(),
        cursor,
        Duration.ZERO,
        clock,
        TableSnapshot.unknown(),
        planned,
        measured);
  }

  /** Of values that are cut to watermarks, several are equal that were none. */
  private void refuseExclusiveOfFiner() {
    for (JdbcColumn column : cursorColumns) {
      if (cursor.bound() == Bound.EXCLUSIVE && column.isFinerThanWatermarks()) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            declared.task(),
            "the bound is exclusive, and column '"
                + column.name()
                + "' has "
                + column.fraction()
                + " digits of a second where a watermark keeps 6, so that rows above the stored"
                + " value can look equal to it",
            "Leave out exclusive(): rows that the target holds already are recognized.");
      }
    }
  }

  /** Counts the rows above the stored watermark, up to one more than the limit. */
  private long fresh(CursorWindow window) {
    return session.number(
        "SELECT COUNT(*) FROM ("
            + dialect.first(
                cursor.rowLimit() + 1, "1 AS strandline_one", rows.fromWhere(isFresh(window)), "")
            + ") strandline_fresh");
  }

  private String isFresh(CursorWindow window) {
    return conditions.of(
        window
            .isReadable(measured)
            .and(window.mayMove(measured))
            .and(measured.isAbove(window.stored())));
  }

  /** Finds the value of the last row within the limit: the greatest of the first so many. */
  private Watermark boundary(CursorWindow window) {
    List<String> values = cursorColumns.stream().map(rows::sql).toList();
    List<String> names =
        IntStream.range(0, values.size()).mapToObj(i -> "strandline_value_" + i).toList();
    String first =
        dialect.first(
            cursor.rowLimit(),
            IntStream.range(0, values.size())
                .mapToObj(i -> values.get(i) + " AS " + names.get(i))
                .collect(joining(", ")),
            rows.fromWhere(isFresh(window)),
            ordered(values, ""));
    List<@Nullable String> last =
        session.row(
            dialect.first(
                1,
                IntStream.range(0, values.size())
                    .mapToObj(i -> dialect.transported(cursorColumns.get(i), names.get(i)))
                    .collect(joining(", ")),
                "FROM (" + first + ") strandline_first",
                ordered(names, " DESC")));
    List<Watermark> parts = new ArrayList<>();

    for (int i = 0; i < last.size(); i++) {
      parts.add(JdbcSession.watermark(measured.kindsOfColumns().get(i), last.get(i)));
    }

    return parts.size() == 1 ? parts.get(0) : Watermark.of(parts);
  }

  private String ordered(List<String> values, String direction) {
    return IntStream.range(0, values.size())
        .mapToObj(
            i ->
                (cursorColumns.get(i).kind() == JdbcColumn.Kind.TEXT
                        ? dialect.byCodePoints(values.get(i))
                        : values.get(i))
                    + direction)
        .collect(joining(", ", " ORDER BY ", ""));
  }

  /**
   * Asks for numbers and ends with one query; each of its parts is one range of an index.
   *
   * @param window what may be read
   * @param uncut the same without a row limit, to see what waits
   * @param isMissing which rows have no value
   */
  private JdbcSurvey survey(CursorWindow window, CursorWindow uncut, Column isMissing) {
    boolean hasEnds = measured.firstKind() != WatermarkKind.TEXT;
    String first = rows.sql(cursorColumns.get(0));
    String ends = hasEnds ? ", MIN(" + first + ") AS lowest, MAX(" + first + ") AS highest" : "";
    List<@Nullable String> told =
        session.row(
            "SELECT found, missing, waiting"
                + (hasEnds
                    ? ", "
                        + dialect.transported(cursorColumns.get(0), "lowest")
                        + ", "
                        + dialect.transported(cursorColumns.get(0), "highest")
                    : "")
                + " FROM (SELECT COUNT(*) AS found"
                + ends
                + " "
                + rows.fromWhere(conditions.of(window.isReadable(measured)))
                + ") strandline_found CROSS JOIN ("
                + counted("missing", conditions.of(isMissing))
                + ") strandline_missing CROSS JOIN ("
                + counted("waiting", conditions.of(uncut.isWaiting(measured)))
                + ") strandline_waiting");
    return JdbcSurvey.read(told, measured.firstKind());
  }

  private String counted(String name, String condition) {
    return "SELECT COUNT(*) AS " + name + " " + rows.fromWhere(condition);
  }

  /** Reads what the survey saw, once, and keeps it. */
  private Dataset<Row> frozen(CursorWindow window, JdbcSurvey found) {
    List<String> parts = new ArrayList<>();

    if (found.rows() > 0) {
      parts.addAll(parts(window.isReadable(measured), found));
    }

    if (found.missing() > 0) {
      parts.add(whenRead.of(measured.isMissing()));
    }

    return rows.where(parts.isEmpty() ? List.of("1 = 0") : parts).localCheckpoint(true);
  }

  private List<String> parts(Column readable, JdbcSurvey found) {
    if (found.highest().isStart()) {
      return List.of(whenRead.of(readable));
    }

    List<String> parts = new ArrayList<>();
    Column rest = readable.and(measured.startsAtMost(found.highest()));

    for (Watermark next :
        RangeSplit.between(found.lowest(), found.highest(), declared.reader().parts())) {
      // Its negation, and not a comparison of its own, so that no row lies in both or none.
      Column isBeyond = measured.startsAtLeast(next);
      parts.add(whenRead.of(rest.and(not(isBeyond))));
      rest = readable.and(measured.startsAtMost(found.highest())).and(isBeyond);
    }

    parts.add(whenRead.of(rest));
    return List.copyOf(parts);
  }

  /** Adds what the database is asked for, and takes away what only conditions need. */
  private SourcePlan<Dataset<Row>> told(SourcePlan<Dataset<Row>> plan, CursorWindow window) {
    String sql = rows.fromWhere(conditions.of(window.isReadable(measured)));

    if (plan instanceof SourcePlan.NothingNew<Dataset<Row>> nothing) {
      return new SourcePlan.NothingNew<>(
          nothing.explanation() + " (in SQL: " + sql + ")", nothing.waiting());
    }

    SourcePlan.Planned<Dataset<Row>> planned = (SourcePlan.Planned<Dataset<Row>>) plan;
    return new SourcePlan.Planned<>(
        planned.ranges(),
        planned.snapshots(),
        planned.remainder(),
        planned.waiting(),
        planned.explanation() + " In SQL: " + sql + ".",
        planned.warnings(),
        () -> withoutComputed(planned.read()));
  }

  private static Reading<Dataset<Row>> withoutComputed(Reading<Dataset<Row>> reading) {
    return new Reading<>(
        reading.rows().drop(JdbcRows.COMPUTED),
        reading.rejected().stream().map(rejected -> rejected.drop(JdbcRows.COMPUTED)).toList(),
        reading.counts());
  }

  /**
   * What the database shows.
   *
   * @param rows how many rows can be read
   * @param missing how many have no value
   * @param waiting how many have not settled
   * @param lowest the lowest first value of those that can be read; the start if there are none, or
   *     of text
   * @param highest the greatest one; the start likewise
   */
  record JdbcSurvey(long rows, long missing, long waiting, Watermark lowest, Watermark highest) {
    static JdbcSurvey read(List<@Nullable String> told, WatermarkKind kind) {
      List<Long> counts =
          told.stream().limit(3).map(count -> Long.parseLong(String.valueOf(count))).toList();
      List<Watermark> ends =
          told.stream().skip(3).map(end -> JdbcSession.watermark(kind, end)).toList();
      return new JdbcSurvey(
          counts.get(0),
          counts.get(1),
          counts.get(2),
          ends.isEmpty() ? Watermark.start() : ends.get(0),
          ends.isEmpty() ? Watermark.start() : ends.get(1));
    }

    boolean isEmpty() {
      return rows == 0 && missing == 0;
    }
  }
}
