package io.strandline.spark.target;

import static com.google.common.base.Throwables.getCausalChain;
import static io.strandline.spark.target.TargetRef.listed;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import io.delta.exceptions.DeltaConcurrentModificationException;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.RunSession;
import io.strandline.spark.internal.TablesInUse;
import io.strandline.spark.target.UpkeepReport.Sizes;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.util.IntervalUtils;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import scala.Console;

/**
 * Keeps a Delta table fast and small: compacts its files, removes those that nobody needs any more,
 * and writes a checkpoint of its log. For targets as for watermark tables, load logs and
 * tombstones.
 *
 * <h2>Beside loads</h2>
 *
 * <p>No row changes by it, so a load finds what it would have found. While a run of this process
 * writes into the table, upkeep is skipped, and the report says so. Of a run in another process
 * nothing is known before it commits: then whichever of OPTIMIZE and the run commits second fails.
 * If that is OPTIMIZE, upkeep is skipped; if it is the run, it is tried again as after any other
 * writer.
 *
 * <h2>Retention</h2>
 *
 * <p>VACUUM keeps what the newest version does not need for 168 hours, or as {@link #retaining}
 * says. Less than the table promises, by {@code delta.deletedFileRetentionDuration} or 168 hours,
 * is refused unless Delta's own check is off in the session ({@code
 * spark.databricks.delta.retentionDurationCheck.enabled}).
 *
 * <p>Immutable: every method returns another one. Safe for use by several threads.
 *
 * <pre>{@code
 * DeltaUpkeep.forName(spark, "silver_orders")
 *     .zOrderedBy("customer_id")
 *     .watching(DeltaWatermarkStore.forName(spark, "etl_watermark"))
 *     .dueAfterRuns(100)
 *     .runIfDue();
 * }</pre>
 */
public final class DeltaUpkeep {
  /** How long VACUUM keeps files unless it is told otherwise. */
  public static final Duration RETENTION = Duration.ofDays(7);

  /** A file of rows below this size, in bytes, is small. */
  public static final long SMALL_FILE = 32L * 1024 * 1024;

  private static final String RETAINED = "delta.deletedFileRetentionDuration";
  private static final String CHECK = "spark.databricks.delta.retentionDurationCheck.enabled";
  private static final int DAYS_PER_MONTH = 31;
  private static final long NEVER = Long.MAX_VALUE;

  private final DeltaRef table;
  private final Plan plan;
  private final Clock clock;

  /**
   * What is done, and when.
   *
   * @param compacted where OPTIMIZE is made; empty for the whole table
   * @param zOrder the columns of its Z-order; empty for the table's clustering, or none
   * @param retention how long VACUUM keeps files
   * @param promised how far back readers were promised to travel
   * @param readers where the watermarks of feed readers stand; null if nobody is watched
   * @param runs due after so many commits
   * @param smallFiles due at so many small files
   */
  private record Plan(
      String compacted,
      List<String> zOrder,
      Duration retention,
      Duration promised,
      @Nullable DeltaWatermarkStore readers,
      long runs,
      long smallFiles) {}

  private DeltaUpkeep(DeltaRef table, Plan plan, Clock clock) {
    this.table = table;
    this.plan = plan;
    this.clock = clock;
  }

  /**
   * Names a table of the catalog.
   *
   * @param spark the session; its settings apply, and are never changed
   * @param name the name of the table, of one to three parts
   * @return the upkeep
   */
  public static DeltaUpkeep forName(SparkSession spark, String name) {
    return of(DeltaRef.forName(spark, name));
  }

  /**
   * Names a table by the folder it lies in.
   *
   * @param spark the session; its settings apply, and are never changed
   * @param path the folder
   * @return the upkeep
   */
  public static DeltaUpkeep forPath(SparkSession spark, String path) {
    return of(DeltaRef.forPath(spark, path));
  }

