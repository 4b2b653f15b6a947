package io.strandline.samples.replaycases;

import io.strandline.load.LoadResult;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.watermark.Watermark;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.types.DataType;

/**
 * Where a case is played: its sources, targets, quarantine and watermark store, all of them empty
 * at the beginning and gone at the end.
 *
 * <p>Runs may be asked for by several threads at once; all else by one.
 */
interface World extends AutoCloseable {

  /** The columns that a change feed has beside those of its table. */
  Set<String> CHANGE_FEED = Set.of("_change_type", "_commit_version", "_commit_timestamp");

  /** Makes the source of a table, without rows, and what the target is before. */
  void make(CaseTable table, SourceRows source);

  /**
   * Adds rows to a source.
   *
   * @param table the table
   * @param rows the new rows
   */
  void append(CaseTable table, SourceRows rows);

  /**
   * Writes a file to a source that is a folder of files.
   *
   * @param table the table
   * @param name the name of the file
   * @param content its text
   */
  void landFile(CaseTable table, String name, String content);

  /**
   * Replaces columns and rows of a source, which stays the same source.
   *
   * @param table the table
   * @param all the new columns and rows
   */
  void rewrite(CaseTable table, SourceRows all);

  /**
   * Changes rows of a source whose changes are read one by one, in one commit.
   *
   * @param table the table
   * @param how upsert or delete
   * @param rows the new rows, or those that go
   * @param keys what tells the rows apart
   */
  default void change(CaseTable table, String how, SourceRows rows, List<String> keys) {
    throw new IllegalArgumentException("There is no change feed here.");
  }

  /**
   * Changes the key of a row of a source whose changes are read one by one, in one commit.
   *
   * @param table the table
   * @param from the old key
   * @param to the new key
   */
  default void rekey(CaseTable table, SourceRows from, SourceRows to) {
    throw new IllegalArgumentException("There is no change feed here.");
  }

  /**
   * Makes a source lose its history.
   *
   * @param table the table
   * @param loss vacuum, truncate_log or drop_recreate
   * @param all the columns, and the rows of a source that is made again
   */
  void loseHistory(CaseTable table, String loss, SourceRows all);

  /**
   * Composes the load of a table and runs it once.
   *
   * @param table the table
   * @param settings how the run is made
   * @return what it did
   */
  LoadResult run(CaseTable table, Settings settings);

  /** Returns the rows of a target, none if there is no target. */
  Rows target(CaseTable table);

  /** Returns the columns of a target and their types; empty if there is no target. */
  Map<String, DataType> targetColumns(CaseTable table);

  /** Returns the rows that are in quarantine, as they came. */
  Rows quarantine(CaseTable table, Map<String, DataType> types);

  /** Returns the different watermarks that are stored of a load. */
  Set<Watermark> watermarks(CaseTable table);

  /** Returns how many rows the store has of a load. */
  long watermarkRows(CaseTable table);

  /** Deletes the rows of a load in the store, as a person would. */
  void deleteWatermark(CaseTable table);

  /** Doubles the row of a load in the store, as a person would. */
  void duplicateWatermark(CaseTable table);

  /** Writes a value into the row of a load in the store, as a person would. */
  void setWatermark(CaseTable table, Watermark value);

  @Override
  void close();

  /** Whether a person approves of a sweep. */
  enum Approval {
    GIVEN,
    WITHHELD
  }

  /** What becomes of the process of a run. */
  enum Fate {
    LIVES,
    /** It dies at the latest before it would move a watermark, that of a run before it too. */
    DIES
  }

  /**
   * How a run is made.
   *
   * @param session the settings of the session
   * @param clock what time it is; empty if it does not matter
   * @param faults what goes wrong, or is done by somebody else, in the midst of it
   * @param approval whether a person approves of the sweep that the run is stopped by
   * @param fate what becomes of the process
   */
  record Settings(
      SessionSettings session,
      Optional<Instant> clock,
      FaultPlan faults,
      Approval approval,
      Fate fate) {
    Clock asClock() {
      return clock.map(now -> Clock.fixed(now, ZoneOffset.UTC)).orElse(Clock.systemUTC());
    }
  }

  /** Tells whether a column is the library's or this program's own, and no column of a case. */
  static boolean isBookkeeping(String column) {
    return column.startsWith("_strandline")
        || column.equals(Composition.SEQUENCE)
        || column.startsWith(Composition.TURNED)
        || column.startsWith(Composition.NULLS)
        || CHANGE_FEED.contains(column);
  }

  /** Keeps the columns that are those of a case. */
  static List<String> withoutBookkeeping(List<String> columns) {
    return columns.stream().filter(column -> !isBookkeeping(column)).toList();
  }
}
