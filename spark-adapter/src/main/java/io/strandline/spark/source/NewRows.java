package io.strandline.spark.source;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import io.strandline.source.Cursor;
import io.strandline.source.ReadCounts;
import io.strandline.source.Reading;
import io.strandline.source.Rereads;
import io.strandline.source.SourcePlan;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Tells new rows of files by a cursor.
 *
 * <p>The rows are read once and kept, like those of a query, since files can change. A line that
 * does not parse is rejected on every run that reads it; the quarantine keeps it once.
 */
final class NewRows implements FileSource.Newness {
  private final FileFolder folder;
  private final FileReader reader;
  private final FileDeclaration declared;
  private final Cursor cursor;
  private final Duration settleTime;
  private final Clock clock;

  NewRows(
      FileFolder folder,
      FileReader reader,
      FileDeclaration declared,
      Cursor cursor,
      Duration settleTime,
      Clock clock) {
    this.folder = folder;
    this.reader = reader;
    this.declared = declared;
    this.cursor = cursor;
    this.settleTime = settleTime;
    this.clock = clock;
  }

  @Override
  public NewRows timedBy(Clock newClock) {
    return new NewRows(folder, reader, declared, cursor, settleTime, newClock);
  }

  @Override
  public List<String> watermarkColumns() {
    if (cursor.isExpression()) {
      return List.of();
    }

    return reader
        .declaredColumns()
        .map(columns -> CursorColumns.spelled(cursor, columns, reader.spark()))
        .orElse(cursor.columns());
  }

  @Override
  public Rereads rereads() {
    return cursor.rereads();
  }

  @Override
  public String declaration() {
    return "newer by " + cursor;
  }

  @Override
  public SourcePlan<Dataset<Row>> plan(StoredStream stored) {
    Watermark watermark = stored.value();
    // One moment for all looks, so that what settles meanwhile does not count.
    Clock now = Clock.fixed(clock.instant(), clock.getZone());
    Listing listing = list(now.instant());

    if (listing.settled().isEmpty()) {
      return new SourcePlan.NothingNew<>(noFiles(listing), listing.waiting());
    }

    if (isReadCompletely(stored, listing)) {
      return new SourcePlan.NothingNew<>(
          folder.location()
              + " has the same "
              + Settling.counted(listing.settled().size())
              + " that the last run read completely",
          0);
    }

    FileRows read = reader.read(listing.settled());
    // Mistakes are told with the columns that a user knows.
    planner(read.usable(), now, listing);
    CursorPlanner.Reach reach = planner(read.all(), now, listing).reach(watermark);
    FileRows rows = unchanged(listing.settled(), new FileRows(reach.rows())::frozen);
    SourcePlan<Dataset<Row>> plan = planner(rows.usable(), now, listing).plan(watermark);
    return withFiles(plan, rows, listing, watermark, reach.remainder());
  }

  private boolean isReadCompletely(StoredStream stored, Listing listing) {
    return !cursor.readsAll()
        && listing.waiting() == 0
        && stored.isAsTheRunLeftIt()
        && stored.state().remainder() == Remainder.NONE
        && stored.state().source().equals(listing.snapshot());
  }

