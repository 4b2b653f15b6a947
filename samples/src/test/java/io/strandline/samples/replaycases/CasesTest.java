package io.strandline.samples.replaycases;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Replays the project's own cases in both worlds; a case whose features are missing is skipped and
 * names them.
 */
class CasesTest {

  /** Takes a while, since every case loads several times; so it goes with the long tests. */
  @TestFactory
  @Tag(MergeTargetContract.THOROUGH)
  @ExtendWith(LakehouseExtension.class)
  Stream<DynamicTest> case_onSpark_comesOutAsExpected(SparkSession spark) {
    return cases().map(file -> test(file, Feature.Place.SPARK, () -> SparkWorld.in(spark)));
  }

  @TestFactory
  Stream<DynamicTest> case_onFakes_comesOutAsExpected() {
    return cases().map(file -> test(file, Feature.Place.FAKES, FakeWorld::new));
  }

  private static DynamicTest test(Path file, Feature.Place place, Supplier<World> worlds) {
    return DynamicTest.dynamicTest(
        file.getFileName().toString(),
        () -> {
          Verdict verdict = Replayer.replay(CaseReader.read(file), place, worlds);

          if (verdict instanceof Verdict.Failed failed) {
            fail(failed.line(), failed.cause());
          } else if (verdict instanceof Verdict.Unsupported) {
            abort(verdict.line());
          }
        });
  }

  static Stream<Path> cases() {
    try (Stream<Path> files = Files.list(folder())) {
      List<Path> sorted = files.sorted().toList();
      return sorted.stream();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static Path folder() {
    try {
      return Path.of(
          Objects.requireNonNull(CasesTest.class.getResource("/cases"), "cases").toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
