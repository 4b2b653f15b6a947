package io.strandline.samples.replaycases;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.collect.Multisets;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Plays one case in one world, step by step, and compares what comes out.
 *
 * <p>Not for use by several threads.
 */
final class Replayer {
  private static final long SECONDS_FOR_ALL_TO_READ = 60;
  private static final Set<ProblemKind> CLEAR_DEFEATS =
      Set.of(ProblemKind.CONCURRENT_RUN, ProblemKind.TARGET_CONFLICT);

  private final Case played;
  private final World world;
  private final Map<String, SourceRows> sources = new LinkedHashMap<>();

  private Replayer(Case played, World world) {
    this.played = played;
    this.world = world;
  }

  /**
   * Replays a case, as often as it has orders of rows.
   *
   * @param asked the case
   * @param place where it is played
   * @param worlds makes a world with nothing in it
   * @return how it ended
   */
  static Verdict replay(Case asked, Feature.Place place, Supplier<World> worlds) {
    List<String> missing = Feature.missing(asked, place);

    if (!missing.isEmpty()) {
      return new Verdict.Unsupported(asked.id(), missing);
    }

    for (int order = 0; order < asked.orders(); order++) {
      Case played = order == 0 ? asked : asked.shuffled(order);

      try (World world = worlds.get()) {
        new Replayer(played, world).play();
      } catch (Mismatch e) {
        return new Verdict.Failed(
            asked.id(),
            (order == 0 ? "" : "with its rows in another order (seed " + order + ") ")
                + e.getMessage(),
            e);
      } catch (Exception e) {
        // Engines written in Scala throw checked exceptions without declaring them.
        return new Verdict.Failed(asked.id(), "expected a replay got " + e, e);
      }
    }

    return new Verdict.Passed(asked.id());
  }

  private void play() {
    for (CaseTable table : played.tables()) {
      SourceRows empty = SourceRows.empty(table.sourceTypes());
      sources.put(table.name(), empty);
      world.make(table, empty);
    }

    int number = 0;

    for (Step step : played.steps()) {
      number++;
      take(step, "after step " + number);
    }
  }

  private void take(Step step, String when) {
    if (step instanceof Step.Land land) {
      land(land);
    } else if (step instanceof Step.LandFile file) {
      world.landFile(played.table(file.table()), file.name(), file.content());
    } else if (step instanceof Step.Alter alter) {
      SourceRows altered = source(alter.table()).altered(alter);
      sources.put(alter.table(), altered);
      world.rewrite(played.table(alter.table()), altered);
    } else if (step instanceof Step.LoseHistory lost) {
      lose(lost);
    } else if (step instanceof Step.EditWatermark edit) {
      edit(edit);
    } else if (step instanceof Step.Run run) {
      run(run, when);
    } else if (step instanceof Step.RunParallel runs) {
      runParallel(runs, when);
    } else if (step instanceof Step.Check check) {
      check(check.expect(), Map.of(), when);
    } else {
      throw new IllegalArgumentException("There is no way to play " + step + ".");
    }
  }

  private SourceRows source(String table) {
    SourceRows source = sources.get(table);

    if (source == null) {
      throw new IllegalArgumentException("There is no table '" + table + "'.");
    }

    return source;
  }

  private void land(Step.Land land) {
    CaseTable table = played.table(land.table());
    SourceRows before = source(land.table());
    SourceRows rows = before.landing(land.rows());
    List<String> keys = land.by().isEmpty() ? table.load().keys() : land.by();

    if (!land.keyChange().isEmpty()) {
      SourceRows from = before.landing(List.of(object(land.keyChange().get("from"))));
      SourceRows to = before.landing(List.of(object(land.keyChange().get("to"))));
      before = before.rekeyed(from.rows().get(0), to.rows().get(0));

      if (isFeed(table)) {
        sources.put(land.table(), before);
        world.rekey(
            table,
            from.only(object(land.keyChange().get("from")).keySet()),
            to.only(object(land.keyChange().get("to")).keySet()));

        if (rows.rows().isEmpty()) {
          return;
        }
      }
    }

    if (land.how().equals("append") && (land.keyChange().isEmpty() || isFeed(table))) {
      sources.put(land.table(), before.with(rows));

      if (!rows.rows().isEmpty()) {
        world.append(table, rows);
      }

      return;
    }

    SourceRows after =
        switch (land.how()) {
          case "upsert" -> before.without(rows, keys).with(rows);
          case "delete" -> before.without(rows, keys);
          case "replace" -> rows;
          default -> before.with(rows);
        };
    sources.put(land.table(), after);

    if (isFeed(table) && !land.how().equals("replace")) {
      world.change(table, land.how(), rows, keys);
    } else {
      world.rewrite(table, after);
    }
  }