  private static DeltaUpkeep of(DeltaRef table) {
    return new DeltaUpkeep(
        table,
        new Plan("", List.of(), RETENTION, Duration.ZERO, null, NEVER, NEVER),
        Clock.systemUTC());
  }

  /**
   * Compacts only some partitions.
   *
   * @param sqlCondition the condition over partition columns, in SQL
   * @return the upkeep
   * @throws IllegalArgumentException if it is blank
   */
  public DeltaUpkeep where(String sqlCondition) {
    if (sqlCondition.isBlank()) {
      throw new IllegalArgumentException("Cannot compact where a blank condition holds.");
    }

    return with(
        new Plan(
            sqlCondition,
            plan.zOrder(),
            plan.retention(),
            plan.promised(),
            plan.readers(),
            plan.runs(),
            plan.smallFiles()));
  }

  /**
   * Orders the rows of compacted files along several columns at once (Z-order). A table that is
   * clustered needs none: OPTIMIZE then clusters it.
   *
   * @param column the column; no partition column
   * @param more further columns
   * @return the upkeep
   * @throws IllegalArgumentException if a name is blank or stands twice
   */
  public DeltaUpkeep zOrderedBy(String column, String... more) {
    return with(
        new Plan(
            plan.compacted(),
            listed("zOrderedBy", column, more),
            plan.retention(),
            plan.promised(),
            plan.readers(),
            plan.runs(),
            plan.smallFiles()));
  }

  /**
   * Says how long VACUUM keeps files that the newest version does not need.
   *
   * @param retention the time, of which begun hours count whole; {@link #RETENTION} by default
   * @return the upkeep
   * @throws IllegalArgumentException if it is negative
   */
  public DeltaUpkeep retaining(Duration retention) {
    if (retention.isNegative()) {
      throw new IllegalArgumentException("Cannot retain files for " + retention + ".");
    }

    return with(
        new Plan(
            plan.compacted(),
            plan.zOrder(),
            retention,
            plan.promised(),
            plan.readers(),
            plan.runs(),
            plan.smallFiles()));
  }

  /**
   * Warns if less is retained than readers were promised to travel back.
   *
   * @param promised how far back
   * @return the upkeep
   */
  public DeltaUpkeep promisingTimeTravel(Duration promised) {
    return with(
        new Plan(
            plan.compacted(),
            plan.zOrder(),
            plan.retention(),
            requireNonNull(promised, "promised"),
            plan.readers(),
            plan.runs(),
            plan.smallFiles()));
  }

  /**
   * Warns if a load that reads the change feed of this table lags so far behind that VACUUM removes
   * changes which it has not read.
   *
   * @param store where the watermarks of such loads are kept
   * @return the upkeep
   */
  public DeltaUpkeep watching(DeltaWatermarkStore store) {
    return with(
        new Plan(
            plan.compacted(),
            plan.zOrder(),
            plan.retention(),
            plan.promised(),
            requireNonNull(store, "store"),
            plan.runs(),
            plan.smallFiles()));
  }

  /**
   * Makes it {@linkplain #isDue() due} when so many commits have written rows since the last
   * OPTIMIZE; a run that writes is one.
   *
   * @param runs the number, from 1
   * @return the upkeep
   * @throws IllegalArgumentException if it is less than 1
   */
  public DeltaUpkeep dueAfterRuns(long runs) {
    return with(
        new Plan(
            plan.compacted(),
            plan.zOrder(),
            plan.retention(),
            plan.promised(),
            plan.readers(),
            positive("dueAfterRuns", runs),
            plan.smallFiles()));
  }

  /**
   * Makes it {@linkplain #isDue() due} when the table has so many {@linkplain #SMALL_FILE small}
   * files.
   *
   * @param files the number, from 1
   * @return the upkeep
   * @throws IllegalArgumentException if it is less than 1
   */
  public DeltaUpkeep dueAtSmallFiles(long files) {
    return with(
        new Plan(
            plan.compacted(),
            plan.zOrder(),
            plan.retention(),
            plan.promised(),
            plan.readers(),
            plan.runs(),
            positive("dueAtSmallFiles", files)));
  }

