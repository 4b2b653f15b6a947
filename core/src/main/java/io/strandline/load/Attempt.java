package io.strandline.load;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import io.strandline.clean.Cleaned;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.ReadCounts;
import io.strandline.source.Reading;
import io.strandline.source.SourcePlan;
import io.strandline.target.DeleteSweep;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.RedrivableQuarantine;
import io.strandline.target.Redrive;
import io.strandline.target.RejectedRows;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.SweepRequest;
import io.strandline.target.TargetStanding;
import io.strandline.target.Verb;
import io.strandline.watermark.Advance;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Direction;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.NumberKeeping;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoreState;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamMove;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One try of a run: the steps one by one, each told to the listeners, each failure explained.
 *
 * <p>All exceptions are explained, also checked ones, which engines written in Scala throw without
 * declaring them. An {@link Error} passes through untouched and unlogged, since after it nothing
 * can be relied on; what it leaves behind is what a killed process leaves.
 */
final class Attempt<D> {
  private final Parts<D> parts;
  private final Verb verb;

  /** What a backfill reads; empty for every other verb. */
  private final Map<StreamName, WatermarkRange> given;

  private final String id = UUID.randomUUID().toString();
  private final Instant startedAt;
  private final List<String> warnings = new ArrayList<>();
  private final List<Receipt> recovered = new ArrayList<>();
  private final List<String> schemaChanges = new ArrayList<>();

  /** The stored watermark as text, for messages; empty until it was read. */
  private String watermark = "";

  /** What tells the store from every other; null until it was asked. */
  private @Nullable String store;

  private long number = 1;
  private List<StreamRange> ranges = List.of();
  private long waiting;
  private @Nullable TargetStanding target;
  private Map<StreamName, TableSnapshot> snapshots = Map.of();
  private Remainder remainder = Remainder.WAITING;
  private String explanation = "";
  private @Nullable Reading<D> reading;
  private @Nullable StagedMerge<D> staged;
  private @Nullable ReadCounts counted;
  private @Nullable Redrive<D> redrive;

  private Attempt(Parts<D> parts, Verb verb, Map<StreamName, WatermarkRange> given) {
    this.parts = parts;
    this.verb = verb;
    this.given = given;
    this.startedAt = parts.clock().instant();
  }

  static <D> Attempt<D> of(Parts<D> parts, Verb verb) {
    return new Attempt<>(parts, verb, Map.of());
  }

  static <D> Attempt<D> backfill(Parts<D> parts, StreamName stream, WatermarkRange range) {
    return new Attempt<>(parts, Verb.BACKFILL, Map.of(stream, range));
  }

  /** Does the work and writes the load log, whether it fails or not. */
  LoadResult logged(Function<Attempt<D>, LoadResult> work) {
    LoadResult result;

    try {
      result = work.apply(this);
    } catch (LoadException e) {
      log(
          LoadLogEntry.Outcome.FAILED,
          RowCounts.none(),
          ReadCounts.of(0),
          String.valueOf(e.getMessage()));
      throw e;
    }

    if (result instanceof LoadResult.Rewound) {
      log(LoadLogEntry.Outcome.REWOUND, RowCounts.none(), readCounts(), "");
    } else if (result instanceof LoadResult.NothingNew nothing) {
      log(LoadLogEntry.Outcome.NOTHING_NEW, nothing.counts(), readCounts(), nothing.explanation());
    } else {
      log(
          LoadLogEntry.Outcome.COMMITTED,
          result.counts(),
          readCounts(),
          Stream.concat(schemaChanges.stream(), warnings.stream()).collect(joining(" ")));
    }

    return result.withNotes(notes());
  }

  StoredWatermarks read() {
    StoredWatermarks stored =
        step(
            LoadStep.READ,
            "read the watermark in " + parts.store().name(),
            () -> parts.store().last(parts.name(), parts.source().streams()));
    watermark = text(stored);
    store = stored.store().orElse(null);
    return stored;
  }

