package io.strandline.samples.replaycases;

import io.strandline.clean.Cleaner;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.IncrementalSource;
import io.strandline.source.NullCursors;
import io.strandline.target.DeleteSweep;
import io.strandline.target.Deletes;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkStore;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.Period;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Says what a case declares in the library's own words, for every world alike.
 *
 * <p>Columns that are declared a sequence here are:
 *
 * <ul>
 *   <li>all of {@code order_by}, since a case compares all of them with the stored row too
 *   <li>columns that the cleaner makes of those that are ordered upwards or with nulls first, since
 *       the larger value of a sequence is the newer one, and nulls are older than all
 *   <li>else what new rows are told by. An expression, or a column of which some values count as
 *       none, is made a column of its own by the cleaner, since a sequence is one of columns
 * </ul>
 */
final class Composition {
  /** The column that the cleaner makes where no column of the source is the sequence. */
  static final String SEQUENCE = "_case_sequence";

  /** Begins the name of a column that the cleaner makes: the larger, the smaller the column's. */
  static final String TURNED = "_case_turned_";

  /** Begins the name of a column that the cleaner makes: true where the column is null. */
  static final String NULLS = "_case_null_";

  /** The flag of soft deletes where the source has none. */
  static final String FLAG = "is_deleted";

  /** What tells new rows of a change feed, which a case need not say. */
  private static final CaseTable.Newer CHANGE_FEED =
      new CaseTable.Newer(
          List.of("_commit_version"), "", "exclusive", "", "quarantine", "allow", List.of());

  /** All rows are new on every run, where a case does not say what tells new ones. */
  private static final CaseTable.Newer ALL_ROWS =
      new CaseTable.Newer(List.of(), "1", "inclusive", "", "quarantine", "allow", List.of());

  private static final Pattern COALESCE =
      Pattern.compile("coalesce\\s*\\(\\s*([^,]+?)\\s*,.*\\)", Pattern.CASE_INSENSITIVE);
  private static final Pattern CAST =
      Pattern.compile(
          "cast\\s*\\((?<value>.+)\\s+as\\s+(?<type>.+?)\\s*\\)", Pattern.CASE_INSENSITIVE);

  private static final long DAYS_OF_A_YEAR = 366;
  private static final long DAYS_OF_A_MONTH = 31;

  private Composition() {}

  /** Composes the parts and runs them once. */
  static <D> LoadResult run(
      CaseTable table,
      World.Settings settings,
      IncrementalSource<D> source,
      Cleaner<D> cleaner,
      MergeTarget<D> target,
      WatermarkStore store) {
    IncrementalLoad.Builder<D> builder =
        IncrementalLoad.named(table.name())
            .from(settings.faults().wrap(source))
            .cleanedBy(cleaner)
            .into(settings.faults().wrap(target))
            .trackedIn(settings.fate() == World.Fate.DIES ? dying(store) : store)
            .timedBy(settings.asClock());
    sweep(table).ifPresent(builder::swept);
    IncrementalLoad<D> load = builder.build();

    try {
      return load.run();
    } catch (LoadException e) {
      if (settings.approval() == World.Approval.WITHHELD || e.approval().isEmpty()) {
        throw e;
      }

      return load.approving(e.approval().get()).run();
    }
  }

  /**
   * Returns a store before whose first move the process dies, also if it finishes an earlier run:
   * faults of its own know of no run.
   */
  private static WatermarkStore dying(WatermarkStore store) {
    return Faults.once(LoadStep.ADVANCE, Moment.BEFORE).dies().wrap(store);
  }

  /** Returns how rows that left the source are found; empty if they are not. */
  private static Optional<DeleteSweep> sweep(CaseTable table) {
    boolean isClosing = table.load().sweep().filter(told -> told.how().equals("close")).isPresent();

    if (isClosing && !isHistory(table)) {
      throw new IllegalArgumentException(
          "Load '" + table.name() + "' has no versions that a sweep could close.");
    }

    return table
        .load()
        .sweep()
        .map(
            sweep ->
                DeleteSweep.everyRun()
                    .atMostShare(
                        sweep.maxFraction().isEmpty()
                            ? 1
                            : Double.parseDouble(sweep.maxFraction())));
  }