  private static long positive(String call, long number) {
    if (number < 1) {
      throw new IllegalArgumentException(
          "Cannot call " + call + "(" + number + "): give 1 or more.");
    }

    return number;
  }

  /**
   * Reads the time from another clock, which says how old a change is that nobody has read.
   *
   * @param newClock the clock; that of the system by default
   * @return the upkeep
   */
  public DeltaUpkeep timedBy(Clock newClock) {
    return new DeltaUpkeep(table, plan, requireNonNull(newClock, "clock"));
  }

  private DeltaUpkeep with(Plan changed) {
    return new DeltaUpkeep(table, changed, clock);
  }

  /**
   * Tells whether upkeep is due, without a Spark job: when one of the declared numbers is reached,
   * or always if none is declared. It is not due if there is no table yet.
   */
  public boolean isDue() {
    Optional<DeltaSnapshot> found = table.findSnapshot();

    if (found.isEmpty()) {
      return false;
    }

    if (plan.runs() == NEVER && plan.smallFiles() == NEVER) {
      return true;
    }

    return (plan.runs() < NEVER
            && Commits.of(table.spark(), found.get()).writesSinceCompaction(plan.runs())
                >= plan.runs())
        || (plan.smallFiles() < NEVER && smallFiles(found.get()) >= plan.smallFiles());
  }

  private static long smallFiles(DeltaSnapshot snapshot) {
    AtomicLong small = new AtomicLong();
    snapshot.eachFileSize(size -> small.addAndGet(size < SMALL_FILE ? 1 : 0));
    return small.get();
  }

  /**
   * Does the upkeep if it is {@linkplain #isDue() due}.
   *
   * @return what was done; empty if it was not due
   * @throws Problem as {@link #run()} does
   */
  public Optional<UpkeepReport> runIfDue() {
    return isDue() ? Optional.of(run()) : Optional.empty();
  }

  /**
   * Does the upkeep, now: OPTIMIZE, VACUUM, checkpoint. Done again, or after it was killed at any
   * point, it does what is left.
   *
   * @return what was done
   * @throws Problem of kind {@code BAD_CONFIGURATION} if there is no such table or too little would
   *     be retained
   */
  public UpkeepReport run() {
    DeltaSnapshot found =
        table.findSnapshot().orElseThrow(() -> table.missing("keep up " + table.name()));
    requireRetention(found);
    List<String> warnings = warnings(found);
    Sizes before = sizes(found);

    if (TablesInUse.isInUse(table)) {
      return skipped(
          before, warnings, "It was skipped, since a run of this process is writing into it.");
    }

    try {
      command(optimize());
    } catch (RuntimeException e) {
      if (getCausalChain(e).stream()
          .noneMatch(DeltaConcurrentModificationException.class::isInstance)) {
        throw e;
      }

      return skipped(
          before,
          warnings,
          "It was skipped, since another writer has committed into it meanwhile.");
    }

    command("VACUUM " + table.sqlIdentifier() + " RETAIN " + hours(plan.retention()) + " HOURS");
    DeltaSnapshot newest = table.snapshot();
    newest.checkpoint();
    return new UpkeepReport(table.name(), before, sizes(newest), warnings, Optional.empty());
  }

  private UpkeepReport skipped(Sizes sizes, List<String> warnings, String reason) {
    return new UpkeepReport(table.name(), sizes, sizes, warnings, Optional.of(reason));
  }

  private void command(String statement) {
    // Delta tells on the console what VACUUM removes, in the midst of what the program prints.
    Console.withOut(
        OutputStream.nullOutputStream(),
        () -> RunSession.of(table.spark()).sql(statement).collectAsList());
  }

