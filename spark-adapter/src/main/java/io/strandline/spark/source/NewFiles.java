package io.strandline.spark.source;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
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
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Tells new files by a ledger.
 *
 * <p>A run plans the files that the ledger does not know as its next batch, reads them, and
 * registers them before it merges; see decision 6 in docs/adr. Whatever dies when, the batches up
 * to the stored watermark are those that were merged, and no other run can give a number to other
 * files.
 */
final class NewFiles implements FileSource.Newness {
  private static final String RELOAD =
      "Call reload(); or rewind(..) with the number of the last batch, to leave out what is lost.";

  private final FileFolder folder;
  private final FileReader reader;
  private final FileLedger ledger;
  private final AgeLimit ageLimit;
  private final Duration settleTime;
  private final Clock clock;

  NewFiles(
      FileFolder folder,
      FileReader reader,
      FileLedger ledger,
      AgeLimit ageLimit,
      Duration settleTime,
      Clock clock) {
    this.folder = folder;
    this.reader = reader;
    this.ledger = ledger;
    this.ageLimit = ageLimit;
    this.settleTime = settleTime;
    this.clock = clock;
  }

  @Override
  public NewFiles timedBy(Clock newClock) {
    return new NewFiles(folder, reader, ledger.timedBy(newClock), ageLimit, settleTime, newClock);
  }

  @Override
  public List<String> watermarkColumns() {
    return List.of();
  }

  @Override
  public Rereads rereads() {
    return Rereads.NEVER;
  }

  @Override
  public String declaration() {
    return "new files by " + ledger.name();
  }

  @Override
  public SourcePlan<Dataset<Row>> plan(StoredStream stored) {
    FileLedger.Known known = ledger.known(folder.qualifiedLocation());
    long loaded = loaded(stored, known);
    Optional<LocalDate> firstDay = firstDay(known);
    List<FoundFile> found = folder.list(firstDay.map(ageLimit::skipping).orElse(skipped -> false));
    Set<FoundFile> registered = new HashSet<>();
    known.entries().forEach(entry -> registered.add(entry.file()));
    List<FoundFile> unknown = found.stream().filter(file -> !registered.contains(file)).toList();
    Instant now = clock.instant();
    List<FoundFile> fresh =
        unknown.stream().filter(file -> Settling.isSettled(file, now, settleTime)).toList();
    long waiting = (long) unknown.size() - fresh.size();
    Pending pending = pending(known, loaded, found);
    long last = fresh.isEmpty() ? known.last() : known.last() + 1;
    String looked =
        firstDay.map(day -> ". Folders of days before " + day + " were not listed").orElse("");

    if (last == loaded) {
      return new SourcePlan.NothingNew<>(nothingNew(known, waiting) + looked, waiting);
    }

    List<FoundFile> files = new ArrayList<>(pending.files());
    files.addAll(fresh);
    Watermark upTo = Watermark.of(last);
    WatermarkRange range = new WatermarkRange(stored.value(), Bound.EXCLUSIVE, upTo);
    return new SourcePlan.Planned<>(
        List.of(new StreamRange(StreamName.only(), stored.value(), range, upTo)),
        known.snapshot().isKnown()
            ? Map.of(StreamName.only(), new TableSnapshot(known.snapshot().tableId(), last))
            : Map.of(),
        waiting == 0 ? Remainder.NONE : Remainder.WAITING,
        waiting,
        busy(files, range, pending, waiting) + looked + ".",
        () -> read(files, fresh, last));
  }