  /** Returns what the target's receipts are filed under, which is the same throughout a run. */
  private LoadIdentity loadIdentity() {
    if (store == null) {
      store = parts.store().identity();
    }

    return LoadIdentity.of(store, parts.name());
  }

  /** Looks up what the target knows, without finishing a run that died. */
  TargetStanding standing(StoredWatermarks stored) {
    return step(
        LoadStep.RECOVER,
        "look up the last run in " + parts.target().name(),
        () -> parts.target().standing(loadIdentity(), lastSeen(stored)));
  }

  /**
   * Finishes a run that committed and died before its watermark was moved.
   *
   * @return what the store holds after that
   */
  StoredWatermarks recover(StoredWatermarks stored) {
    return step(
        LoadStep.RECOVER, "look up the last run in " + parts.target().name(), () -> settle(stored));
  }

  private StoredWatermarks settle(StoredWatermarks stored) {
    TargetStanding standing = parts.target().standing(loadIdentity(), lastSeen(stored));
    target = standing;
    number = Math.max(stored.highest(), standing.number()) + 1;

    if (verb == Verb.RUN || verb == Verb.BACKFILL || verb == Verb.REDRIVE) {
      refuseDisturbed(stored, standing);
    }

    StoredWatermarks settled = isSettled(stored, standing) ? stored : finish(stored, standing);

    if (verb != Verb.REWIND) {
      refuseRedeclared(settled);
    }

    return settled;
  }

  /** Numbers that agree need no recovery; without numbers the range is simply read again. */
  private boolean isSettled(StoredWatermarks stored, TargetStanding standing) {
    return parts.store().numberKeeping() == NumberKeeping.NONE
        || standing.number() == stored.number()
        || standing.number() == stored.highest();
  }

  private StoredWatermarks finish(StoredWatermarks stored, TargetStanding standing) {
    Receipt receipt = standing.receipt().orElse(null);

    if (standing.number() == stored.highest() + 1 && receipt != null) {
      return finish(stored, receipt, standing.snapshot());
    }

    if (verb == Verb.REWIND || verb == Verb.RELOAD) {
      // These two are the cure, and put the target's number into the store.
      return stored;
    }

    throw LoadErrors.contradiction(
        parts.store().name(), parts.target().name(), stored.number(), standing.number());
  }

  /**
   * Moves the streams on that still hold what the dead run started from; the others were moved by a
   * person, who is obeyed. Either way the store learns the number.
   */
  private StoredWatermarks finish(StoredWatermarks stored, Receipt receipt, TableSnapshot target) {
    List<StreamMove> moves = new ArrayList<>();

    for (StreamRange range : receipt.ranges()) {
      StoredStream row = stored.stream(range.stream());
      boolean isUntouched = row.value().equals(range.stored());
      Watermark to = isUntouched ? range.next() : row.value();
      TableSnapshot source =
          isUntouched ? receipt.snapshot(range.stream()) : TableSnapshot.unknown();
      moves.add(
          new StreamMove(
              range.stream(),
              row,
              to,
              new StoreState(
                  receipt.number(),
                  to,
                  source,
                  receipt.remainder(),
                  target,
                  receipt.declaration())));
    }

    move(new Advance(receipt.identity(), receipt.number(), direction(receipt.verb()), moves));
    recovered.add(receipt);
    StoredWatermarks now = parts.store().last(parts.name(), parts.source().streams());
    watermark = text(now);
    return now;
  }

  private void refuseDisturbed(StoredWatermarks stored, TargetStanding standing) {
    TableSnapshot seen = lastSeen(stored);
    List<String> disturbances = new ArrayList<>(standing.disturbances());

    if (seen.isKnown() && !standing.snapshot().isKnown()) {
      disturbances.add("it was dropped");
    } else if (seen.isOfAnotherTable(standing.snapshot())) {
      disturbances.add(
          "table "
              + seen.tableId()
              + " was replaced by table "
              + standing.snapshot().tableId()
              + " of the same name");
    }

    if (!disturbances.isEmpty()) {
      throw LoadErrors.disturbed(parts.target().name(), String.join(", and ", disturbances));
    }
  }

