package io.strandline.spark.source;

import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.when;

import com.google.common.collect.Lists;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.Lookback;
import io.strandline.spark.internal.Columns;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.trees.TreePattern;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The watermark columns of certain rows: found, checked, and compared left to right as one value.
 *
 * <p>Immutable.
 */
final class CursorColumns {
  private static final int MOST_COLUMNS_NAMED = 40;
  private static final Set<WatermarkKind> TIMES =
      Set.of(WatermarkKind.TIMESTAMP, WatermarkKind.LOCAL_TIMESTAMP, WatermarkKind.DATE);
  private static final Set<WatermarkKind> NUMBERS =
      Set.of(WatermarkKind.INTEGER, WatermarkKind.DECIMAL);

  private final String task;
  private final Cursor cursor;
  private final List<CursorField> fields;

  private CursorColumns(String task, Cursor cursor, List<CursorField> fields) {
    this.task = task;
    this.cursor = cursor;
    this.fields = List.copyOf(fields);
  }

  /**
   * Finds the columns of a cursor among those of some rows.
   *
   * @param task what the columns are for, as it follows "Cannot"
   * @param cursor the cursor
   * @param rows the rows
   * @return the columns
   * @throws Problem of kind {@code BAD_CONFIGURATION} if there is no such column, or no watermark
   *     can be taken from it
   */
  static CursorColumns of(String task, Cursor cursor, Dataset<Row> rows) {
    List<CursorField> fields = new ArrayList<>();

    if (cursor.isExpression()) {
      fields.add(expressionField(task, cursor.columns().get(0), rows));
    } else {
      for (String column : cursor.columns()) {
        String name = resolve(task, column, rows);
        DataType type = rows.schema().apply(name).dataType();
        fields.add(field(task, "column '" + name + "'", name, Columns.col(name), type));
      }
    }

    CursorColumns columns = new CursorColumns(task, cursor, fields);
    columns.check();
    return columns;
  }

  /**
   * Finds the column in which the source itself has computed the expression of a cursor.
   *
   * @param task what the column is for, as it follows "Cannot"
   * @param cursor the cursor, an expression
   * @param rows the rows
   * @param computed the column's name
   * @return the column, named like the expression
   * @throws Problem of kind {@code BAD_CONFIGURATION} if no watermark can be taken from it
   */
  static CursorColumns computed(String task, Cursor cursor, Dataset<Row> rows, String computed) {
    DataType type = rows.schema().apply(computed).dataType();
    CursorColumns columns =
        new CursorColumns(
            task,
            cursor,
            List.of(
                field(
                    task, "the expression", cursor.columns().get(0), Columns.col(computed), type)));
    columns.check();
    return columns;
  }

  /**
   * Returns the columns of a cursor as a schema spells them.
   *
   * @param cursor the cursor, not an expression
   * @param schema the columns to look among
   * @param spark the session, by whose rules names are compared
   * @return the names; as they were declared where there is no such column, or several
   */
  static List<String> spelled(Cursor cursor, StructType schema, SparkSession spark) {
    return cursor.columns().stream()
        .map(
            column -> {
              List<String> found = find(column, schema, spark);
              return found.size() == 1 ? found.get(0) : column;
            })
        .toList();
  }

  private static List<String> find(String column, StructType schema, SparkSession spark) {
    boolean isCaseSensitive = Boolean.parseBoolean(spark.conf().get("spark.sql.caseSensitive"));
    return Stream.of(schema.fieldNames())
        .filter(name -> isCaseSensitive ? name.equals(column) : name.equalsIgnoreCase(column))
        .toList();
  }

  /** Finds a column by the session's rules for names. */
  private static String resolve(String task, String column, Dataset<Row> rows) {
    List<String> names = Arrays.asList(rows.schema().fieldNames());
    List<String> found = find(column, rows.schema(), rows.sparkSession());

    if (found.isEmpty()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task,
          "there is no column '" + column + "'",
          listed(names) + Columns.nearMiss(column, names));
    }

