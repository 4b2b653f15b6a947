package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;

import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.source.Rereads;
import io.strandline.source.SourcePlan;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * Reads the rows of files in a folder that came after the stored watermark: CSV, JSON lines or
 * Parquet.
 *
 * <h2>What is new</h2>
 *
 * <p>There are two ways to tell, and one of them must be chosen:
 *
 * <ul>
 *   <li>{@link Files#newFilesBy(String) By files}: a run reads the files that are not in a ledger
 *       yet. A file is known by its path, its modification time and its size together, so that one
 *       which arrives late with an old time is read, and one that is written again is read again,
 *       as a whole. The watermark is the number of the last batch of files.
 *   <li>{@link Files#newerBy(Cursor) By a column in the rows}: a run reads the rows above the
 *       stored value, with all options of a cursor. Every run opens every file.
 * </ul>
 *
 * <h2>Files that are not finished</h2>
 *
 * <p>Files and folders whose names begin with {@code _} or {@code .} are left out. A file that was
 * written within the {@linkplain Files#settledFor settle time}, one minute by default, waits for a
 * later run. A run that reads a file while somebody writes it notices and fails; nothing is written
 * then, and the next run reads it as it has become.
 *
 * <h2>Lines</h2>
 *
 * <p>Columns are matched by name, in each file by its own header. A line that does not parse, since
 * it has too many or too few fields or one of another type than declared, is rejected with its
 * text, its file and the reason; the other lines are read. A field may hold separators, quotes and
 * line breaks if it is quoted. Byte order marks and both kinds of line ends are understood, and
 * compressed files too. An empty field is null, a quoted one too. A timestamp without a zone is one
 * of the session's zone.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * <pre>{@code
 * FileSource.csv(spark, "landing/orders")
 *     .columns("order_id STRING, amount DECIMAL(18, 2), changed_at TIMESTAMP")
 *     .newFilesBy("etl_files")
 * }</pre>
 */
public final class FileSource implements IncrementalSource<Dataset<Row>> {
  private final Files files;
  private final Newness newness;

  private FileSource(Files files, Newness newness) {
    this.files = files;
    this.newness = newness;
  }

  /**
   * Begins a source on files of separated fields, whose first line names the columns.
   *
   * <p>By default fields are separated by commas, quoted by {@code "}, and quotes within quotes are
   * doubled; {@link Files#option} changes that.
   *
   * @param spark the session that reads
   * @param location a folder, whose files are read on all levels, or a pattern such as {@code
   *     landing/orders-*.csv}
   * @return the next stage, which asks what tells new rows
   */
  public static Files csv(SparkSession spark, String location) {
    return files(spark, location, FileFormat.CSV);
  }

  /**
   * Begins a source on files with a JSON object per line.
   *
   * @param spark the session that reads
   * @param location a folder, whose files are read on all levels, or a pattern
   * @return the next stage, which asks what tells new rows; name the columns first
   */
  public static Files json(SparkSession spark, String location) {
    return files(spark, location, FileFormat.JSON);
  }

  /**
   * Begins a source on Parquet files.
   *
   * @param spark the session that reads
   * @param location a folder, whose files are read on all levels, or a pattern
   * @return the next stage, which asks what tells new rows
   */
  public static Files parquet(SparkSession spark, String location) {
    return files(spark, location, FileFormat.PARQUET);
  }

  private static Files files(SparkSession spark, String location, FileFormat format) {
    if (location.isBlank()) {
      throw new IllegalArgumentException("Cannot read files of '" + location + "': no folder.");
    }

    return new Files(
        spark, location, FileDeclaration.of(format), Files.ONE_MINUTE, AgeLimit.none());
  }

  /**
   * Names the clock that settle times and the cap of future values go by; by default the system's.
   *
   * <p>No watermark ever comes from it.
   *
   * @param newClock the clock
   * @return a source with that clock
   */
  public FileSource timedBy(Clock newClock) {
    return new FileSource(files, newness.timedBy(requireNonNull(newClock, "clock")));
  }

  @Override
  public String name() {
    return files.location;
  }

  @Override
  public Set<StreamName> streams() {
    return Set.of(StreamName.only());
  }

  @Override
  public List<String> watermarkColumns() {
    return newness.watermarkColumns();
  }

  @Override
  public Rereads rereads() {
    return newness.rereads();
  }

  @Override
  public String declaration() {
    return newness.declaration();
  }

  @Override
  public SourcePlan<Dataset<Row>> plan(StoredWatermarks stored) {
    return newness.plan(stored.stream(StreamName.only()));
  }

  @Override
  public SourcePlan<Dataset<Row>> planBackfill(StreamName stream, WatermarkRange range) {
    return newness.planBackfill(range);
  }

  /**
   * Reads all files that are there now, settled or not.
   *
   * <p>Of a line that does not parse, the fields count that can be told, so that a sweep takes no
   * row for gone whose line is merely broken elsewhere.
   */
  @Override
  public Dataset<Row> readAll() {
    return newness.readAll();
  }

  /** Returns the location and what tells new rows. */
  @Override
  public String toString() {
    return files.location + " " + declaration();
  }

  /** Files of which it is not said yet what tells new rows. Immutable. */
  public static final class Files {
    static final Duration ONE_MINUTE = Duration.ofMinutes(1);

    private final SparkSession spark;
    private final String location;
    private final FileDeclaration declaration;
    private final Duration settleTime;
    private final AgeLimit ageLimit;

    private Files(
        SparkSession spark,
        String location,
        FileDeclaration declaration,
        Duration settleTime,
        AgeLimit ageLimit) {
      this.spark = spark;
      this.location = location;
      this.declaration = declaration;
      this.settleTime = settleTime;
      this.ageLimit = ageLimit;
    }

    private Files with(FileDeclaration newDeclaration) {
      return new Files(spark, location, newDeclaration, settleTime, ageLimit);
    }

    /**
     * Declares the columns to read, by their names in the files; others are left out.
     *
     * <p>By default CSV files give every column of their headers as text, and Parquet files the
     * columns that they have. JSON needs a declaration, and so does CSV without a header, whose
     * columns are declared in their order.
     *
     * @param ddl names and types as in SQL, such as {@code order_id STRING, amount DECIMAL(18, 2)}
     * @return files with those columns
     * @throws IllegalArgumentException if the text cannot be parsed
     */
    public Files columns(String ddl) {
      return with(declaration.withColumns(parsed(ddl)));
    }

    /**
     * Adds columns whose values stand in the names of folders, as in {@code year=2026/month=6}.
     *
     * @param ddl names and types as in SQL, such as {@code year INT, month INT}
     * @return files with those columns
     * @throws IllegalArgumentException if the text cannot be parsed
     */
    public Files folderColumns(String ddl) {
      return with(declaration.withFolders(parsed(ddl)));
    }

    private static StructType parsed(String ddl) {
      try {
        return StructType.fromDDL(ddl);
      } catch (Exception e) {
        // Spark throws its checked exception without declaring it.
        throw new IllegalArgumentException(
            "Cannot read columns '" + ddl + "': write names and types as in SQL.", e);
      }
    }

    /**
     * Takes columns that a file's header does not name as null; by default the run fails.
     *
     * @return files that may lack columns
     */
    public Files missingColumnsAreNull() {
      return with(declaration.withMissing(FileDeclaration.MissingColumns.NULL));
    }

    /**
     * Adds a column with the path of the file that a row comes from.
     *
     * @param column the column
     * @return files with that column
     */
    public Files pathAs(String column) {
      return with(declaration.withPathColumn(requireNonNull(column, "column")));
    }

    /**
     * Adds a column with the modification time of the file that a row comes from.
     *
     * <p>A target merged by key may be sequenced by it, so that a file which is written again
     * replaces what it said before.
     *
     * @param column the column, a timestamp
     * @return files with that column
     */
    public Files modifiedAs(String column) {
      return with(declaration.withTimeColumn(requireNonNull(column, "column")));
    }

    /**
     * Sets an option of Spark's reader for the format, such as {@code sep}, {@code encoding} or
     * {@code timestampFormat}; {@code header} is {@code true} by default.
     *
     * <p>Large CSV files without line breaks in fields are read by several tasks each if {@code
     * multiLine} is {@code false}.
     *
     * @param name the option's name
     * @param value its value
     * @return files with that option
     */
    public Files option(String name, String value) {
      return with(
          declaration.withOption(requireNonNull(name, "name"), requireNonNull(value, "value")));
    }

    /**
     * Leaves files for a later run until they have not been written for a time.
     *
     * @param time the time, zero or more; one minute by default; zero where files appear complete,
     *     as when they are renamed into the folder
     * @return files with that settle time
     * @throws IllegalArgumentException if the time is negative
     */
    public Files settledFor(Duration time) {
      if (time.isNegative()) {
        throw new IllegalArgumentException("Cannot settle for " + time + ": it is negative.");
      }

      return new Files(spark, location, declaration, time, ageLimit);
    }

    /**
     * Does not list folders whose day, by their names, lies more than some days before the newest
     * day in the ledger; for {@link #newFilesBy} alone.
     *
     * <p>By default every folder is listed on every run. With a limit, what arrives in older
     * folders is not seen. Days beyond the clock do not count as the newest.
     *
     * @param days how many days before the newest day folders are listed again, zero or more
     * @param level the name of the outermost folder level, as {@code year} in {@code year=2026}; a
     *     single level holds whole days, as in {@code day=2026-06-30}
     * @param more the names of the levels below, for months and days
     * @return files of those folders
     * @throws IllegalArgumentException if the number is negative, or there are more than three
     *     levels
     */
    public Files listingDaysBack(int days, String level, String... more) {
      return new Files(spark, location, declaration, settleTime, AgeLimit.of(days, level, more));
    }

    /**
     * Tells new rows by one of their columns, or by several compared left to right.
     *
     * @param column the first column
     * @param more further columns
     * @return the source
     * @throws IllegalArgumentException if a name is blank or stands twice
     */
    public FileSource newerBy(String column, String... more) {
      return newerBy(Cursor.on(column, more));
    }

    /**
     * Tells new rows by a cursor, which may have options.
     *
     * <p>Planning reads every file once, and keeps the rows of the range on the executors.
     *
     * @param cursor the cursor
     * @return the source
     * @throws IllegalArgumentException if {@link #listingDaysBack} was said, which needs a ledger
     */
    public FileSource newerBy(Cursor cursor) {
      if (!ageLimit.isNone()) {
        throw new IllegalArgumentException(
            "Cannot leave out old folders of "
                + location
                + " without a ledger: call newFilesBy(..) instead of newerBy(..).");
      }

      FileFolder folder = new FileFolder(spark, location);
      return new FileSource(
          this,
          new NewRows(
              folder,
              new FileReader(spark, folder, declaration),
              declaration,
              requireNonNull(cursor, "cursor"),
              settleTime,
              Clock.systemUTC()));
    }

    /**
     * Tells new files by a ledger, a Delta table that is made when it is first needed.
     *
     * <p>It has a row for each file that was ever read, with the number of the batch that it came
     * in. Several sources may share one ledger. It is part of the watermark: who deletes it has to
     * reload.
     *
     * @param ledger the table's name, of one to three parts, quoted as in SQL where needed
     * @return the source
     * @throws IllegalArgumentException if the name cannot be parsed
     */
    public FileSource newFilesBy(String ledger) {
      return newFilesBy(DeltaRef.forName(spark, ledger));
    }

    /**
     * Tells new files by a ledger in a folder of its own; see {@link #newFilesBy(String)}.
     *
     * @param path the folder of the ledger, outside of the files' own
     * @return the source
     * @throws IllegalArgumentException if the path is blank
     */
    public FileSource newFilesByLedgerIn(String path) {
      return newFilesBy(DeltaRef.forPath(spark, path));
    }

    private FileSource newFilesBy(DeltaRef ledger) {
      FileFolder folder = new FileFolder(spark, location);
      return new FileSource(
          this,
          new NewFiles(
              folder,
              new FileReader(spark, folder, declaration),
              new FileLedger(ledger, Clock.systemUTC()),
              ageLimit,
              settleTime,
              Clock.systemUTC()));
    }
  }

  /** What tells new rows. */
  sealed interface Newness permits NewRows, NewFiles {
    Newness timedBy(Clock clock);

    List<String> watermarkColumns();

    Rereads rereads();

    String declaration();

    SourcePlan<Dataset<Row>> plan(io.strandline.watermark.StoredStream stored);

    SourcePlan<Dataset<Row>> planBackfill(WatermarkRange range);

    Dataset<Row> readAll();
  }
}