  /** Declares what tells new rows. */
  static Cursor cursor(CaseTable table, SessionSettings session) {
    CaseTable.Newer newer = newer(table);
    boolean isInDatabase = table.source().kind().equals("jdbc");
    Cursor cursor =
        newer.expression().isEmpty()
            ? Cursor.on(newer.columns().get(0), more(newer.columns()))
            : Cursor.expression(isInDatabase ? inDatabase(newer) : inSpark(newer));
    // Of finer values the stored one is only the beginning, so that nothing can be told beyond it.
    boolean isExclusive = newer.bound().equals("exclusive") && !isFiner(table, newer);
    cursor = isExclusive ? cursor.exclusive() : cursor.inclusive();
    cursor = cursor.settledFor(Duration.ZERO);

    if (table.load().watermark().isEmpty()) {
      cursor = cursor.readingAll();
    }

    if (!newer.lag().isEmpty()) {
      cursor = lookingBack(cursor, newer.lag(), cursorTypes(table).get(0));
    }

    if (newer.nullCursor().equals("load")) {
      cursor = cursor.nulls(NullCursors.LOAD);
    }

    if (newer.future().equals("cap")) {
      // A zone-less column meets the clock in the zone of the session.
      cursor = cursor.future(FutureCursors.CAP).inZone(ZoneId.of(session.timeZone()));
    }

    for (Watermark sentinel : sentinels(table)) {
      cursor = cursor.sentinel(sentinel);
    }

    return table.load().maxRows() > 0 ? cursor.atMost(table.load().maxRows()) : cursor;
  }

  private static boolean isFiner(CaseTable table, CaseTable.Newer newer) {
    Map<String, String> types = table.source().columns();
    return newer.columns().stream()
        .map(column -> types.get(CaseValues.find(column, types.keySet())))
        .anyMatch(CaseValues.NANOSECONDS::equals);
  }

  /** A value that cannot be cast counts as none; in a case, it stops no load. */
  static String inSpark(CaseTable.Newer newer) {
    return CAST.matcher(newer.expression().strip()).matches()
        ? "try_" + newer.expression().strip()
        : newer.expression();
  }

  /** Says the same to a database that has no cast of that kind. */
  private static String inDatabase(CaseTable.Newer newer) {
    Matcher cast = CAST.matcher(newer.expression().strip());

    if (!cast.matches() || !CaseValues.isWhole(CaseValues.type(cast.group("type")))) {
      return newer.expression();
    }

    return "case when regexp_like(cast("
        + cast.group("value")
        + " as varchar), '^\\s*[+-]?[0-9]{1,18}\\s*$') then "
        + newer.expression()
        + " end";
  }

  /** A number is one of days where what is measured by is a day, of seconds where it is a time. */
  private static Cursor lookingBack(Cursor cursor, String lag, DataType type) {
    if (lag.startsWith("P")) {
      return cursor.lookback(duration(lag));
    }

    if (type instanceof DateType) {
      return cursor.lookback(Duration.ofDays(Long.parseLong(lag)));
    }

    return type instanceof TimestampType || type instanceof TimestampNTZType
        ? cursor.lookback(Duration.ofSeconds(Long.parseLong(lag)))
        : cursor.lookback(new BigDecimal(lag));
  }

  /** Months and years are as long as they can be: to read more again does no harm. */
  private static Duration duration(String iso) {
    int time = iso.indexOf('T');
    String days = time < 0 ? iso : iso.substring(0, time);
    Period period = days.equals("P") ? Period.ZERO : Period.parse(days);
    Duration rest = time < 0 ? Duration.ZERO : Duration.parse("P" + iso.substring(time));
    return rest.plusDays(
        period.getYears() * DAYS_OF_A_YEAR
            + period.getMonths() * DAYS_OF_A_MONTH
            + period.getDays());
  }

