package io.strandline.spark.clean;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.lower;
import static org.apache.spark.sql.functions.make_dt_interval;
import static org.apache.spark.sql.functions.regexp;
import static org.apache.spark.sql.functions.substring;
import static org.apache.spark.sql.functions.trim;
import static org.apache.spark.sql.functions.try_to_date;
import static org.apache.spark.sql.functions.try_to_timestamp;
import static org.apache.spark.sql.functions.unix_micros;
import static org.apache.spark.sql.functions.upper;
import static org.apache.spark.sql.functions.when;

import com.google.common.collect.ImmutableList;
import io.strandline.spark.internal.Columns;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.jspecify.annotations.Nullable;

/**
 * A column of the target, declared by where its value comes from and what it must be.
 *
 * <p>By default the value comes from the source's column of the same name, as it is; a value that
 * does not fit the declared type rejects its row, with column and raw text as the reason, and never
 * becomes null in silence. Neither the session's ANSI setting nor its time zone matters. Immutable:
 * every method returns another declaration.
 */
public final class DeclaredColumn {
  /** A raw text in a reason is cut to so many characters; the whole row stands beside it. */
  private static final int LONGEST_TEXT = 200;

  /** What follows a time of day when the text names its zone itself. */
  private static final String NAMES_ZONE = ":[0-9.]+ *([+-]|[A-Za-z])";

  private final String name;
  private final Type type;
  private final Column origin;
  private final String originText;
  private final ImmutableList<UnaryOperator<Column>> steps;
  private final ImmutableList<String> formats;
  private final @Nullable ZoneId zone;
  private final ImmutableList<String> trueWords;
  private final ImmutableList<String> falseWords;
  private final @Nullable Object defaultValue;
  private final Presence presence;

  /** What a value must become. */
  private record Type(Kind kind, @Nullable DataType spark) {
    private enum Kind {
      KEPT,
      CAST,
      BOOLEAN,
      DATE,
      TIMESTAMP,
      LOCAL_TIMESTAMP
    }
  }

  private enum Presence {
    OPTIONAL,
    REQUIRED
  }

  private DeclaredColumn(Draft draft) {
    this.name = draft.name;
    this.type = draft.type;
    this.origin = draft.origin;
    this.originText = draft.originText;
    this.steps = ImmutableList.copyOf(draft.steps);
    this.formats = ImmutableList.copyOf(draft.formats);
    this.zone = draft.zone;
    this.trueWords = ImmutableList.copyOf(draft.trueWords);
    this.falseWords = ImmutableList.copyOf(draft.falseWords);
    this.defaultValue = draft.defaultValue;
    this.presence = draft.presence;
  }

