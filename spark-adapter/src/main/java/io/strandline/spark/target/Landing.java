package io.strandline.spark.target;

import static java.util.Objects.requireNonNull;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.input_file_name;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.unix_micros;
import static org.apache.spark.sql.functions.when;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.Conflicts;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.FileStatistics;
import io.strandline.spark.internal.NewTable;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Appends rows to a bronze table, each landing stamped with one time, so that a load can tell what
 * is new.
 *
 * <pre>{@code
 * Landing bronze = Landing.into(spark, "bronze_orders");
 * bronze.land("orders-2026-07-01.csv", spark.read().option("header", true).csv(file));
 * }</pre>
 *
 * <p>The stamp stands in the column {@code _loaded_at}. It is the clock's time, or, where the clock
 * stepped back, a microsecond more than the greatest stamp of the table: a landing that commits
 * later always has a greater stamp, even if two land at once. So no load that has read up to a
 * stamp misses rows that come after it.
 *
 * <p>On demand each row also says which file it came from ({@link #filedIn}) and in the how many-th
 * landing of the table ({@link #numberedIn}).
 *
 * <p>A landing that is given a name, such as that of a file, lands exactly once: killed in between
 * it lands nothing, and landed again it changes nothing. The table's log remembers every name. The
 * table is made if it is missing, with the columns of the first rows. Immutable and safe for use by
 * several threads.
 */
public final class Landing {
  private static final String DEFAULT_STAMP = "_loaded_at";
  private static final String NEWER = "_strandline_newer";
  private static final String APP_ID = "strandline/landing/";

  /** Delta keeps statistics of so many columns, by which a load finds the files that are new. */
  private static final int COLUMNS_WITH_STATISTICS = 32;

  private final DeltaRef table;
  private final Marks marks;
  private final Clock clock;

  /**
   * The columns that a landing makes itself.
   *
   * @param stamp the column of the stamp
   * @param file the column of the file; empty if there is none
   * @param number the column of the number; empty if there is none
   */
  private record Marks(String stamp, Optional<String> file, Optional<String> number) {
    /** Returns the columns behind those of the rows, in their order. */
    StructType behind(StructType columns) {
      StructType all = columns.add(stamp, DataTypes.TimestampType);

      if (file.isPresent()) {
        all = all.add(file.get(), DataTypes.StringType);
      }

      return number.isPresent() ? all.add(number.get(), DataTypes.LongType) : all;
    }

    StructType alone() {
      return behind(new StructType());
    }
  }

  private Landing(DeltaRef table, Marks marks, Clock clock) {
    this.table = table;
    this.marks = marks;
    this.clock = clock;
  }

  private static Landing in(DeltaRef table) {
    return new Landing(
        table, new Marks(DEFAULT_STAMP, Optional.empty(), Optional.empty()), Clock.systemUTC());
  }

  /**
   * Lands in a table of the session's catalogs.
   *
   * @param spark the session
   * @param table the table's name; the table need not exist
   * @return the landing
   */
  public static Landing into(SparkSession spark, String table) {
    return in(DeltaRef.forName(spark, table));
  }

  /**
   * Lands in a folder.
   *
   * @param spark the session
   * @param path the folder of the table; it need not exist
   * @return the landing
   */
  public static Landing intoPath(SparkSession spark, String path) {
    return in(DeltaRef.forPath(spark, path));
  }

  /**
   * Names the column of the stamp.
   *
   * @param column the column; {@code _loaded_at} unless said otherwise
   * @return a landing with that column
   */
  public Landing stampedIn(String column) {
    return new Landing(
        table, new Marks(requireNonNull(column), marks.file(), marks.number()), clock);
  }

  /**
   * Names a column for the file that a row was read from, as Spark tells it, or else for the name
   * of the landing; null if neither is known.
   *
   * @param column the column, of text; none unless said otherwise
   * @return a landing with that column
   */
  public Landing filedIn(String column) {
    return new Landing(table, new Marks(marks.stamp(), Optional.of(column), marks.number()), clock);
  }

  /**
   * Names a column for the number of the landing: one more than the greatest number of the table,
   * from 1.
   *
   * @param column the column, of whole numbers of 64 bits; none unless said otherwise
   * @return a landing with that column
   */
  public Landing numberedIn(String column) {
    return new Landing(table, new Marks(marks.stamp(), marks.file(), Optional.of(column)), clock);
  }

  /**
   * Takes the time of landings from a clock.
   *
   * @param newClock the clock; that of the system in UTC unless said otherwise
   * @return a landing with that clock
   */
  public Landing timedBy(Clock newClock) {
    return new Landing(table, marks, requireNonNull(newClock));
  }

  /**
   * Lands rows; done twice, they are there twice.
   *
   * @param rows the rows, without the column of the stamp
   * @return when they landed
   * @throws Problem if the rows do not fit the table
   */
  public Landed land(Dataset<Row> rows) {
    return outlasting(() -> attempt("", rows));
  }

  /**
   * Lands rows, unless a landing of that name has landed before.
   *
   * @param name what the landing is known by, such as the name of a file; not blank
   * @param rows the rows, without the column of the stamp; not looked at if they are there already
   * @return when they landed, and whether by this call
   * @throws Problem if the rows do not fit the table
   */
  public Landed land(String name, Dataset<Row> rows) {
    if (name.isBlank()) {
      throw new IllegalArgumentException(
          "Cannot land rows under the name '" + name + "': it needs at least one visible letter.");
    }

    return outlasting(() -> attempt(APP_ID + name, rows));
  }

  private Landed outlasting(Supplier<Landed> work) {
    return Conflicts.oneAtATime(
        table, () -> Conflicts.outlasting("land rows in " + table.name(), work));
  }

  private Landed attempt(String appId, Dataset<Row> rows) {
    DeltaSnapshot snapshot = newTable(rows.schema()).in(table);
    long landedBefore = appId.isEmpty() ? 0 : snapshot.transaction(appId);

    if (landedBefore != 0) {
      return new Landed(Landed.Outcome.THERE_ALREADY, stampOf(landedBefore), 0);
    }

    requireFit(rows.schema(), snapshot.schema());
    Instant stampedAt = nextStamp();
    String name = appId.isEmpty() ? "" : appId.substring(APP_ID.length());
    DataFrameWriter<Row> writer =
        stamped(filed(rows, name), stampedAt, nextNumber()).write().format("delta").mode("append");

    if (!appId.isEmpty()) {
      writer.option("txnAppId", appId).option("txnVersion", numberOf(stampedAt));
    }

    writer.saveAsTable(table.sqlIdentifier());

    if (!appId.isEmpty()) {
      long landed = table.snapshot().transaction(appId);

      if (landed != numberOf(stampedAt)) {
        return new Landed(Landed.Outcome.THERE_ALREADY, stampOf(landed), 0);
      }
    }

    long landed = table.newest().where(stampColumn().equalTo(lit(stampedAt))).count();
    return new Landed(Landed.Outcome.LANDED, stampedAt, landed);
  }

  /**
   * Delta skips a write whose number is not above the one that it knows. Stamps only grow, so the
   * number counts down with them: whoever lands a name later is skipped, and the number that Delta
   * keeps tells when the name landed.
   */
  private static long numberOf(Instant stampedAt) {
    return Long.MAX_VALUE - ChronoUnit.MICROS.between(Instant.EPOCH, stampedAt);
  }

  private static Instant stampOf(long number) {
    return Instant.EPOCH.plus(Long.MAX_VALUE - number, ChronoUnit.MICROS);
  }

  private Column stampColumn() {
    return Columns.col(marks.stamp());
  }

  /** Reads only files that could hold a stamp from the future, as a rule none. */
  private Instant nextStamp() {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    Row newest =
        table
            .newest()
            .where(stampColumn().geq(lit(now)))
            .agg(unix_micros(max(stampColumn())).as(NEWER))
            .head();
    return newest.isNullAt(0) ? now : Instant.EPOCH.plus(newest.getLong(0) + 1, ChronoUnit.MICROS);
  }

  /** Asks the statistics of the files, where they have any. */
  private long nextNumber() {
    return marks
        .number()
        .map(column -> table.newest().agg(coalesce(max(Columns.col(column)), lit(0L))).head())
        .map(greatest -> greatest.getLong(0) + 1)
        .orElse(0L);
  }

  private Dataset<Row> filed(Dataset<Row> rows, String name) {
    Column file =
        when(input_file_name().notEqual(""), input_file_name())
            .otherwise(lit(name.isEmpty() ? null : name).cast(DataTypes.StringType));
    return marks.file().map(column -> rows.withColumn(column, file)).orElse(rows);
  }

  /**
   * Stamps rows with a time, and with a number if wanted, that no row of the table has reached. The
   * table is read for that inside the commit itself, so that Delta takes a landing that commits
   * meanwhile for a conflict; an append that reads nothing conflicts with nothing, and could commit
   * an older stamp after a newer one.
   */
  private Dataset<Row> stamped(Dataset<Row> rows, Instant stampedAt, long number) {
    Column isNewer = stampColumn().geq(lit(stampedAt));
    Dataset<Row> newer =
        table
            .in(rows.sparkSession())
            .newest()
            .where(
                marks
                    .number()
                    .map(column -> isNewer.or(Columns.col(column).geq(number)))
                    .orElse(isNewer))
            .agg(count(lit(1)).as(NEWER));
    Dataset<Row> stamped =
        rows.crossJoin(newer)
            .withColumn(
                marks.stamp(),
                when(Columns.col(NEWER).equalTo(0), lit(stampedAt))
                    .otherwise(Conflicts.missed().cast(DataTypes.TimestampType)))
            .drop(NEWER);
    return marks.number().map(column -> stamped.withColumn(column, lit(number))).orElse(stamped);
  }

  private NewTable newTable(StructType columns) {
    requireNoMark(columns);
    StructType all = marks.behind(columns.asNullable());
    int leaves = FileStatistics.leaves(all);
    return new NewTable(all, List.of(), properties(columns, leaves));
  }

  private static Map<String, String> properties(StructType columns, int leaves) {
    Map<String, String> properties = new HashMap<>();

    if (leaves > COLUMNS_WITH_STATISTICS) {
      properties.put("delta.dataSkippingNumIndexedCols", Integer.toString(leaves));
    }

    if (TableCreation.needsMapping(columns)) {
      properties.put("delta.columnMapping.mode", "name");
    }

    return properties;
  }

  private void requireNoMark(StructType columns) {
    for (String mark : marks.alone().fieldNames()) {
      if (find(columns, mark)) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            "land rows in " + table.name(),
            "the rows have a column '" + mark + "', which a landing makes itself",
            "Drop or rename it, or name another column with " + callOf(mark) + ".");
      }
    }
  }

  private String callOf(String mark) {
    if (marks.file().filter(mark::equals).isPresent()) {
      return "filedIn(..)";
    }

    return marks.number().filter(mark::equals).isPresent() ? "numberedIn(..)" : "stampedIn(..)";
  }

  private void requireFit(StructType columns, StructType kept) {
    for (StructField mark : marks.alone().fields()) {
      if (Arrays.stream(kept.fields())
          .noneMatch(
              field ->
                  field.name().equalsIgnoreCase(mark.name())
                      && field.dataType().equals(mark.dataType()))) {
        String type = mark.dataType().sql();
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            "land rows in " + table.name(),
            "the table has no column '" + mark.name() + "' of type " + type,
            "Add it (ALTER TABLE .. ADD COLUMN "
                + mark.name()
                + " "
                + type
                + "), or name another column with "
                + callOf(mark.name())
                + ".");
      }
    }

    List<String> unknown =
        Arrays.stream(columns.fields())
            .map(StructField::name)
            .filter(column -> !find(kept, column))
            .toList();

    if (!unknown.isEmpty()) {
      throw new Problem(
          ProblemKind.SCHEMA_MISMATCH,
          "land rows in " + table.name(),
          "the table has no column "
              + String.join(", ", unknown.stream().map(column -> "'" + column + "'").toList()),
          "Add it to the table, or leave it out of the rows."
              + Columns.nearMiss(unknown.get(0), Arrays.asList(kept.fieldNames())));
    }
  }

  private static boolean find(StructType columns, String column) {
    return Arrays.stream(columns.fieldNames())
        .anyMatch(name -> name.toLowerCase(Locale.ROOT).equals(column.toLowerCase(Locale.ROOT)));
  }

  /** Returns the name of the table. */
  @Override
  public String toString() {
    return table.name();
  }
}