  private static boolean isFeed(CaseTable table) {
    return table.source().kind().equals("cdf");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, @Nullable Object> object(@Nullable Object json) {
    if (json instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }

    throw new IllegalArgumentException(json + " is no object.");
  }

  private void lose(Step.LoseHistory lost) {
    SourceRows after = source(lost.table());

    if (lost.loss().equals("drop_recreate")) {
      after = after.landing(lost.rows());
      sources.put(lost.table(), after);
    }

    world.loseHistory(played.table(lost.table()), lost.loss(), after);
  }

  private void edit(Step.EditWatermark edit) {
    CaseTable table = played.table(edit.table());

    switch (edit.edit()) {
      case "delete" -> world.deleteWatermark(table);
      case "duplicate" -> world.duplicateWatermark(table);
      default -> world.setWatermark(table, Composition.watermark(table, edit.value()));
    }
  }

  /** Runs the tables one after the other; a failed one stops no other, a dead process all. */
  private void run(Step.Run run, String when) {
    Map<String, List<Outcome>> last = Map.of();

    for (long repetition = 0; repetition < run.repeat(); repetition++) {
      last = new LinkedHashMap<>();
      FaultPlan faults = faults(run, when);
      boolean isAlive = true;

      for (String name : run.tables()) {
        Outcome outcome =
            isAlive
                ? attemptAlone(
                    played.table(name),
                    new World.Settings(
                        run.session(),
                        run.clock(),
                        faults,
                        run.approval() ? World.Approval.GIVEN : World.Approval.WITHHELD,
                        run.crash().isEmpty() ? World.Fate.LIVES : World.Fate.DIES))
                : new Outcome.Crashed();
        last.put(name, List.of(outcome));
        isAlive = !(outcome instanceof Outcome.Crashed);
      }
    }

    check(run.expect(), last, when);
  }

  /** Somebody else does it once, however many tables run; the process dies after that. */
  private FaultPlan faults(Step.Run run, String when) {
    FaultPlan faults = Faults.none();

    for (Step.During during : run.during()) {
      FaultPlan.Then there =
          during.at().equals("after_read")
              ? faults.once(LoadStep.CLEAN, Moment.DURING)
              : faults.once(LoadStep.MERGE, Moment.AFTER);
      there.runs(
          () -> during.steps().forEach(step -> byOthers(() -> take(step, "during, " + when))));
    }

    return switch (run.crash()) {
      case "before_merge" -> faults.once(LoadStep.MERGE, Moment.BEFORE).dies();
      case "after_merge" -> faults.once(LoadStep.MERGE, Moment.AFTER).dies();
      default -> faults;
    };
  }

  /** What goes wrong in a step of somebody else's is no failure of the load that it interrupts. */
  private static void byOthers(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      throw new Interrupted(e);
    }
  }

  /** Carries a failed comparison through a load, which explains only exceptions. */
  private static final class Interrupted extends Error {
    private static final long serialVersionUID = 1L;
    private final transient RuntimeException what;

    Interrupted(RuntimeException what) {
      super(what);
      this.what = what;
    }
  }

  /**
   * Runs a load while no other one runs. Of a history a case counts rows of the target, of which a
   * change touches two, and the library the changes.
   */
  private Outcome attemptAlone(CaseTable table, World.Settings settings) {
    if (!Composition.isHistory(table)) {
      return attempt(table, settings);
    }

    Multiset<Map<String, Object>> before = versions(table);
    Outcome outcome = attempt(table, settings);
    Multiset<Map<String, Object>> after = versions(table);
    int come = Multisets.difference(after, before).size();
    int gone = Multisets.difference(before, after).size();
    return outcome instanceof Outcome.Ended ended
        ? new Outcome.Ended(ended.result(), Math.max(come, gone))
        : outcome;
  }