  private static DeclaredColumn of(String name, Type.Kind kind, @Nullable DataType spark) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("Cannot declare a column without a name.");
    }

    return new DeclaredColumn(new Draft(name, new Type(kind, spark)));
  }

  /**
   * Declares a column whose value is taken as it is, of whatever type.
   *
   * @param name the column of the target
   * @return the declaration
   */
  public static DeclaredColumn kept(String name) {
    return of(name, Type.Kind.KEPT, null);
  }

  /**
   * Declares a column of text.
   *
   * @param name the column of the target
   * @return the declaration
   */
  public static DeclaredColumn text(String name) {
    return of(name, Type.Kind.CAST, DataTypes.StringType);
  }

  /**
   * Declares a column of whole numbers of 32 bits.
   *
   * @param name the column of the target
   * @return the declaration
   */
  public static DeclaredColumn integer(String name) {
    return of(name, Type.Kind.CAST, DataTypes.IntegerType);
  }

  /**
   * Declares a column of whole numbers of 64 bits.
   *
   * @param name the column of the target
   * @return the declaration
   */
  public static DeclaredColumn bigint(String name) {
    return of(name, Type.Kind.CAST, DataTypes.LongType);
  }

  /**
   * Declares a column of exact decimals; more digits behind the point are rounded half up.
   *
   * @param name the column of the target
   * @param precision digits in all, 1 to 38
   * @param scale digits behind the point, 0 to the precision
   * @return the declaration
   */
  public static DeclaredColumn decimal(String name, int precision, int scale) {
    return of(name, Type.Kind.CAST, DataTypes.createDecimalType(precision, scale));
  }

  /**
   * Declares a column of floating-point numbers of 64 bits.
   *
   * @param name the column of the target
   * @return the declaration
   */
  public static DeclaredColumn floating(String name) {
    return of(name, Type.Kind.CAST, DataTypes.DoubleType);
  }

  /**
   * Declares a column of booleans, which are spelled {@code true} and {@code false} by default.
   *
   * @param name the column of the target
   * @return the declaration
   */
  public static DeclaredColumn bool(String name) {
    return of(name, Type.Kind.BOOLEAN, DataTypes.BooleanType);
  }

  /**
   * Declares a column of days; without a format text must be as in ISO 8601.
   *
   * @param name the column of the target
   * @return the declaration
   */
  public static DeclaredColumn date(String name) {
    return of(name, Type.Kind.DATE, DataTypes.DateType);
  }

  /**
   * Declares a column of points in time; text without a zone needs {@link #inZone}.
   *
   * @param name the column of the target
   * @return the declaration
   */
  public static DeclaredColumn timestamp(String name) {
    return of(name, Type.Kind.TIMESTAMP, DataTypes.TimestampType);
  }

  /**
   * Declares a column of dates and times of day without a zone.
   *
   * @param name the column of the target
   * @return the declaration
   */
  public static DeclaredColumn localTimestamp(String name) {
    return of(name, Type.Kind.LOCAL_TIMESTAMP, DataTypes.TimestampNTZType);
  }

  /**
   * Declares a column of any other type of Spark's.
   *
   * @param name the column of the target
   * @param sparkType the type
   * @return the declaration
   */
  public static DeclaredColumn of(String name, DataType sparkType) {
    return of(name, Type.Kind.CAST, sparkType);
  }

  /**
   * Takes the value from another column of the source.
   *
   * @param sourceColumn the exact name
   * @return the declaration
   */
  public DeclaredColumn from(String sourceColumn) {
    Draft draft = new Draft(this);
    draft.origin = Columns.col(sourceColumn);
    draft.originText = sourceColumn;
    return new DeclaredColumn(draft);
  }

  /**
   * Takes the value from an expression over the source's columns.
   *
   * @param sqlExpression the expression in Spark's SQL
   * @return the declaration
   */
  public DeclaredColumn fromExpression(String sqlExpression) {
    Draft draft = new Draft(this);
    draft.origin = expr(sqlExpression);
    draft.originText = sqlExpression;
    return new DeclaredColumn(draft);
  }

  /** Takes white space away from both ends of the text. */
  public DeclaredColumn trimmed() {
    return then(DeclaredColumn::stripped);
  }

  /** Turns the text into upper case. */
  public DeclaredColumn upperCased() {
    return then(value -> upper(value.cast("string")));
  }

  /** Turns the text into lower case. */
  public DeclaredColumn lowerCased() {
    return then(value -> lower(value.cast("string")));
  }

  /** Takes text that is empty, or blank, for no value. */
  public DeclaredColumn emptyAsNull() {
    return then(value -> when(stripped(value).notEqual(""), value));
  }

  /**
   * Takes a value where the source has none.
   *
   * @param value text, number, boolean, or a value of {@code java.time}
   * @return the declaration
   */
  public DeclaredColumn orElse(Object value) {
    Draft draft = new Draft(this);
    draft.defaultValue = value;
    return new DeclaredColumn(draft);
  }

  /**
   * Reads dates and times in a format; may be called several times, the first that fits counts.
   *
   * @param pattern the pattern, in Spark's letters, such as {@code yyyy-MM-dd}
   * @return the declaration
   * @throws IllegalStateException if the column is neither of dates nor of times
   */
  public DeclaredColumn format(String pattern) {
    requireTime("format");
    Draft draft = new Draft(this);
    draft.formats.add(pattern);
    return new DeclaredColumn(draft);
  }

  /**
   * Declares the zone of text that names none.
   *
   * @param declaredZone the zone; UTC by default
   * @return the declaration
   * @throws IllegalStateException if the column is neither of dates nor of times
   */
  public DeclaredColumn inZone(ZoneId declaredZone) {
    requireTime("inZone");
    Draft draft = new Draft(this);
    draft.zone = declaredZone;
    return new DeclaredColumn(draft);
  }

  /**
   * Declares how booleans are spelled, in any case.
   *
   * @param trues the words for true
   * @param falses the words for false
   * @return the declaration
   * @throws IllegalStateException if the column is not of booleans
   */
  public DeclaredColumn spelled(List<String> trues, List<String> falses) {
    if (type.kind() != Type.Kind.BOOLEAN) {
      throw new IllegalStateException(
          "Cannot spell column '" + name + "': it is not declared with bool(..).");
    }

    Draft draft = new Draft(this);
    draft.trueWords = trues;
    draft.falseWords = falses;
    return new DeclaredColumn(draft);
  }

  /** Rejects rows that have no value here; blank text is none. */
  public DeclaredColumn required() {
    Draft draft = new Draft(this);
    draft.presence = Presence.REQUIRED;
    return new DeclaredColumn(draft);
  }

  /** Returns the column of the target. */
  public String name() {
    return name;
  }

  /** Returns where the value comes from. */
  Column origin() {
    return origin;
  }

  /** Returns where the value comes from, for messages: a column's name or an expression. */
  String originText() {
    return originText;
  }

  /** Returns the value, null where it does not fit. */
  Column value(DataType sourceType) {
    Column typed = typed(prepared(), sourceType);
    Object otherwise = defaultValue;

    if (otherwise == null) {
      return typed;
    }

    return when(prepared().isNull(), lit(otherwise)).otherwise(typed);
  }

  /** Returns why the row cannot be used because of this column; null if it can. */
  Column reason(DataType sourceType) {
    Column raw = prepared();
    DataType spark = type.spark();
    Column misfit =
        spark == null
            ? lit(null).cast("string")
            : when(
                raw.isNotNull().and(typed(raw, sourceType).isNull()),
                concat(
                    lit("column '" + name + "': '"),
                    substring(origin.cast("string"), 1, LONGEST_TEXT),
                    lit("' is no " + spark.sql().toLowerCase(Locale.ROOT) + expectation())));

    if (presence == Presence.OPTIONAL) {
      return misfit;
    }

    Column missing = value(sourceType).isNull();
    Column absent =
        spark instanceof StringType ? missing.or(stripped(value(sourceType)).equalTo("")) : missing;
    return coalesce(
        misfit, when(absent, lit("column '" + name + "' is required and has no value")));
  }

  private String expectation() {
    if (!formats.isEmpty()) {
      return " of format " + String.join(" or ", formats);
    }

    return trueWords.isEmpty() && falseWords.isEmpty()
        ? ""
        : " spelled " + String.join(", ", trueWords) + " or " + String.join(", ", falseWords);
  }

  private Column prepared() {
    Column value = origin;

    for (UnaryOperator<Column> step : steps) {
      value = step.apply(value);
    }

    return value;
  }

  private Column typed(Column value, DataType sourceType) {
    DataType spark = type.spark();

    if (spark == null || sourceType.equals(spark)) {
      return value;
    }

    boolean isText = sourceType instanceof StringType || !steps.isEmpty();
    return switch (type.kind()) {
      case KEPT -> value;
      case CAST -> value.try_cast(spark);
      case BOOLEAN -> isText ? spelledOut(value) : value.try_cast(spark);
      case DATE -> isText ? dateOf(value) : value.try_cast(spark);
      case TIMESTAMP -> isText ? timestampOf(value) : value.try_cast(spark);
      case LOCAL_TIMESTAMP -> isText ? localTimestampOf(value) : value.try_cast(spark);
    };
  }

  private Column spelledOut(Column value) {
    Column word = lower(stripped(value));
    return when(word.isin(words(trueWords, "true")), lit(true))
        .when(word.isin(words(falseWords, "false")), lit(false));
  }

  private static Object[] words(List<String> declared, String usual) {
    List<String> words = declared.isEmpty() ? List.of(usual) : declared;
    return words.stream().map(word -> word.toLowerCase(Locale.ROOT)).toArray();
  }

  private Column dateOf(Column value) {
    if (formats.isEmpty()) {
      return onlyIfDated(value).try_cast(DataTypes.DateType);
    }

    return firstOf(formats.stream().map(format -> try_to_date(value, format)).toList());
  }

  private Column timestampOf(Column value) {
    String id = (zone == null ? ZoneOffset.UTC : zone).getId();

    if (!formats.isEmpty()) {
      return firstOf(formats.stream().map(format -> parsed(value, format, id)).toList());
    }

    // Text without a zone would be read in the session's, so the declared one is written behind its
    // wall clock.
    Column dated = onlyIfDated(value);
    Column wallClock = dated.try_cast(DataTypes.TimestampNTZType).cast(DataTypes.StringType);
    return when(regexp(stripped(dated), lit(NAMES_ZONE)), dated.try_cast(DataTypes.TimestampType))
        .otherwise(concat(wallClock, lit(" " + id)).try_cast(DataTypes.TimestampType));
  }

  /** Reads a format in a zone that the text itself, or we, name: never in the session's. */
  private static Column parsed(Column value, String format, String zone) {
    boolean namesZone = format.matches(".*[VzOXxZ].*");
    return namesZone
        ? try_to_timestamp(value, lit(format))
        : try_to_timestamp(concat(value, lit(" " + zone)), lit(format + " VV"));
  }

  private Column localTimestampOf(Column value) {
    if (formats.isEmpty()) {
      return onlyIfDated(value).try_cast(DataTypes.TimestampNTZType);
    }

    // Read as if in UTC and taken apart into microseconds, no session zone touches the wall clock.
    Column instant =
        firstOf(
            formats.stream().map(format -> parsed(value, format, ZoneOffset.UTC.getId())).toList());
    Column micros = unix_micros(instant);
    return lit(LocalDateTime.of(1970, 1, 1, 0, 0))
        .plus(
            make_dt_interval(
                lit(0),
                lit(0),
                lit(0),
                micros.cast("decimal(20,0)").divide(lit(1_000_000)).cast("decimal(18,6)")));
  }

  /** A time of day alone would be dated with today's clock; it is no date at all. */
  private static Column onlyIfDated(Column value) {
    return when(regexp(stripped(value), lit("^[+-]?[0-9]{4,}(-|$)")), value);
  }

  private static Column firstOf(List<Column> columns) {
    return coalesce(columns.toArray(new Column[0]));
  }

  private static Column stripped(Column value) {
    return trim(value.cast("string"), " \t\r\n\u00a0");
  }

  private DeclaredColumn then(UnaryOperator<Column> step) {
    Draft draft = new Draft(this);
    draft.steps.add(step);
    return new DeclaredColumn(draft);
  }

  private void requireTime(String call) {
    boolean isTime =
        type.kind() == Type.Kind.DATE
            || type.kind() == Type.Kind.TIMESTAMP
            || type.kind() == Type.Kind.LOCAL_TIMESTAMP;

    if (!isTime) {
      throw new IllegalStateException(
          "Cannot call "
              + call
              + "(..) for column '"
              + name
              + "': it is declared neither with date(..) nor with timestamp(..) or"
              + " localTimestamp(..).");
    }
  }

  /** The declaration while it is changed. */
  private static final class Draft {
    private final String name;
    private final Type type;
    private Column origin;
    private String originText;
    private final List<UnaryOperator<Column>> steps;
    private final List<String> formats;
    private @Nullable ZoneId zone;
    private List<String> trueWords = List.of();
    private List<String> falseWords = List.of();
    private @Nullable Object defaultValue;
    private Presence presence = Presence.OPTIONAL;

    private Draft(String name, Type type) {
      this.name = name;
      this.type = type;
      this.origin = Columns.col(name);
      this.originText = name;
      this.steps = new ArrayList<>();
      this.formats = new ArrayList<>();
    }

    private Draft(DeclaredColumn column) {
      this.name = column.name;
      this.type = column.type;
      this.origin = column.origin;
      this.originText = column.originText;
      this.steps = new ArrayList<>(column.steps);
      this.formats = new ArrayList<>(column.formats);
      this.zone = column.zone;
      this.trueWords = column.trueWords;
      this.falseWords = column.falseWords;
      this.defaultValue = column.defaultValue;
      this.presence = column.presence;
    }
  }
}
