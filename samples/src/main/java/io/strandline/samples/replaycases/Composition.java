package io.strandline.samples.replaycases;

import io.strandline.clean.Cleaner;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.IncrementalSource;
import io.strandline.source.NullCursors;
import io.strandline.target.DeleteSweep;
import io.strandline.target.Deletes;
import io.strandline.target.MergeTarget;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkStore;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;

/**
 * Says what a case declares in the library's own words, for every world alike.
 *
 * <p>Columns that are declared a sequence here are:
 *
 * <ul>
 *   <li>all of {@code order_by}, since a case compares all of them with the stored row too
 *   <li>else what new rows are told by. An expression, or a column of which some values count as
 *       none, is made a column of its own by the cleaner, since a sequence is one of columns
 * </ul>
 */
final class Composition {
  /** The column that the cleaner makes where no column of the source is the sequence. */
  static final String SEQUENCE = "_case_sequence";

  /** The flag of soft deletes where the source has none. */
  static final String FLAG = "is_deleted";

  /** What tells new rows of a change feed, which a case need not say. */
  private static final CaseTable.Newer CHANGE_FEED =
      new CaseTable.Newer(
          List.of("_commit_version"), "", "exclusive", "", "quarantine", "allow", List.of());

  private static final Pattern COALESCE =
      Pattern.compile("coalesce\\s*\\(\\s*([^,]+?)\\s*,.*\\)", Pattern.CASE_INSENSITIVE);
  private static final Pattern CAST =
      Pattern.compile("cast\\s*\\(.+\\s+as\\s+(.+?)\\s*\\)", Pattern.CASE_INSENSITIVE);

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
            .trackedIn(store)
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

  /** Returns how rows that left the source are found; empty if they are not. */
  private static Optional<DeleteSweep> sweep(CaseTable table) {
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
    Cursor cursor =
        newer.expression().isEmpty()
            ? Cursor.on(newer.columns().get(0), more(newer.columns()))
            : Cursor.expression(newer.expression());
    cursor = newer.bound().equals("exclusive") ? cursor.exclusive() : cursor.inclusive();
    cursor = cursor.settledFor(Duration.ZERO);

    if (!newer.lag().isEmpty()) {
      cursor =
          newer.lag().startsWith("P")
              ? cursor.lookback(Duration.parse(newer.lag()))
              : cursor.lookback(new BigDecimal(newer.lag()));
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

  static CaseTable.Newer newer(CaseTable table) {
    if (table.load().watermark().isEmpty() && table.source().kind().equals("cdf")) {
      return CHANGE_FEED;
    }

    return table
        .load()
        .watermark()
        .orElseThrow(() -> new IllegalArgumentException("There is no watermark declared."));
  }

  static String[] more(List<String> columns) {
    return columns.stream().skip(1).toArray(String[]::new);
  }

  /** Returns the columns that say which version is newer; empty if the library's default does. */
  static List<String> sequence(CaseTable table) {
    boolean isMade = isSequenceMade(table);
    List<String> sequence = new ArrayList<>();

    for (CaseTable.Order order : table.load().orderBy()) {
      sequence.add(
          isMade && newer(table).columns().contains(order.column()) ? SEQUENCE : order.column());
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

  /** Returns the columns whose change opens a version. */
  static List<String> tracked(CaseTable table) {
    if (!table.load().track().isEmpty()) {
      return table.load().track();
    }

    return table.source().columns().keySet().stream()
        .filter(column -> !table.load().keys().contains(column))
        .filter(column -> !newer(table).columns().contains(column))
        .filter(column -> !column.equals(historyName(table, "effective")))
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
      return List.of(CaseValues.type(cast.group(1)));
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