  private Optional<LocalDate> firstDay(FileLedger.Known known) {
    return ageLimit.firstDay(
        known.entries().stream().map(entry -> entry.file().path()).toList(),
        LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC));
  }

  /** Returns the number of the last batch that was loaded; zero if none was. */
  private long loaded(StoredStream stored, FileLedger.Known known) {
    Watermark value = stored.value();

    if (!value.isStart() && !(value instanceof Watermark.IntegerNumber)) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          task(),
          "the stored watermark is " + value + ", and batches of files are numbered",
          RELOAD);
    }

    TableSnapshot last = stored.state().source();

    if (stored.isAsTheRunLeftIt() && last.isOfAnotherTable(known.snapshot())) {
      throw new Problem(
          ProblemKind.SOURCE_RECREATED,
          task(),
          "the last run registered its files in table "
              + last.tableId()
              + ", and the table of that name is now "
              + known.snapshot().tableId(),
          RELOAD);
    }

    long loaded = value instanceof Watermark.IntegerNumber number ? number.value() : 0;

    if (loaded > known.last()) {
      throw new Problem(
          ProblemKind.SOURCE_HISTORY_LOST,
          task(),
          "batch "
              + loaded
              + " was the last one loaded, and the ledger knows "
              + (known.last() == 0 ? "none" : "no batch after " + known.last()),
          RELOAD);
    }

    return loaded;
  }

  /** Finds the files of batches that are registered and not loaded, as they are now. */
  private Pending pending(FileLedger.Known known, long loaded, List<FoundFile> found) {
    Map<String, FoundFile> now = found.stream().collect(toMap(FoundFile::path, identity()));
    List<FoundFile> files = new ArrayList<>();
    long gone = 0;

    for (FileLedger.Entry entry : known.entries()) {
      FoundFile file = entry.file();

      if (entry.batch() > loaded) {
        Optional<FoundFile> there =
            Optional.ofNullable(now.get(file.path())).or(() -> folder.look(file.path()));

        if (there.equals(Optional.of(file))) {
          files.add(file);
        } else if (there.isEmpty() && loaded > 0) {
          throw gone(entry);
        } else if (there.isEmpty()) {
          // Everything is read from the start: what was moved away is no part of everything.
          gone++;
        }
        // Else it was written again since, and is another file, which has a batch of its own.
      }
    }

    return new Pending(files, gone);
  }

  private Problem gone(FileLedger.Entry entry) {
    return new Problem(
        ProblemKind.SOURCE_HISTORY_LOST,
        task(),
        entry.file().path() + " of batch " + entry.batch() + " is gone",
        "Put it back; or call rewind(..) with " + entry.batch() + " to go on without that batch.");
  }

  private Reading<Dataset<Row>> read(List<FoundFile> files, List<FoundFile> fresh, long batch) {
    FileRows rows = reader.read(files).frozen();
    Settling.requireUnchanged(folder, files);

    if (!fresh.isEmpty()) {
      ledger.register(folder.qualifiedLocation(), batch, fresh);
    }

    return new Reading<>(
        rows.usable(), List.of(rows.rejected()), () -> ReadCounts.of(rows.all().count()));
  }

  @Override
  public SourcePlan<Dataset<Row>> planBackfill(WatermarkRange range) {
    FileLedger.Known known = ledger.known(folder.qualifiedLocation());
    List<FoundFile> files = new ArrayList<>();

    for (FileLedger.Entry entry : known.entries()) {
      if (range.contains(Watermark.of(entry.batch()))) {
        FoundFile file = entry.file();
        Optional<FoundFile> there = folder.look(file.path());

        if (there.isEmpty()) {
          throw gone(entry);
        }

        // One that was written again since has a batch of its own.
        there.filter(file::equals).ifPresent(files::add);
      }
    }

    if (files.isEmpty()) {
      return new SourcePlan.NothingNew<>(
          folder.location() + " has no files of batches in " + range, 0);
    }

    return new SourcePlan.Planned<>(
        List.of(new StreamRange(StreamName.only(), Watermark.start(), range, Watermark.start())),
        Map.of(StreamName.only(), known.snapshot()),
        Remainder.NONE,
        0,
        reads(files) + ", batches in " + range + ".",
        () -> read(files, List.of(), 0));
  }

  @Override
  public Dataset<Row> readAll() {
    return reader.read(folder.list(skipped -> false)).asFarAsTold();
  }

  private String task() {
    return "tell the new files of " + folder.location() + " by " + ledger.name();
  }

  private String reads(List<FoundFile> files) {
    long bytes = files.stream().mapToLong(FoundFile::size).sum();
    return "Reads "
        + Settling.counted(files.size())
        + " of "
        + folder.location()
        + " with "
        + bytes
        + " bytes";
  }

  private String busy(List<FoundFile> files, WatermarkRange range, Pending pending, long waiting) {
    List<String> sentences = new ArrayList<>();
    sentences.add(
        reads(files) + " and moves the watermark from " + range.after() + " to " + range.upTo());

    if (!pending.files().isEmpty()) {
      sentences.add(
          Settling.counted(pending.files().size())
              + (pending.files().size() == 1 ? " is" : " are")
              + " of batches that were registered before");
    }

    if (pending.gone() > 0) {
      sentences.add(
          Settling.counted(pending.gone())
              + (pending.gone() == 1 ? " that was read before is" : " that were read before are")
              + " gone");
    }

    if (waiting > 0) {
      sentences.add(Settling.waiting(waiting, settleTime));
    }

    return String.join(". ", sentences);
  }

  private String nothingNew(FileLedger.Known known, long waiting) {
    String none =
        folder.location()
            + " has no files beside the "
            + known.entries().size()
            + " that "
            + ledger.name()
            + " knows";
    return waiting == 0
        ? none
        : none + " that are finished; " + Settling.waiting(waiting, settleTime);
  }

  /**
   * The files of batches that are registered and not loaded.
   *
   * @param files those that are there
   * @param gone how many are not
   */
  private record Pending(List<FoundFile> files, long gone) {}
}