  private void refuseRedeclared(StoredWatermarks stored) {
    if (parts.redeclaration() == Redeclaration.CONFIRMED) {
      return;
    }

    for (StoredStream row : stored.streams().values()) {
      if (isRedeclared(row)) {
        throw LoadErrors.redeclared(row.state().declaration(), parts.declaration());
      }
    }
  }

  /** Returns the newest version of the target that any stream's row remembers. */
  private static TableSnapshot lastSeen(StoredWatermarks stored) {
    TableSnapshot newest = TableSnapshot.unknown();

    for (StoredStream row : stored.streams().values()) {
      TableSnapshot seen = row.state().target();
      newest = seen.version() > newest.version() ? seen : newest;
    }

    return newest;
  }

  SourcePlan<D> plan(StoredWatermarks stored) {
    SourcePlan<D> plan =
        step(
            LoadStep.PLAN,
            "plan what to read from " + parts.source().name(),
            () -> {
              SourcePlan<D> made = planByVerb(stored);

              if (made instanceof SourcePlan.Planned<D> range) {
                parts.store().preflight(parts.name(), range.ranges());
                refuseRepetition(stored, range.ranges());
              }

              return made;
            },
            SourcePlan::explanation);
    waiting = plan.waiting();
    explanation = plan.explanation();
    warnings.addAll(plan.warnings());

    if (plan instanceof SourcePlan.Planned<D> range) {
      ranges = range.ranges();
      snapshots = range.snapshots();
      remainder = range.remainder();
    }

    return plan;
  }

  private void refuseRepetition(StoredWatermarks stored, List<StreamRange> planned) {
    TargetStanding standing = target;

    if (verb == Verb.RUN && standing != null && parts.target().repeats() == Repeats.APPENDED) {
      AppendGuard.requireNew(parts.target().name(), standing, stored, planned);
    }
  }

  /** Tells whether this run deletes what is gone from the source. */
  boolean isSweepDue() {
    DeleteSweep sweep = parts.sweep();
    return verb == Verb.RUN && sweep != null && sweep.isDue(number);
  }

  private SourcePlan<D> planByVerb(StoredWatermarks stored) {
    return switch (verb) {
      case RUN, REWIND, REDRIVE -> parts.source().plan(asDeclaredNow(stored));
      case RELOAD ->
          startingFrom(
              parts.source().plan(stored.forgotten()),
              range -> stored.value(range.stream()),
              StreamRange::next);
      case BACKFILL -> {
        if (parts.target().repeats() == Repeats.APPENDED) {
          throw LoadErrors.wouldAppendTwice(parts.target().name());
        }

        Map.Entry<StreamName, WatermarkRange> asked = given.entrySet().iterator().next();
        yield startingFrom(
            parts.source().planBackfill(asked.getKey(), asked.getValue()),
            range -> stored.value(range.stream()),
            range -> stored.value(range.stream()));
      }
    };
  }

  /** A run that was declared otherwise may have left rows behind that are asked for now. */
  private StoredWatermarks asDeclaredNow(StoredWatermarks stored) {
    SortedMap<StreamName, StoredStream> rows = new TreeMap<>(stored.streams());
    rows.replaceAll((name, row) -> isRedeclared(row) ? row.leaving(Remainder.UNKNOWN) : row);
    return new StoredWatermarks(
        stored.load(), stored.number(), stored.highest(), rows, stored.store());
  }

  private boolean isRedeclared(StoredStream row) {
    String then = row.state().declaration();
    return !then.isEmpty() && !then.equals(parts.declaration());
  }

  /** Ties a plan that was made without the stored watermarks to them. */
  private static <D> SourcePlan<D> startingFrom(
      SourcePlan<D> plan,
      Function<StreamRange, Watermark> stored,
      Function<StreamRange, Watermark> next) {
    if (!(plan instanceof SourcePlan.Planned<D> planned)) {
      return plan;
    }

    return new SourcePlan.Planned<>(
        planned.ranges().stream()
            .map(
                range ->
                    new StreamRange(
                        range.stream(), stored.apply(range), range.range(), next.apply(range)))
            .toList(),
        planned.snapshots(),
        planned.remainder(),
        planned.waiting(),
        planned.explanation(),
        planned.warnings(),
        planned.reader());
  }