  static CaseTable.Newer newer(CaseTable table) {
    return table
        .load()
        .watermark()
        .orElse(table.source().kind().equals("cdf") ? CHANGE_FEED : ALL_ROWS);
  }

  /** Tells whether nothing says which rows are new, so that all are read on every run. */
  static boolean isReadWhole(CaseTable table) {
    return newer(table).equals(ALL_ROWS) && !SourceFiles.areOf(table);
  }

  static String[] more(List<String> columns) {
    return columns.stream().skip(1).toArray(String[]::new);
  }

  /** Returns the columns that say which version is newer; empty if the library's default does. */
  static List<String> sequence(CaseTable table) {
    boolean isMade = isSequenceMade(table);
    List<String> sequence = new ArrayList<>();

    for (CaseTable.Order order : table.load().orderBy()) {
      boolean isSequence = isMade && newer(table).columns().contains(order.column());

      if (order.nulls().equals("first")) {
        sequence.add(NULLS + order.column());
      }

      if (order.direction().equals("asc")) {
        sequence.add(TURNED + order.column());
      } else {
        sequence.add(isSequence ? SEQUENCE : order.column());
      }
    }

    if (sequence.isEmpty() && isMade) {
      sequence.add(SEQUENCE);
    }

    return sequence;
  }

  /** Tells whether the target keeps the history of every key. */
  static boolean isHistory(CaseTable table) {
    return table.load().mode().equals("scd2");
  }

  /** Returns the name that a case gives to a column of the history. */
  static String historyName(CaseTable table, String part) {
    return table.load().scd2().getOrDefault(part, part);
  }

  /**
   * Returns the column that tells when a change took effect: what new rows are told by, if none.
   */
  static String effective(CaseTable table) {
    String named = historyName(table, "effective");
    boolean isTold =
        table.load().scd2().containsKey("effective")
            || table.source().columns().containsKey(named)
            || newer(table).columns().isEmpty();
    return isTold ? named : newer(table).columns().get(0);
  }

  /** Returns the columns whose change opens a version. */
  static List<String> tracked(CaseTable table) {
    if (!table.load().track().isEmpty()) {
      return table.load().track();
    }

    return table.source().columns().keySet().stream()
        .filter(column -> !table.load().keys().contains(column))
        .filter(column -> !newer(table).columns().contains(column))
        .filter(column -> !column.equals(effective(table)))
        .filter(
            column -> table.load().deletes().filter(told -> told.column().equals(column)).isEmpty())
        .toList();
  }

  /** Tells whether the cleaner must make the sequence. */
  static boolean isSequenceMade(CaseTable table) {
    if (table.load().watermark().isEmpty()) {
      return false;
    }

    CaseTable.Newer newer = newer(table);

    if (!newer.expression().isEmpty()) {
      return table.load().orderBy().isEmpty();
    }

    return !newer.sentinels().isEmpty() && newer.columns().size() == 1;
  }

  /** Returns which rows are deletes; empty if none is. */
  static Optional<Deletes> deletes(CaseTable table) {
    Optional<Deletes> deletes =
        table
            .load()
            .deletes()
            .map(declared -> deletes(table, declared))
            .or(() -> flaggedBySweep(table));
    // What a feed says of deletes is heard, whether a case asks for it or not.
    return deletes.isEmpty() && table.source().kind().equals("cdf")
        ? Optional.of(Deletes.ofChangeFeed())
        : deletes;
  }

  /** Returns which rows close versions, whatever a case says of flags; empty if none does. */
  static Optional<Deletes> closing(CaseTable table) {
    return deletes(table)
        .map(deletes -> new Deletes(deletes.condition(), new Deletes.Hard(), deletes.unstored()));
  }

  private static Optional<Deletes> flaggedBySweep(CaseTable table) {
    return table
        .load()
        .sweep()
        .filter(sweep -> sweep.how().equals("soft"))
        .map(sweep -> Deletes.softBySweep(sweep.flag().isEmpty() ? FLAG : sweep.flag()));
  }