  /** Returns the rows of a target; a column that comes to be, without a value, changes none. */
  private Multiset<Map<String, Object>> versions(CaseTable table) {
    Multiset<Map<String, Object>> versions = HashMultiset.create();

    for (Map<String, @Nullable Object> row : world.target(table).maps()) {
      Map<String, Object> values = new HashMap<>();
      row.forEach(
          (name, value) -> {
            if (value != null && !World.isBookkeeping(name)) {
              values.put(name, value);
            }
          });
      versions.add(values);
    }

    return versions;
  }

  private Outcome attempt(CaseTable table, World.Settings settings) {
    try {
      LoadResult result = world.run(table, settings);
      return new Outcome.Ended(result, result.rowsMerged());
    } catch (ProcessDeath e) {
      return new Outcome.Crashed();
    } catch (Interrupted e) {
      throw e.what;
    } catch (LoadException | IllegalArgumentException | IllegalStateException e) {
      return new Outcome.Failed(e);
    }
  }

  /**
   * Runs side by side; all have read before the first one merges, so that they meet in each case.
   */
  private void runParallel(Step.RunParallel step, String when) {
    Phaser allHaveRead = new Phaser(step.runs().size());
    ExecutorService threads = Executors.newFixedThreadPool(step.runs().size());
    List<Future<Map<String, Outcome>>> started = new ArrayList<>();

    try {
      for (List<String> tables : step.runs()) {
        started.add(threads.submit(() -> runOne(tables, step, allHaveRead)));
      }

      Map<String, List<Outcome>> outcomes = new LinkedHashMap<>();

      for (Future<Map<String, Outcome>> ended : started) {
        for (Map.Entry<String, Outcome> entry : ended.get().entrySet()) {
          outcomes.computeIfAbsent(entry.getKey(), name -> new ArrayList<>()).add(entry.getValue());
        }
      }

      outcomes.forEach((table, runs) -> checkDefeats(table, runs, when));
      check(step.expect(), outcomes, when);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while loads ran side by side.", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private Map<String, Outcome> runOne(
      List<String> tables, Step.RunParallel step, Phaser allHaveRead) {
    Map<String, Outcome> outcomes = new LinkedHashMap<>();
    FaultPlan meeting = Faults.once(LoadStep.CLEAN, Moment.DURING).runs(() -> meet(allHaveRead));

    try {
      for (String name : tables) {
        outcomes.put(
            name,
            attempt(
                played.table(name),
                new World.Settings(
                    step.session(),
                    step.clock(),
                    meeting,
                    World.Approval.WITHHELD,
                    World.Fate.LIVES)));
      }

      return outcomes;
    } finally {
      if (meeting.fired() == 0) {
        allHaveRead.arriveAndDeregister();
      }
    }
  }

  private static void meet(Phaser allHaveRead) {
    try {
      allHaveRead.awaitAdvanceInterruptibly(
          allHaveRead.arrive(), SECONDS_FOR_ALL_TO_READ, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for another run.", e);
    } catch (TimeoutException e) {
      throw new IllegalStateException("Another run did not come to read.", e);
    }
  }

  /** The loser of two runs may fail, but must say that it lost. */
  private static void checkDefeats(String table, List<Outcome> runs, String when) {
    for (Outcome outcome : runs) {
      if (outcome instanceof Outcome.Failed failed && !CLEAR_DEFEATS.contains(failed.kind())) {
        throw new Mismatch(
            "a run of " + table + " " + when + " to win, or to say that another run won",
            outcome.toString());
      }
    }
  }

  private void check(Map<String, Facts> expect, Map<String, List<Outcome>> outcomes, String when) {
    Expectations expectations = new Expectations(world, when, sources);
    expect.forEach(
        (name, facts) ->
            expectations.check(played.table(name), facts, outcomes.getOrDefault(name, List.of())));
  }
}