  StagedMerge<D> clean(SourcePlan.Planned<D> range) {
    StagedMerge<D> rows =
        step(
            LoadStep.CLEAN,
            "clean the rows of " + parts.source().name(),
            () -> {
              Reading<D> read = range.read();
              reading = read;
              Cleaned<D> cleaned = parts.cleaner().separate(read.rows()).rejecting(read.rejected());
              StageRequest<D> request =
                  new StageRequest<>(
                      parts.name(),
                      cleaned.accepted(),
                      cleaned.rejected(),
                      parts.source().watermarkColumns(),
                      verb,
                      startedAt);
              return isSweepDue()
                  ? parts.target().stage(request, sweepRequest())
                  : parts.target().stage(request);
            },
            Attempt::accepted);
    return noted(rows);
  }

  private static String accepted(StagedMerge<?> rows) {
    return rows.accepted()
        + " rows accepted, "
        + rows.rejectedRows()
        + " rejected"
        + rows.warned().stream().map(found -> "; " + found).collect(joining());
  }

  private StagedMerge<D> noted(StagedMerge<D> rows) {
    staged = rows;
    rows.warned().forEach(found -> warnings.add(found.toString()));
    return rows;
  }

  /**
   * Finds what is gone from the source, without reading a range; every stream stays where it is.
   */
  StagedMerge<D> compareKeys(StoredWatermarks stored) {
    stand(stored);
    StagedMerge<D> deletes =
        step(
            LoadStep.CLEAN,
            "compare the keys of " + parts.source().name(),
            () -> parts.target().stage(sweepRequest()));
    staged = deletes;
    return deletes;
  }

  /** Plans to leave every stream where it is. */
  private void stand(StoredWatermarks stored) {
    List<StreamRange> standing = new ArrayList<>();
    Map<StreamName, TableSnapshot> seen = new TreeMap<>();
    remainder = Remainder.NONE;

    for (StreamName stream : parts.source().streams()) {
      StoredStream row = stored.stream(stream);
      Watermark value = row.value();
      standing.add(
          new StreamRange(stream, value, new WatermarkRange(value, Bound.EXCLUSIVE, value), value));
      // What the last run saw is all that is known of the rows; the sweep has seen only keys.
      seen.put(stream, row.isAsTheRunLeftIt() ? row.state().source() : TableSnapshot.unknown());
      remainder =
          row.isAsTheRunLeftIt() ? later(remainder, row.state().remainder()) : Remainder.WAITING;
    }

    ranges = List.copyOf(standing);
    snapshots = seen;
  }

  private static Remainder later(Remainder one, Remainder other) {
    return one == Remainder.WAITING ? one : other;
  }

  private SweepRequest<D> sweepRequest() {
    return new SweepRequest<>(
        loadIdentity(),
        requireNonNull(parts.sweep(), "sweep"),
        parts.cleaner().cleanKeys(parts.source().readAll(), parts.target().keys()),
        parts.source().watermarkColumns(),
        startedAt);
  }

  void reject(StagedMerge<D> rows) {
    if (rows.rejectedRows() == 0) {
      return;
    }

    step(
        LoadStep.REJECT,
        "put rejected rows into " + parts.quarantine().name(),
        () -> {
          long stored =
              parts
                  .quarantine()
                  .put(
                      new RejectedRows<>(
                          parts.name(), number, parts.source().name(), ranges, rows.rejected()));
          brake(rows);
          return stored;
        },
        stored -> stored + " of " + rows.rejectedRows() + " rows were not there before");
  }

