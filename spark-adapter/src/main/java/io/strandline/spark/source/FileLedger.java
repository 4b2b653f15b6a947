package io.strandline.spark.source;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Conflicts;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.NewTable;
import io.strandline.spark.internal.RunSession;
import io.strandline.watermark.TableSnapshot;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * A table of the files that were ever read from places, each with the number of the batch in which
 * it was first seen.
 *
 * <p>The batches of a place are numbered from 1 and are never changed; a watermark is the number of
 * the last one that was loaded. Reading needs no Spark job. Immutable and safe for use by several
 * threads.
 */
final class FileLedger {
  private static final String PLACE = "source";
  private static final String BATCH = "batch";
  private static final String PATH = "path";
  private static final String MODIFIED = "modified_at";
  private static final String SIZE = "size";

  private static final StructType COLUMNS =
      new StructType()
          .add(PLACE, DataTypes.StringType)
          .add(BATCH, DataTypes.LongType)
          .add(PATH, DataTypes.StringType)
          .add(MODIFIED, DataTypes.TimestampType)
          .add(SIZE, DataTypes.LongType)
          .add("registered_at", DataTypes.TimestampType);

  /** Every batch is a small file, which Delta compacts by itself when there are many. */
  private static final NewTable TABLE =
      new NewTable(COLUMNS, List.of(PLACE), Map.of("delta.autoOptimize.autoCompact", "true"));

  private final DeltaRef table;
  private final Clock clock;

  FileLedger(DeltaRef table, Clock clock) {
    this.table = table;
    this.clock = clock;
  }

  String name() {
    return table.name();
  }

  FileLedger timedBy(Clock newClock) {
    return new FileLedger(table, newClock);
  }

  /**
   * Reads what is known of a place.
   *
   * @param place the place
   * @return its files and the number of its last batch
   */
  Known known(String place) {
    Optional<DeltaSnapshot> snapshot = table.findSnapshot();

    if (snapshot.isEmpty()) {
      return new Known(TableSnapshot.unknown(), 0, List.of());
    }

    List<Entry> entries = new ArrayList<>();
    long last = snapshot.get().transaction(number(place));

    for (Map<String, @Nullable Object> row :
        snapshot.get().rows(List.of(PLACE, BATCH, PATH, MODIFIED, SIZE), PLACE, place)) {
      Entry entry = entry(row);
      entries.add(entry);
      last = Math.max(last, entry.batch());
    }

    return new Known(new TableSnapshot(snapshot.get().tableId(), last), last, entries);
  }

  private Entry entry(Map<String, @Nullable Object> row) {
    if (row.get(BATCH) instanceof Long batch
        && row.get(PATH) instanceof String path
        && row.get(MODIFIED) instanceof Instant modifiedAt
        && row.get(SIZE) instanceof Long size) {
      return new Entry(batch, new FoundFile(path, modifiedAt, size));
    }

    throw new Problem(
        ProblemKind.BAD_CONFIGURATION,
        "read the ledger " + table.name(),
        "a row of " + row.get(PLACE) + " lacks a value: " + row,
        "Delete the row.");
  }

  /** What the numbers of a place's batches are filed under in the table's log. */
  private static String number(String place) {
    return "strandline files of " + place;
  }

  /**
   * Registers files as the next batch, unless just these are that batch already.
   *
   * @param place the place
   * @param batch the number after the last batch
   * @param files the files
   * @throws Problem of kind {@code CONCURRENT_RUN} if somebody else has used the number
   */
  void register(String place, long batch, List<FoundFile> files) {
    TABLE.in(table);
    String task = "register files in " + table.name();
    Conflicts.outlasting(task, () -> append(place, batch, files));
    Set<FoundFile> registered = new HashSet<>();

    for (Entry entry : known(place).entries()) {
      if (entry.batch() == batch) {
        registered.add(entry.file());
      }
    }

    if (!registered.equals(new HashSet<>(files))) {
      throw new Problem(
          ProblemKind.CONCURRENT_RUN,
          task,
          "another run has registered other files as batch " + batch,
          "Run the load again, and let only one run at a time be scheduled.");
    }
  }

  /** Delta skips the write if it knows the number. */
  private void append(String place, long batch, List<FoundFile> files) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    List<Row> rows = new ArrayList<>();

    for (FoundFile file : files) {
      rows.add(RowFactory.create(place, batch, file.path(), file.modifiedAt(), file.size(), now));
    }

    RunSession.committing(table.spark(), number(place), batch, "batch " + batch + " of " + place)
        .createDataFrame(rows, COLUMNS)
        .coalesce(1)
        .write()
        .format("delta")
        .mode("append")
        .saveAsTable(table.sqlIdentifier());
  }

  /** Returns the name of the table. */
  @Override
  public String toString() {
    return table.name();
  }

  /**
   * A file in the batch in which it was first seen.
   *
   * @param batch the number of the batch
   * @param file the file as it was then
   */
  record Entry(long batch, FoundFile file) {}

  /**
   * What is known of a place.
   *
   * @param snapshot the ledger and the last batch, as a version; unknown if there is no ledger
   * @param last the number of the last batch; zero if there is none
   * @param entries the files
   */
  record Known(TableSnapshot snapshot, long last, List<Entry> entries) {
    /** Copies the entries. */
    Known {
      entries = List.copyOf(entries);
    }
  }
}