  private String optimize() {
    return "OPTIMIZE "
        + table.sqlIdentifier()
        + (plan.compacted().isEmpty() ? "" : " WHERE " + plan.compacted())
        + (plan.zOrder().isEmpty()
            ? ""
            : plan.zOrder().stream()
                .map(Columns::quoted)
                .collect(joining(", ", " ZORDER BY (", ")")));
  }

  private static long hours(Duration time) {
    return time.plusHours(1).minusNanos(1).toHours();
  }

  private void requireRetention(DeltaSnapshot found) {
    Duration least = promisedBy(found);

    if (plan.retention().compareTo(least) < 0
        && Boolean.parseBoolean(table.spark().conf().get(CHECK, "true"))) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "keep up " + table.name(),
          "VACUUM would keep files for "
              + hours(plan.retention())
              + " hours, and readers that are busy, and change feeds, count on "
              + hours(least),
          "Retain more, or set "
              + CHECK
              + " to false in the session if nobody reads older versions.");
    }
  }

  private static Duration promisedBy(DeltaSnapshot found) {
    String text = found.properties().getOrDefault(RETAINED, "");

    if (text.isEmpty()) {
      return RETENTION;
    }

    CalendarInterval interval = IntervalUtils.stringToInterval(UTF8String.fromString(text));
    return Duration.ofDays((long) interval.months * DAYS_PER_MONTH + interval.days)
        .plus(interval.microseconds, ChronoUnit.MICROS);
  }

  /**
   * Tells what a person should know before VACUUM removes files.
   *
   * @return sentences; empty if there is nothing to say
   * @throws Problem of kind {@code BAD_CONFIGURATION} if there is no such table
   */
  public List<String> warnings() {
    return warnings(
        table.findSnapshot().orElseThrow(() -> table.missing("keep up " + table.name())));
  }

  private List<String> warnings(DeltaSnapshot found) {
    List<String> warnings = new ArrayList<>();

    if (plan.retention().compareTo(plan.promised()) < 0) {
      warnings.add(
          "VACUUM keeps files for "
              + hours(plan.retention())
              + " hours, and readers were promised to travel back "
              + hours(plan.promised())
              + " hours.");
    }

    DeltaWatermarkStore store = plan.readers();

    if (store != null) {
      store
          .readersOf(found.tableId())
          .forEach(reader -> late(reader, found).ifPresent(warnings::add));
    }

    return warnings;
  }

  /** A reader needs the files of the first version that it has not read. */
  private Optional<String> late(DeltaWatermarkStore.VersionReader reader, DeltaSnapshot found) {
    long unread = reader.version() + 1;

    if (unread > found.version()) {
      return Optional.empty();
    }

    Instant kept = clock.instant().minus(plan.retention());
    return table
        .findSnapshot(unread)
        .map(DeltaSnapshot::committedAt)
        .filter(committed -> committed.isBefore(kept))
        .map(
            committed ->
                "'"
                    + reader.row()
                    + "' has read the changes up to version "
                    + reader.version()
                    + ", and version "
                    + unread
                    + " was committed "
                    + hours(Duration.between(committed, clock.instant()))
                    + " hours ago: VACUUM, which keeps "
                    + hours(plan.retention())
                    + ", removes changes that it has not read.");
  }

  private Sizes sizes(DeltaSnapshot snapshot) {
    AtomicLong files = new AtomicLong();
    AtomicLong bytes = new AtomicLong();
    snapshot.eachFileSize(
        size -> {
          files.incrementAndGet();
          bytes.addAndGet(size);
        });
    Path folder = new Path(snapshot.location());

    try {
      ContentSummary stored =
          folder
              .getFileSystem(
                  ((org.apache.spark.sql.classic.SparkSession) table.spark())
                      .sessionState()
                      .newHadoopConf())
              .getContentSummary(folder);
      return new Sizes(files.get(), bytes.get(), stored.getFileCount(), stored.getLength());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the name of the table. */
  @Override
  public String toString() {
    return table.name();
  }
}
