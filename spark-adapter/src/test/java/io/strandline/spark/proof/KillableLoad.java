package io.strandline.spark.proof;

import static io.strandline.spark.proof.Parent.tell;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadEvent;
import io.strandline.load.LoadException;
import io.strandline.load.LoadListener;
import io.strandline.load.LoadPhase;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import io.strandline.testkit.spark.LocalSpark;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/**
 * A program that lands and loads day after day until it is killed, or has done its last day.
 *
 * <p>Prints {@code ready} when Spark has started, and waits to be told the first and the last day,
 * such as {@code 3 7}; then says what it is about to do, and {@code done} at the end. Each of its
 * lives has another zone and another number of shuffle partitions.
 */
final class KillableLoad {
  /** Given as a further argument, it makes the program wait for a word before each merge. */
  static final String WAITING = "waiting";

  private static final List<String> ZONES = List.of("UTC", "America/New_York", "Asia/Kolkata");

  private KillableLoad() {}

  /**
   * Runs the program.
   *
   * @param args scenario, folder, seed, number of the life
   */
  public static void main(String[] args) {
    Parent parent = Parent.heard();
    Path folder = Path.of(args[1]);
    int life = Integer.parseInt(args[3]);
    SparkSession spark =
        LocalSpark.builder(folder.resolve("warehouse"))
            // The files of a killed process are gone with the test's folder.
            .config("spark.local.dir", folder.resolve("local").toString())
            .config("spark.sql.session.timeZone", ZONES.get(life % ZONES.size()))
            .config("spark.sql.shuffle.partitions", 1 + life % 3)
            .getOrCreate();
    KilledLoad killed =
        KillScenario.valueOf(args[0])
            .open(spark, folder, new OrderHistory(Long.parseLong(args[2])));
    LoadListener listener = args.length > 4 ? waitingFor(parent) : KillableLoad::tellStep;
    tell("ready");
    String[] days = parent.awaitWord().split(" ", 2);
    int lastDay = Integer.parseInt(days[1]);

    for (int day = Integer.parseInt(days[0]); day <= lastDay; day++) {
      tell("day " + day);
      killed.land(day);
      tell("landed " + day);

      if (OrderHistory.isLoadedAfter(day) || day == lastDay) {
        tell("loaded " + day + ": " + outcome(killed.load().heardBy(listener).build()));
        killed.keepUp(Parent::tell);
      }
    }

    tell("done");
    spark.stop();
    System.exit(0);
  }

  private static LoadListener waitingFor(Parent parent) {
    return event -> {
      tellStep(event);

      if (event.step() == LoadStep.MERGE && event.phase() == LoadPhase.STARTED) {
        parent.awaitWord();
      }
    };
  }

  private static void tellStep(LoadEvent event) {
    if (event.phase() == LoadPhase.STARTED) {
      tell("step " + event.step());
    }
  }

  /** A lost race is told; whatever else goes wrong ends the program. */
  private static String outcome(IncrementalLoad<?> load) {
    try {
      LoadResult result = load.run();

      if (result.counts().difference() != 0) {
        throw new AssertionError("The counts do not add up: " + result);
      }

      return result.counts().toString();
    } catch (LoadException e) {
      if (e.kind() != ProblemKind.CONCURRENT_RUN) {
        throw e;
      }

      return e.kind() + " " + e.getMessage();
    }
  }
}