  /** Stops the run if checks say so; the rows are in the quarantine by then, to be looked at. */
  private void brake(StagedMerge<D> rows) {
    if (!rows.failed().isEmpty()) {
      throw LoadErrors.checkFailed(rows.failed(), parts.quarantine().name());
    }

    long read = Math.max(readCounts().rows(), rows.accepted() + rows.rejectedRows());

    if (rows.rejectedRows() > parts.largestRejectedShare() * read) {
      throw LoadErrors.tooManyRejected(
          rows.rejectedRows(), read, parts.largestRejectedShare(), parts.quarantine().name());
    }
  }

  /**
   * Takes up what waits in the quarantine. A redrive that died after its merge is finished first.
   */
  Redrive<D> takeUp(RedrivableQuarantine<D> quarantine, StoredWatermarks stored) {
    return step(
        LoadStep.PLAN,
        "take up the entries of " + quarantine.name(),
        () -> {
          stand(stored);
          Redrive<D> taken = taken(quarantine);

          if (taken.isBegun()) {
            TargetStanding standing = parts.target().standing(identity(), TableSnapshot.unknown());

            if (standing.number() >= number()) {
              taken.finish(standing.receipt().map(Receipt::attempt).orElse(id));
              standing.receipt().ifPresent(recovered::add);
              taken = taken(quarantine);
            } else {
              warnings.add(
                  "An earlier redrive died before its merge, and this one took up its entries"
                      + " alone. Call redrive() again for any others.");
            }
          }

          counted = ReadCounts.of(taken.rows());
          return taken;
        },
        taken -> taken.rows() + " entries");
  }

  private Redrive<D> taken(RedrivableQuarantine<D> quarantine) {
    Redrive<D> taken = quarantine.redrive(parts.name());
    redrive = taken;
    return taken;
  }

  StagedMerge<D> clean(Redrive<D> entries) {
    return noted(
        step(
            LoadStep.CLEAN,
            "clean the entries of " + parts.quarantine().name(),
            () -> {
              List<D> accepted = new ArrayList<>();
              List<D> rejected = new ArrayList<>();

              for (D rows : entries.raw()) {
                Cleaned<D> cleaned = parts.cleaner().separate(rows);
                accepted.add(cleaned.accepted());
                rejected.addAll(cleaned.rejected());
              }

              accepted.addAll(entries.cleaned());
              return parts
                  .target()
                  .stage(
                      new StageRequest<>(
                          parts.name(),
                          entries.union(accepted),
                          rejected,
                          parts.source().watermarkColumns(),
                          verb,
                          startedAt));
            },
            Attempt::accepted));
  }

  /** Marks the entries that are about to be merged, before they are. */
  void begin(Redrive<D> entries, StagedMerge<D> rows) {
    step(
        LoadStep.REJECT,
        "mark the entries of " + parts.quarantine().name(),
        () -> {
          entries.begin(rows.rejected());
          return entries;
        });
  }

  /** Marks the entries as redriven, now that they are merged. */
  void finish(Redrive<D> entries) {
    step(
        LoadStep.ADVANCE,
        "mark the entries of " + parts.quarantine().name() + " as redriven",
        Aftermath.ROWS_MERGED,
        () -> {
          entries.finish(id);
          return entries;
        },
        done -> "");
  }

  LoadResult nothingWaits(StoredWatermarks stored) {
    return new LoadResult.NothingNew(
        parts.name(),
        id,
        "no entry of the load waits in " + parts.quarantine().name(),
        RowCounts.none(),
        values(stored),
        notes());
  }

  MergeOutcome merge(StagedMerge<D> rows) {
    Receipt receipt = receipt();
    String task = "merge rows into " + parts.target().name();
    tell(LoadStep.MERGE, LoadPhase.STARTED, "run " + number());

    try {
      MergeOutcome outcome = rows.merge(receipt);
      schemaChanges.addAll(outcome.schemaChanges());
      tell(LoadStep.MERGE, LoadPhase.FINISHED, outcome.counts().merged() + " rows merged");
      return outcome;
    } catch (Exception e) {
      tell(LoadStep.MERGE, LoadPhase.FAILED, String.valueOf(e.getMessage()));
      throw explainedMerge(task, e);
    }
  }