    if (found.size() > 1) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task,
          "'" + column + "' may be any of the columns " + String.join(", ", found),
          found.stream().distinct().count() == found.size()
              ? "Rename one, or set spark.sql.caseSensitive to true."
              : "Rename one.");
    }

    return found.get(0);
  }

  private static String listed(List<String> names) {
    return "Columns: "
        + names.stream().limit(MOST_COLUMNS_NAMED).collect(joining(", "))
        + (names.size() > MOST_COLUMNS_NAMED
            ? ", and " + (names.size() - MOST_COLUMNS_NAMED) + " more."
            : ".");
  }

  private static CursorField expressionField(String task, String sql, Dataset<Row> rows) {
    Dataset<Row> analyzed;

    try {
      Column column = expr(sql);
      // As a condition first, which refuses aggregates, generators and windows.
      analyzed = rows.where(column.isNotNull()).select(column.as("cursor"));
    } catch (Exception e) {
      // Spark throws it without declaring it.
      if (e instanceof AnalysisException analysis) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            task,
            firstLine(analysis.getSimpleMessage()),
            listed(Arrays.asList(rows.schema().fieldNames())),
            e);
      }

      throw e;
    }

    refuseMoving(task, analyzed);
    return field(task, "the expression", sql, expr(sql), analyzed.schema().apply(0).dataType());
  }

  /** Refuses what gives another value when the rows are read than when the range was planned. */
  private static void refuseMoving(String task, Dataset<Row> selected) {
    boolean isMoving =
        CollectionConverters.asJava(
                ((org.apache.spark.sql.classic.Dataset<Row>) selected)
                    .queryExecution()
                    .analyzed()
                    .expressions())
            .stream()
            .anyMatch(
                expression ->
                    !expression.deterministic()
                        || expression.containsPattern(TreePattern.CURRENT_LIKE()));

    if (isMoving) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task,
          "the expression gives another value each time it is computed",
          "Leave out the clock and random numbers.");
    }
  }

  private static String firstLine(String message) {
    String line = message.strip().lines().findFirst().orElse("");
    return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
  }

  private static CursorField field(
      String task, String what, String name, Column column, DataType type) {
    if (type instanceof FloatType || type instanceof DoubleType) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task,
          what + " is " + type.sql() + ", whose values are not exact and need not be numbers",
          "Measure by another column, or by an expression that casts it to a decimal.");
    }

    if (type instanceof StringType text && !text.isUTF8BinaryCollation()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task,
          what + " is " + type.sql() + ", and watermarks of text are ordered by code points",
          "Measure by another column, or by an expression that collates it as UTF8_BINARY.");
    }

    return Columns.kindOf(type)
        .map(kind -> new CursorField(name, column, type, kind))
        .orElseThrow(
            () ->
                new Problem(
                    ProblemKind.BAD_CONFIGURATION,
                    task,
                    what + " is " + type.sql() + ", of which no watermark can be taken",
                    "Measure by a timestamp, a date, an integer, a decimal or text."));
  }

  /** Refuses options that do not go with the columns. */
  private void check() {
    refuseOtherKind(cursor.floor(), "the floor (notBefore) is");
    WatermarkKind first = fields.get(0).kind();

    if ((cursor.lookback() instanceof Lookback.OfTime && !TIMES.contains(first))
        || (cursor.lookback() instanceof Lookback.OfNumber && !NUMBERS.contains(first))) {
      throw misfit(
          "the lookback is " + cursor.lookback(),
          "Look back by a time if the first watermark column is of time, by a number if it is a"
              + " number.");
    }

    for (Watermark sentinel : cursor.sentinels()) {
      if (sentinel.isStart()
          || (sentinel.values().size() == 1
              ? fields.stream().noneMatch(field -> field.kind() == sentinel.kind())
              : !isOfMyKind(sentinel))) {
        throw misfit(
            "the sentinel is " + described(sentinel),
            "Name a value of the kind that a watermark column has.");
      }
    }
  }

  /**
   * Refuses a watermark that cannot be compared with these columns.
   *
   * @param watermark the watermark
   */
  void requireMyKind(Watermark watermark) {
    if (!isOfMyKind(watermark)) {
      throw misfit(
          "the stored watermark is " + described(watermark),
          "Measure by the columns that it was taken from, or call rewind(..) with a watermark of the"
              + " new kind, or reload().");
    }
  }

  private void refuseOtherKind(Watermark watermark, String what) {
    if (!isOfMyKind(watermark)) {
      throw misfit(
          what + " " + described(watermark),
          "Give it as many values as there are columns, of the" + " same kinds.");
    }
  }

  /** Tells that an option and the columns do not go together. */
  Problem misfit(String option, String remedy) {
    return new Problem(
        ProblemKind.BAD_CONFIGURATION,
        task,
        option + ", and what is measured by is " + kinds(),
        remedy);
  }

  private boolean isOfMyKind(Watermark watermark) {
    return watermark.isStart()
        || watermark.values().stream()
            .map(Watermark::kind)
            .toList()
            .equals(fields.stream().map(CursorField::kind).toList());
  }

  private static String described(Watermark watermark) {
    return watermark
        + ", "
        + watermark.values().stream().map(value -> words(value.kind())).collect(joining(" and "));
  }

  private String kinds() {
    return fields.stream().map(field -> words(field.kind())).collect(joining(" and "));
  }

  private static String words(WatermarkKind kind) {
    return switch (kind) {
      case START -> "the start";
      case TIMESTAMP -> "a timestamp";
      case LOCAL_TIMESTAMP -> "a timestamp without a zone";
      case DATE -> "a date";
      case INTEGER -> "an integer";
      case DECIMAL -> "a decimal";
      case TEXT -> "text";
      case VERSION -> "a table version";
      case COMPOSITE -> "several values";
    };
  }

  /** Returns the kind of the leftmost column. */
  WatermarkKind firstKind() {
    return fields.get(0).kind();
  }

  /** Returns the kinds of the columns, left to right. */
  List<WatermarkKind> kindsOfColumns() {
    return fields.stream().map(CursorField::kind).toList();
  }

  /** Returns the names as the rows have them, or the expression's text. */
  List<String> names() {
    return fields.stream().map(CursorField::name).toList();
  }

  /** Tells whether the first value is at most the given one, a simple watermark. */
  Column startsAtMost(Watermark first) {
    return fields.get(0).atMost(first);
  }

  /** Tells whether the first value is below the given one, a simple watermark. */
  Column startsBelow(Watermark first) {
    return fields.get(0).below(first);
  }

  /** Tells whether the first value is at least the given one, a simple watermark. */
  Column startsAtLeast(Watermark first) {
    return fields.get(0).atLeast(first);
  }

  /** Tells whether a row has no value in one of the columns, or one that counts as none. */
  Column isMissing() {
    Column missing = lit(false);

    for (CursorField field : fields) {
      missing = missing.or(field.column().isNull());
    }

    for (Watermark sentinel : cursor.sentinels()) {
      missing = missing.or(holds(sentinel));
    }

    return missing;
  }

  private Column holds(Watermark sentinel) {
    if (sentinel.values().size() > 1 || fields.size() == 1) {
      Column same = lit(true);

      for (int i = 0; i < fields.size(); i++) {
        same = same.and(fields.get(i).holds(sentinel.values().get(i)));
      }

      return same;
    }

    return fields.stream()
        .filter(field -> field.kind() == sentinel.kind())
        .map(field -> field.holds(sentinel))
        .reduce(Column::or)
        .orElse(lit(false));
  }

  /** Says of a row that misses a value which one it misses. */
  Column whyMissing() {
    Column why = lit("a value of the watermark counts as none");
    List<CursorField> fromTheRight = Lists.reverse(fields);

    for (CursorField field : fromTheRight) {
      for (Watermark sentinel : cursor.sentinels()) {
        if (sentinel.kind() == field.kind()) {
          why =
              when(
                      field.holds(sentinel),
                      "watermark "
                          + what(field)
                          + " holds "
                          + sentinel
                          + ", which counts as no value")
                  .otherwise(why);
        }
      }
    }

    for (CursorField field : fromTheRight) {
      why =
          when(field.column().isNull(), "watermark " + what(field) + " has no value")
              .otherwise(why);
    }

    return why;
  }

  private String what(CursorField field) {
    return (cursor.isExpression() ? "expression '" : "column '") + field.name() + "'";
  }

  /**
   * Tells whether a row lies at or above a lower end.
   *
   * @param after the lower end
   * @param bound whether it belongs; if so, it is the first column alone that counts
   * @return the condition; always true of the start
   */
  Column isFrom(Watermark after, Bound bound) {
    if (after.isStart()) {
      return lit(true);
    }

    return bound == Bound.INCLUSIVE ? fields.get(0).atLeast(after.values().get(0)) : isAbove(after);
  }

  /** Tells whether a row lies above a watermark; the leading column alone can skip files. */
  Column isAbove(Watermark watermark) {
    return watermark.isStart()
        ? lit(true)
        : lexicographic(watermark, CursorField::atLeast, CursorField::above, CursorField::above);
  }

  /** Tells whether a row lies at or above a watermark, all columns counted. */
  Column isAtLeast(Watermark watermark) {
    return watermark.isStart()
        ? lit(true)
        : lexicographic(watermark, CursorField::atLeast, CursorField::above, CursorField::atLeast);
  }

  /** Tells whether a row lies at or below a watermark; no row lies below the start. */
  Column isAtMost(Watermark watermark) {
    return watermark.isStart()
        ? lit(false)
        : lexicographic(watermark, CursorField::atMost, CursorField::below, CursorField::atMost);
  }

  /** Tells whether a row lies below a watermark; no row lies below the start. */
  Column isBelow(Watermark watermark) {
    return watermark.isStart()
        ? lit(false)
        : lexicographic(watermark, CursorField::atMost, CursorField::below, CursorField::below);
  }

  /**
   * Compares left to right as one value. The loose comparison of a column is implied by the rest;
   * it stands there so that files are skipped by it.
   */
  private Column lexicographic(
      Watermark watermark, Compare loosely, Compare strictly, Compare atTheEnd) {
    int last = fields.size() - 1;
    List<Watermark> values = watermark.values();
    Column condition = atTheEnd.of(fields.get(last), values.get(last));

    for (int i = last - 1; i >= 0; i--) {
      CursorField field = fields.get(i);
      Watermark value = values.get(i);
      condition =
          loosely
              .of(field, value)
              .and(strictly.of(field, value).or(field.equalTo(value).and(condition)));
    }

    return condition;
  }

  @FunctionalInterface
  private interface Compare {
    Column of(CursorField field, Watermark value);
  }

  /** Returns the columns as one value that is ordered left to right. */
  Column asOneValue() {
    return fields.size() == 1 ? fields.get(0).column() : struct(parts());
  }

  /** Returns the columns, named so that {@link #partsAsOneValue} finds them. */
  Column[] parts() {
    Column[] parts = new Column[fields.size()];

    for (int i = 0; i < parts.length; i++) {
      parts[i] = fields.get(i).column().as("part" + i);
    }

    return parts;
  }

  /** Returns the named parts of rows that hold nothing else, as one value. */
  Column partsAsOneValue() {
    Column[] parts = new Column[fields.size()];

    for (int i = 0; i < parts.length; i++) {
      parts[i] = Columns.col("part" + i);
    }

    return parts.length == 1 ? parts[0] : struct(parts);
  }

  /** Returns what one value was made of, as {@link #decode} reads it. */
  List<Column> encoded(Column oneValue) {
    List<Column> encoded = new ArrayList<>();

    for (int i = 0; i < fields.size(); i++) {
      Column part = fields.size() == 1 ? oneValue : oneValue.getField("part" + i);
      encoded.add(Columns.encode(part, fields.get(i).type()));
    }

    return encoded;
  }

  /**
   * Reads what {@link #encoded} wrote.
   *
   * @param row the row
   * @param index where the first part stands
   * @return the watermark; the start if there is none
   */
  Watermark decode(Row row, int index) {
    List<Watermark> values = new ArrayList<>();

    for (int i = 0; i < fields.size(); i++) {
      Optional<Watermark> value = Columns.decode(row, index + i, fields.get(i).type());

      if (value.isEmpty()) {
        return Watermark.start();
      }

      values.add(value.get());
    }

    return values.size() == 1 ? values.get(0) : Watermark.of(values);
  }

  /** Returns how many parts a value has. */
  int size() {
    return fields.size();
  }
}