  private static Deletes deletes(CaseTable table, CaseTable.Deletes deletes) {
    boolean isHard = deletes.how().equals("hard");

    if (table.source().kind().equals("cdf")
        && !table.source().columns().containsKey(deletes.column())) {
      return isHard ? Deletes.ofChangeFeed() : Deletes.ofChangeFeed().softly(FLAG);
    }

    DataType type = table.cleanedTypes().getOrDefault(deletes.column(), CaseValues.type("string"));
    Object value = read(deletes.equals(), type);
    return isHard ? Deletes.hard(deletes.column(), value) : Deletes.soft(deletes.column(), value);
  }

  /** Returns the values that count as none, in memory. */
  static List<Object> sentinelValues(CaseTable table) {
    DataType type = cursorTypes(table).get(0);
    List<Object> values = new ArrayList<>();

    for (Object json : newer(table).sentinels()) {
      Object value = CaseValues.read(json, type);

      if (value != null) {
        values.add(value);
      }
    }

    return values;
  }

  private static List<Watermark> sentinels(CaseTable table) {
    return sentinelValues(table).stream().map(Composition::watermark).toList();
  }

  /** Returns the types of the values that make up the watermark. */
  static List<DataType> cursorTypes(CaseTable table) {
    if (table.load().watermark().isEmpty()) {
      return List.of(CaseValues.type("bigint"));
    }

    CaseTable.Newer newer = newer(table);
    Map<String, DataType> types = table.sourceTypes();

    if (newer.expression().isEmpty()) {
      return newer.columns().stream()
          .map(column -> CaseValues.find(column, types.keySet()))
          .map(column -> types.getOrDefault(column, CaseValues.type("bigint")))
          .toList();
    }

    Matcher cast = CAST.matcher(newer.expression().strip());

    if (cast.matches()) {
      return List.of(CaseValues.type(cast.group("type")));
    }

    Matcher coalesce = COALESCE.matcher(newer.expression().strip());
    String column = coalesce.matches() ? coalesce.group(1) : newer.expression().strip();
    return List.of(types.getOrDefault(column, CaseValues.type("timestamp")));
  }

  /** Makes a watermark of a value that a case writes: of one, or of one for each column. */
  static Watermark watermark(CaseTable table, @Nullable Object json) {
    if (json == null) {
      return Watermark.start();
    }

    List<DataType> types = cursorTypes(table);

    if (!(json instanceof Map<?, ?> values)) {
      Watermark one = watermark(read(json, types.get(0)));
      return table.source().kind().equals("cdf") && one instanceof Watermark.IntegerNumber version
          ? Watermark.ofVersion(version.value())
          : one;
    }

    List<Watermark> parts = new ArrayList<>();
    List<String> columns = newer(table).columns();

    for (int i = 0; i < columns.size(); i++) {
      Object value = values.get(columns.get(i));

      if (value == null) {
        throw new IllegalArgumentException("The watermark " + json + " lacks " + columns.get(i));
      }

      parts.add(watermark(read(value, types.get(i))));
    }

    return parts.size() == 1 ? parts.get(0) : Watermark.of(parts);
  }

  private static Object read(@Nullable Object json, DataType type) {
    Object value = CaseValues.stored(CaseValues.read(json, type));

    if (value == null) {
      throw new IllegalArgumentException("There is no value in " + json);
    }

    return value;
  }

  private static Watermark watermark(Object value) {
    if (value instanceof Instant instant) {
      return Watermark.at(instant);
    }

    if (value instanceof LocalDateTime time) {
      return Watermark.at(time);
    }

    if (value instanceof LocalDate day) {
      return Watermark.on(day);
    }

    if (value instanceof Long number) {
      return Watermark.of(number);
    }

    return value instanceof BigDecimal number
        ? Watermark.of(number)
        : Watermark.of(String.valueOf(value));
  }
}