  private Receipt receipt() {
    if (ranges.isEmpty()) {
      throw new IllegalStateException("Cannot merge before a range is planned.");
    }

    return new Receipt(
        verb, identity(), number(), id, ranges, snapshots, remainder, parts.declaration());
  }

  /**
   * A backfill and a redrive are filed apart, so that nobody takes them for a run that died. A
   * redrive keeps its name until it is finished, whoever finishes it.
   */
  private LoadIdentity identity() {
    return switch (verb) {
      case BACKFILL -> loadIdentity().withPurpose("backfill " + id);
      case REDRIVE -> loadIdentity().withPurpose("redrive " + requireNonNull(redrive).id());
      case RUN, RELOAD, REWIND -> loadIdentity();
    };
  }

  private long number() {
    return verb == Verb.BACKFILL || verb == Verb.REDRIVE ? 1 : number;
  }

  /** Asks the target what became of a merge that reported a failure. */
  private LoadException explainedMerge(String task, Exception e) {
    try {
      TargetStanding standing = parts.target().standing(identity(), TableSnapshot.unknown());

      if (standing.number() < number()) {
        return explained(LoadStep.MERGE, task, Aftermath.NOTHING_WRITTEN, e);
      }

      String winner = standing.receipt().map(Receipt::attempt).orElse("of unknown id");

      if (winner.equals(id)) {
        return explained(LoadStep.MERGE, task, Aftermath.ROWS_MERGED, e);
      }

      Problem problem = LoadErrors.usedByAnother(parts.target().name(), number(), winner);
      problem.addSuppressed(e);
      return explained(LoadStep.MERGE, task, Aftermath.NOTHING_WRITTEN, problem);
    } catch (Exception unanswered) {
      e.addSuppressed(unanswered);
      return explained(LoadStep.MERGE, task, Aftermath.UNKNOWN, e);
    }
  }

  /** Moves the watermark to what was merged; a backfill leaves it where it is. */
  void advance(StoredWatermarks stored, MergeOutcome.Committed merged) {
    if (verb == Verb.BACKFILL) {
      return;
    }

    Receipt receipt = receipt();
    step(
        LoadStep.ADVANCE,
        "move the watermark in " + parts.store().name(),
        Aftermath.ROWS_MERGED,
        () -> {
          TableSnapshot seen = seen(merged.snapshot());
          List<StreamMove> moves = new ArrayList<>();

          for (StreamRange range : receipt.ranges()) {
            moves.add(
                new StreamMove(
                    range.stream(),
                    stored.stream(range.stream()),
                    range.next(),
                    new StoreState(
                        number,
                        range.next(),
                        receipt.snapshot(range.stream()),
                        receipt.remainder(),
                        seen,
                        receipt.declaration())));
          }

          move(new Advance(loadIdentity(), number, direction(verb), moves));
          return receipt;
        },
        done -> "to " + text(next()));
  }

  /**
   * Returns the version of the target that the next run goes on from. If others have disturbed the
   * target between this run's look at it and its merge, that is the version before: the next run
   * must still find out.
   */
  private TableSnapshot seen(TableSnapshot merged) {
    TableSnapshot looked = requireNonNull(target, "target").snapshot();
    boolean isReplaced = looked.isOfAnotherTable(merged);

    if (verb == Verb.RELOAD
        || !looked.isKnown()
        || (!isReplaced && merged.version() <= looked.version() + 1)) {
      return merged;
    }

    List<String> disturbances = parts.target().standing(loadIdentity(), looked).disturbances();

    if (!isReplaced && disturbances.isEmpty()) {
      return merged;
    }

    warnings.add(
        "Others have disturbed "
            + parts.target().name()
            + " while this run was busy"
            + disturbances.stream()
                .collect(joining(", and ", disturbances.isEmpty() ? "" : ": ", ""))
            + ". The next run will not load on top of that.");
    return looked;
  }

  private static Direction direction(Verb verb) {
    return verb == Verb.RELOAD || verb == Verb.REWIND ? Direction.ANYWHERE : Direction.FORWARD;
  }

