package io.strandline.spark.proof;

import io.strandline.testkit.process.ChildProgram;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kills loads with SIGKILL at random moments, starts them again, and in the end finds everything as
 * if they had never been killed.
 *
 * <p>{@code -Dstrandline.kills=N} says how often, {@code -Dstrandline.seed=N} which days and
 * moments, {@code -Dstrandline.scenario=NAME} which load alone.
 */
@ExtendWith(LakehouseExtension.class)
@Timeout(value = 3, unit = TimeUnit.HOURS)
class KillTest {
  private static final boolean EXTENDED = Boolean.getBoolean("strandline.extended");
  private static final int KILLS = Integer.getInteger("strandline.kills", EXTENDED ? 84 : 3);
  private static final long SEED = Long.getLong("strandline.seed", 20_261_020);

  /** After so many kills everything begins anew, so that first runs are killed too. */
  private static final int KILLS_PER_WORLD = 12;

  /** A day says some ten lines: a kill strikes on the first or second day of a life. */
  private static final int LINES_BEFORE_A_KILL = 14;

  private static final int MILLIS_BEFORE_A_KILL = 1_000;

  /** So many days hold rows of every sort. */
  private static final int SHORTEST_HISTORY = 2;

  private static final int FOR_EVER = Integer.MAX_VALUE - 1;

  static List<KillScenario> scenarios() {
    String chosen = System.getProperty("strandline.scenario");

    if (chosen != null) {
      return List.of(KillScenario.valueOf(chosen));
    }

    return EXTENDED ? List.of(KillScenario.values()) : List.of(KillScenario.MERGE);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void load_killedAtRandomMoments_endsAsIfItHadNeverBeen(
      KillScenario scenario, SparkSession spark, Lakehouse lakehouse) {
    int kills = (KILLS + scenarios().size() - 1) / scenarios().size();

    for (int world = 0; world * KILLS_PER_WORLD < kills; world++) {
      Path folder = Path.of(lakehouse.path("world-" + world));

      try (World killed = new World(scenario, folder, SEED + world)) {
        killed.kill(Math.min(KILLS_PER_WORLD, kills - world * KILLS_PER_WORLD));
        killed.verify(spark);
      }
    }
  }

  /** A folder of tables, and the lives that one load has over it. */
  private static final class World implements AutoCloseable {
    private final KillScenario scenario;
    private final Path folder;
    private final long seed;
    private final Random random;
    private int lives;
    private int day = 1;

    /** Starts while the one before it works, which saves half of the time. */
    private ChildProgram next;

    private World(KillScenario scenario, Path folder, long seed) {
      this.scenario = scenario;
      this.folder = folder;
      this.seed = seed;
      this.random = new Random(seed);
      this.next = newLife();
    }

    private ChildProgram newLife() {
      return ChildProgram.start(
          KillableLoad.class,
          scenario.name(),
          folder.toString(),
          Long.toString(seed),
          Integer.toString(lives++));
    }

    private void kill(int kills) {
      for (int kill = 0; kill < kills; kill++) {
        int lines = 1 + random.nextInt(LINES_BEFORE_A_KILL);
        Duration time = Duration.ofMillis(random.nextInt(MILLIS_BEFORE_A_KILL));

        try (ChildProgram child = next) {
          child.awaitLine("ready"::equals);
          next = newLife();
          child.tell(day + " " + FOR_EVER);
          Stream.generate(() -> child.awaitLine(line -> true)).limit(lines).forEach(line -> {});
          child.killAfter(time);
          remember(child, "killed " + time.toMillis() + " ms after line " + lines);
        }
      }
    }

    /** Lets the load finish what it began. */
    private void verify(SparkSession spark) {
      int lastDay = Math.max(day, SHORTEST_HISTORY);
      next.awaitLine("ready"::equals);
      next.tell(day + " " + lastDay);
      next.finish();
      remember(next, "finished");

      try {
        scenario.open(spark, folder, new OrderHistory(seed)).verify(lastDay);
      } catch (AssertionError e) {
        throw new AssertionError(
            scenario + " differs after " + lives + " lives with -Dstrandline.seed=" + seed, e);
      }
    }

    /** The next life begins with the day in which this one died. */
    private void remember(ChildProgram child, String end) {
      List<String> lines = child.lines();
      day =
          lines.stream()
              .filter(line -> line.startsWith("day "))
              .mapToInt(line -> Integer.parseInt(line.substring("day ".length())))
              .max()
              .orElse(day);
      System.out.println(
          scenario
              + " of seed "
              + seed
              + ": "
              + end
              + ", on day "
              + day
              + ", at '"
              + lines.get(lines.size() - 1)
              + "'");
    }

    @Override
    public void close() {
      next.close();
    }
  }
}
