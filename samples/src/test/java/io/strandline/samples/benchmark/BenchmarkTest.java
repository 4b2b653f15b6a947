package io.strandline.samples.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.strandline.samples.ProgressDisplay;
import io.strandline.samples.SampleCommand;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Keeps the benchmark working, and counts what it counts; a test says nothing about time. */
@ExtendWith(LakehouseExtension.class)
class BenchmarkTest {
  private static final long TARGET_ROWS = 1000;
  private static final long INCREMENT_ROWS = 100;
  private static final long ADVANCES = 30;

  @Test
  void nothingNew_ofStrandline_needsNoJobAndReadsAndWritesNothing(
      SparkSession spark, Lakehouse lakehouse) {
    Map<String, Measurement> measured = played("nothing-new", spark, lakehouse);

    Measurement strandline = of("strandline", measured);
    assertThat(strandline.jobs()).isZero();
    assertThat(strandline.filesRead()).isZero();
    assertThat(of("notebook", measured).jobs()).isPositive();
    assertThat(measured.values())
        .allSatisfy(
            contender -> {
              assertThat(contender.rowsInRange()).isZero();
              assertThat(contender.filesWritten()).isZero();
            });
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void recentKeys_ofAllContenders_endInTheSameTargetAndAreCounted(
      SparkSession spark, Lakehouse lakehouse) {
    Map<String, Measurement> measured = played("recent-keys", spark, lakehouse);

    assertThat(measured)
        .containsOnlyKeys("notebook", "streaming", "handwritten", "strandline")
        .allSatisfy(
            (name, contender) -> {
              assertThat(contender.rowsInRange()).isEqualTo(INCREMENT_ROWS);
              assertThat(contender.rowsScanned()).isGreaterThanOrEqualTo(INCREMENT_ROWS);
              assertThat(contender.filesRead()).isPositive();
              assertThat(contender.bytesRead()).isPositive();
              assertThat(contender.filesWritten()).isPositive();
              assertThat(contender.bytesWritten()).isPositive();
            });
    assertThat(of("strandline", measured).rowsScanned()).isEqualTo(INCREMENT_ROWS);
    // Is there anything, MERGE, the largest load time, how many rows it was.
    assertThat(of("notebook", measured).rowsScanned()).isGreaterThan(3 * INCREMENT_ROWS);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void advance_behindManyOthers_needsNoJobOfStrandline(SparkSession spark, Lakehouse lakehouse) {
    Map<String, Measurement> measured = played("advance", spark, lakehouse);

    assertThat(of("strandline", measured).jobs()).isZero();
    assertThat(of("notebook", measured).jobs()).isPositive();
    assertThat(measured.values())
        .allSatisfy(contender -> assertThat(contender.filesWritten()).isEqualTo(1));
  }

  @Test
  void increments_ofEveryKind_haveEachOrderOnceAndAFifthOfUpdates(SparkSession spark) {
    for (Increment increment : List.of(Increment.RECENT, Increment.SPREAD)) {
      Dataset<Row> numbers =
          increment.numbers(spark.range(INCREMENT_ROWS).toDF(), TARGET_ROWS, INCREMENT_ROWS);

      assertThat(numbers.select(OrderShape.ID).distinct().count()).isEqualTo(INCREMENT_ROWS);
      assertThat(numbers.filter("id BETWEEN 0 AND 999 AND edition = 1").count()).isEqualTo(20);
      assertThat(numbers.filter("id BETWEEN 1000 AND 1079 AND edition = 0").count()).isEqualTo(80);
      assertThat(numbers.filter("position BETWEEN 1000 AND 1099").count()).isEqualTo(100);
    }

    Dataset<Row> recent =
        Increment.RECENT.numbers(spark.range(INCREMENT_ROWS).toDF(), TARGET_ROWS, INCREMENT_ROWS);
    assertThat(recent.filter("id < 600").count()).isZero();
  }

  @Test
  void scores_inTheirFile_haveTheFieldsThatAreAskedFor(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("scores.json");

    try (ScoreFile scores = ScoreFile.at(file)) {
      scores.write(new Score("wide", "notebook", 20, 3, new Measurement(1, 2, 3, 4, 5, 6, 7, 8)));
    }

    JsonNode line = JsonMapper.builder().build().readTree(Files.readString(file, UTF_8));
    assertThat(line)
        .hasToString(
            "{\"case\":\"wide\",\"contender\":\"notebook\",\"targetRows\":20,\"round\":3,"
                + "\"millis\":1,\"jobs\":2,\"rowsInRange\":3,\"rowsScanned\":4,\"filesRead\":5,"
                + "\"filesWritten\":7,\"bytesWritten\":8}");
  }

  @Test
  void board_ofSeveralRounds_hasMediansAndRatios() {
    List<String> lines =
        ScoreBoard.of(
            List.of(
                score("notebook", 400),
                score("strandline", 100),
                score("notebook", 200),
                score("strandline", 160),
                score("notebook", 300),
                score("strandline", 120)));

    assertThat(lines).hasSize(3);
    assertThat(lines.get(1)).matches("wide +20 +notebook +300 +200 +400 +0\\.40 .*");
    assertThat(lines.get(2)).matches("wide +20 +strandline +120 +100 +160 +1\\.00 .*");
  }

  @Test
  void arguments_withACaseThatIsNone_areRefused() {
    assertThat(SampleCommand.run(new Benchmark(), "--cases", "wide,narrow")).isEqualTo(2);
    assertThat(SampleCommand.run(new Benchmark(), "--rounds", "0")).isEqualTo(2);
  }

  private static Score score(String contender, long millis) {
    return new Score("wide", contender, 20, 1, new Measurement(millis, 2, 3, 4, 5, 6, 7, 8));
  }

  private static Measurement of(String contender, Map<String, Measurement> measured) {
    return requireNonNull(measured.get(contender));
  }

  private static Map<String, Measurement> played(
      String name, SparkSession spark, Lakehouse lakehouse) {
    List<Score> scores = new ArrayList<>();
    Quantities quantities =
        new Quantities(List.of(TARGET_ROWS), INCREMENT_ROWS, List.of(ADVANCES), 1);

    try (Workshop workshop = new Workshop(spark, Path.of(lakehouse.path("kept")), quantities)) {
      new Tournament(workshop, ProgressDisplay.none(), 0, 1)
          .play(Cases.named(name).orElseThrow(), scores::add);
    }

    return scores.stream().collect(toMap(Score::contender, Score::measured));
  }
}