  /** Moves the watermark where an operator wants it, and accepts the target as it is. */
  LoadResult rewind(StoredWatermarks stored, Map<StreamName, Watermark> to) {
    TargetStanding standing = requireNonNull(target, "target");
    Map<StreamName, Watermark> values = new TreeMap<>(values(stored));
    values.putAll(to);
    List<StreamMove> moves = new ArrayList<>();

    for (Map.Entry<StreamName, Watermark> entry : values.entrySet()) {
      moves.add(
          new StreamMove(
              entry.getKey(),
              stored.stream(entry.getKey()),
              entry.getValue(),
              new StoreState(
                  standing.number(),
                  entry.getValue(),
                  TableSnapshot.unknown(),
                  Remainder.UNKNOWN,
                  standing.snapshot(),
                  parts.declaration())));
    }

    step(
        LoadStep.ADVANCE,
        "move the watermark in " + parts.store().name(),
        Aftermath.NOTHING_WRITTEN,
        () -> {
          if (!values.keySet().equals(parts.source().streams())) {
            throw LoadErrors.unknownStream(values.keySet(), parts.source().streams());
          }

          move(new Advance(loadIdentity(), standing.number(), Direction.ANYWHERE, moves));
          return values;
        },
        done -> "to " + text(done));
    return new LoadResult.Rewound(parts.name(), id, values, notes());
  }

  /** Moves the watermark; my number and my value in the store mean success, whoever wrote them. */
  private void move(Advance advance) {
    try {
      parts.store().advance(advance);
    } catch (Exception e) {
      StoredWatermarks now = parts.store().last(parts.name(), parts.source().streams());

      if (now.number() == advance.number()
          && advance.moves().stream()
              .allMatch(move -> now.value(move.stream()).equals(move.to()))) {
        return;
      }

      if (e instanceof Problem problem && problem.kind() == ProblemKind.CONCURRENT_RUN) {
        Problem told = LoadErrors.movedMeanwhile(parts.store().name(), watermark, text(now));
        told.addSuppressed(e);
        watermark = text(now);
        throw told;
      }

      throw e;
    }
  }

  LoadResult nothingNew(SourcePlan<D> plan, StoredWatermarks stored) {
    return new LoadResult.NothingNew(
        parts.name(), id, plan.explanation(), RowCounts.none(), values(stored), notes());
  }

  LoadResult result(StoredWatermarks stored, MergeOutcome merged) {
    RowCounts counts = counts(merged.counts());

    if (counts.difference() != 0) {
      warnings.add(
          counts.difference() < 0 && counts.filtered() == 0
              ? "The cleaner made "
                  + -counts.difference()
                  + " rows more than it read, so the counts do not add up: "
                  + counts
                  + "."
              : "The counts do not add up, they miss "
                  + counts.difference()
                  + " rows: "
                  + counts
                  + ".");
    }

    if (merged instanceof MergeOutcome.NothingToDo) {
      return new LoadResult.NothingNew(
          parts.name(), id, nothingToDo(counts), counts, values(stored), notes());
    }

    return new LoadResult.Committed(parts.name(), number, id, ranges, counts, next(), notes());
  }

  private String nothingToDo(RowCounts counts) {
    if (verb == Verb.REDRIVE) {
      return "of "
          + counts.read()
          + " entries "
          + counts.rejected()
          + " were rejected again, and the others change nothing in "
          + parts.target().name();
    }

    return reading == null
        ? explanation + (explanation.isEmpty() ? "" : "; ") + "nothing is gone from the source"
        : parts.target().name() + " holds all " + counts.read() + " rows of the range already";
  }

  /** What the source read and the target did not get was filtered by the user's cleaner. */
  private RowCounts counts(MergeCounts merged) {
    StagedMerge<D> rows = staged;

    if (rows == null) {
      return RowCounts.none();
    }

    long read = readCounts().rows();
    long filtered = Math.max(0, read - rows.accepted() - rows.rejectedRows());
    return new RowCounts(
        read,
        merged.inserted(),
        merged.updated(),
        merged.deleted(),
        merged.unchanged(),
        merged.superseded(),
        merged.stale(),
        rows.rejectedRows(),
        filtered,
        merged.swept());
  }