  /** Adds what the rows alone do not tell: lines that do not parse, and files that wait. */
  private SourcePlan<Dataset<Row>> withFiles(
      SourcePlan<Dataset<Row>> plan,
      FileRows rows,
      Listing listing,
      Watermark stored,
      Remainder reach) {
    List<String> sentences = new ArrayList<>();
    sentences.add(plan.explanation().replaceAll("\\.$", ""));
    Dataset<Row> rejected = rows.rejected();
    long unparsed = declared.format() == FileFormat.PARQUET ? 0 : rejected.count();

    if (unparsed > 0) {
      sentences.add(
          unparsed == 1
              ? "1 line does not parse and goes to the quarantine"
              : unparsed + " lines do not parse and go to the quarantine");
    }

    if (reach == Remainder.WAITING) {
      sentences.add("The limit of " + cursor.rowLimit() + " leaves rows to later runs");
    }

    if (listing.waiting() > 0) {
      sentences.add(Settling.waiting(listing.waiting(), settleTime));
    }

    String explanation = String.join(". ", sentences);
    long waiting = plan.waiting() + listing.waiting();

    if (plan instanceof SourcePlan.Planned<Dataset<Row>> planned) {
      boolean isComplete =
          planned.remainder() == Remainder.NONE && reach == Remainder.NONE && waiting == 0;
      return new SourcePlan.Planned<>(
          planned.ranges(),
          planned.snapshots(),
          isComplete ? Remainder.NONE : Remainder.WAITING,
          waiting,
          explanation + ".",
          () -> rejecting(planned.read(), rejected, unparsed));
    }

    if (unparsed == 0) {
      return new SourcePlan.NothingNew<>(explanation, waiting);
    }

    WatermarkRange nothing = new WatermarkRange(stored, Bound.EXCLUSIVE, stored);
    return new SourcePlan.Planned<>(
        List.of(new StreamRange(StreamName.only(), stored, nothing, stored)),
        Map.of(StreamName.only(), listing.snapshot()),
        waiting == 0 ? Remainder.NONE : Remainder.WAITING,
        waiting,
        explanation + ".",
        () ->
            rejecting(
                new Reading<>(rows.usable().limit(0), List.of(), () -> ReadCounts.of(0)),
                rejected,
                unparsed));
  }

  private static Reading<Dataset<Row>> rejecting(
      Reading<Dataset<Row>> reading, Dataset<Row> rejected, long count) {
    if (count == 0) {
      return reading;
    }

    List<Dataset<Row>> more = new ArrayList<>(reading.rejected());
    more.add(rejected);
    return new Reading<>(
        reading.rows(),
        more,
        () -> {
          ReadCounts counts = reading.counts().get();
          return new ReadCounts(counts.rows() + count, counts.late(), counts.earliest());
        });
  }

  @Override
  public SourcePlan<Dataset<Row>> planBackfill(WatermarkRange range) {
    Listing listing = list(clock.instant());

    if (listing.settled().isEmpty()) {
      return new SourcePlan.NothingNew<>(noFiles(listing), listing.waiting());
    }

    Dataset<Row> usable = reader.read(listing.settled()).usable();
    Dataset<Row> reach = planner(usable, clock, listing).reach(range);
    Dataset<Row> kept = unchanged(listing.settled(), () -> reach.localCheckpoint(true));
    return planner(kept, clock, listing).planBackfill(range);
  }

  @Override
  public Dataset<Row> readAll() {
    return reader.read(folder.list(skipped -> false)).asFarAsTold();
  }

  private <T> T unchanged(List<FoundFile> files, Supplier<T> reading) {
    T read = reading.get();
    Settling.requireUnchanged(folder, files);
    return read;
  }

  private CursorPlanner planner(Dataset<Row> rows, Clock now, Listing listing) {
    return new CursorPlanner(
        CursorPlanner.task(folder.location(), cursor),
        folder.location(),
        cursor,
        Duration.ZERO,
        now,
        listing.snapshot(),
        rows);
  }

  private String noFiles(Listing listing) {
    String none = folder.location() + " has no files";
    return listing.waiting() == 0
        ? none
        : none + " that are finished; " + Settling.waiting(listing.waiting(), settleTime);
  }

  private Listing list(Instant now) {
    List<FoundFile> found = folder.list(path -> false);
    List<FoundFile> settled =
        found.stream().filter(file -> Settling.isSettled(file, now, settleTime)).toList();
    return new Listing(settled, (long) found.size() - settled.size());
  }

  /**
   * What a folder holds.
   *
   * @param settled the files that can be read
   * @param waiting how many others there are
   */
  private record Listing(List<FoundFile> settled, long waiting) {
    /** Files have no version; the same files, times and sizes are as good as one. */
    TableSnapshot snapshot() {
      Hasher hasher = Hashing.sha256().newHasher();

      for (FoundFile file : settled) {
        hasher
            .putInt(file.path().length())
            .putUnencodedChars(file.path())
            .putLong(file.modifiedAt().toEpochMilli())
            .putLong(file.size());
      }

      return new TableSnapshot(hasher.hash().toString(), 0);
    }
  }
}
