package io.strandline.spark.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.process.ChildProgram;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loads a large table of a database for the first time, in ten steps, kills the load twice with
 * SIGKILL, and finds all rows in the end. The heap does not grow with the steps.
 *
 * <p>{@code -Dstrandline.rows=N} says how many rows the table has, {@code -Dstrandline.seed=N} when
 * the load is killed.
 */
@Tag(MergeTargetContract.THOROUGH)
@Timeout(value = 3, unit = TimeUnit.HOURS)
class FirstLoadKillTest {
  private static final int ROWS = Integer.getInteger("strandline.rows", 200_000);
  private static final long SEED = Long.getLong("strandline.seed", 20_261_130);
  private static final int STEPS = 10;
  private static final int KILLS = 2;

  /** Each life is killed while it merges this one of its steps. */
  private static final int MERGES_OF_A_LIFE = 3;

  private static final int MILLIS_BEFORE_A_KILL = 1_000;
  private static final Pattern HEAP = Pattern.compile("heap at most (\\d+) MB, kept (\\d+) MB");

  private final Random random = new Random(SEED);
  private final List<String> told = new ArrayList<>();

  @TempDir Path folder;

  @Test
  void firstLoad_killedTwice_endsEqualAndNeedsNoMoreMemoryWithEachStep()
      throws IOException, SQLException {
    try (EmbeddedPostgres server = EmbeddedPostgres.start()) {
      String url = "jdbc:postgresql://localhost:" + server.getPort() + "/postgres";
      String inTheDatabase = makeTable(url);

      for (int kill = 0; kill < KILLS; kill++) {
        beKilled(url);
      }

      List<String> end = finish(url);

      assertThat(end.get(0)).isEqualTo(end.get(1)).startsWith(inTheDatabase + " ");
      // A step that was killed says nothing; the last one finds nothing new.
      assertThat(told).hasSizeBetween(STEPS + 1 - KILLS, STEPS + 1);
      assertFlat(1);
      assertFlat(2);
    }
  }

  /** Makes the table; returns how many rows it has, and the sums of their numbers. */
  private static String makeTable(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, "postgres", "postgres");
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE transactions (id BIGINT, account INT, amount NUMERIC(18, 2), modified"
              + " TIMESTAMPTZ NOT NULL)");
      statement.execute(
          "INSERT INTO transactions SELECT n, n % 1000, (n % 100000) / 100.0, TIMESTAMPTZ '"
              + FirstLoad.BEGINNING
              + "' + n * INTERVAL '1 second' FROM generate_series(1, "
              + ROWS
              + ") n");
      statement.execute("CREATE INDEX ON transactions (modified)");
      statement.execute("ANALYZE transactions");

      try (ResultSet row =
          statement.executeQuery(
              "SELECT count(*) || ' ' || sum(id) || ' ' || sum(amount) FROM transactions")) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private ChildProgram start(String url) {
    return ChildProgram.start(
        FirstLoad.class,
        url,
        folder.toString(),
        Integer.toString(ROWS),
        Integer.toString(ROWS / STEPS));
  }

  private void beKilled(String url) {
    Duration time = Duration.ofMillis(random.nextInt(MILLIS_BEFORE_A_KILL));

    try (ChildProgram child = start(url)) {
      for (int merge = 0; merge < MERGES_OF_A_LIFE; merge++) {
        child.awaitLine("step MERGE"::equals);
      }

      child.killAfter(time);
      remember(child, "killed " + time.toMillis() + " ms into a merge");
    }
  }

  /** Returns what the target holds in the end, and what it should. */
  private List<String> finish(String url) {
    try (ChildProgram child = start(url)) {
      List<String> lines = child.finish();
      remember(child, "finished");
      return lines.stream()
          .filter(line -> line.matches("(should )?holds? .*"))
          .map(line -> line.replaceAll("^(should )?holds? ", ""))
          .toList();
    }
  }

  private void remember(ChildProgram child, String end) {
    List<String> steps = child.lines().stream().filter(line -> line.startsWith("took ")).toList();
    steps.forEach(System.out::println);
    System.out.println(end + ", with -Dstrandline.seed=" + SEED);
    told.addAll(steps);
  }

  /** Asserts that the second half of the steps needed no more than the first. */
  private void assertFlat(int group) {
    List<Integer> megabytes =
        told.stream()
            .flatMap(line -> HEAP.matcher(line).results())
            .map((MatchResult heap) -> Integer.valueOf(heap.group(group)))
            .toList();
    int half = megabytes.size() / 2;

    assertThat(Collections.max(megabytes.subList(half, megabytes.size())))
        .as("megabytes after each step: %s", megabytes)
        .isLessThan(Collections.max(megabytes.subList(0, half)) * 3 / 2);
  }
}