  private ReadCounts readCounts() {
    Reading<D> read = reading;
    StagedMerge<D> rows = staged;
    ReadCounts known = counted;

    if (known == null && read != null && rows != null) {
      known = counted(read, rows);
      counted = known;
    }

    return known == null ? ReadCounts.of(0) : known;
  }

  /** Asks the source; what it cannot tell must not make a run fail that has committed. */
  private ReadCounts counted(Reading<D> read, StagedMerge<D> rows) {
    try {
      return read.counts().get();
    } catch (RuntimeException e) {
      warnings.add("The source could not tell how many rows it read: " + e);
      return ReadCounts.of(rows.accepted() + rows.rejectedRows());
    }
  }

  private LoadResult.Notes notes() {
    ReadCounts read = readCounts();
    return new LoadResult.Notes(
        recovered, waiting, read.late(), read.earliest(), schemaChanges, warnings);
  }

  private Map<StreamName, Watermark> next() {
    return ranges.stream().collect(toMap(StreamRange::stream, StreamRange::next));
  }

  private static Map<StreamName, Watermark> values(StoredWatermarks stored) {
    return stored.streams().entrySet().stream()
        .collect(toMap(Map.Entry::getKey, row -> row.getValue().value()));
  }

  static String text(StoredWatermarks stored) {
    return text(values(stored));
  }

  private static String text(Map<StreamName, Watermark> values) {
    if (values.size() == 1) {
      return values.values().iterator().next().toString();
    }

    return new TreeMap<>(values)
        .entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(joining(", "));
  }

  private <T> T step(LoadStep step, String task, Supplier<T> work) {
    return step(step, task, Aftermath.NOTHING_WRITTEN, work, done -> "");
  }

  private <T> T step(LoadStep step, String task, Supplier<T> work, Function<T, String> detail) {
    return step(step, task, Aftermath.NOTHING_WRITTEN, work, detail);
  }

  private <T> T step(
      LoadStep step,
      String task,
      Aftermath ifItFails,
      Supplier<T> work,
      Function<T, String> detail) {
    tell(step, LoadPhase.STARTED, "");

    try {
      T done = work.get();
      tell(step, LoadPhase.FINISHED, detail.apply(done));
      return done;
    } catch (Exception e) {
      tell(step, LoadPhase.FAILED, String.valueOf(e.getMessage()));
      throw explained(step, task, ifItFails, e);
    }
  }

  private LoadException explained(LoadStep step, String task, Aftermath aftermath, Exception e) {
    return LoadErrors.of(parts.name(), verb, step, task, watermark, aftermath, e);
  }

  private void tell(LoadStep step, LoadPhase phase, String detail) {
    LoadEvent event = new LoadEvent(parts.name(), id, step, phase, detail);

    for (LoadListener listener : parts.listeners()) {
      try {
        listener.on(event);
      } catch (Exception e) {
        warnings.add("A listener failed at step " + step + ": " + e);
      }
    }
  }

  private void log(
      LoadLogEntry.Outcome outcome, RowCounts counts, ReadCounts read, String message) {
    tell(LoadStep.LOG, LoadPhase.STARTED, outcome.name());

    try {
      parts
          .log()
          .write(
              new LoadLogEntry(
                  parts.name(),
                  id,
                  verb,
                  outcome == LoadLogEntry.Outcome.COMMITTED ? number : 0,
                  outcome,
                  parts.source().name(),
                  parts.target().name(),
                  ranges,
                  counts,
                  read.late(),
                  read.earliest(),
                  waiting,
                  message,
                  startedAt,
                  parts.clock().instant()));
      tell(LoadStep.LOG, LoadPhase.FINISHED, outcome.name());
    } catch (Exception e) {
      warnings.add("The load log could not be written: " + e);
      tell(LoadStep.LOG, LoadPhase.FAILED, String.valueOf(e.getMessage()));
    }
  }
}
