package io.strandline.samples.replaycases;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.io.MoreFiles;
import io.strandline.samples.LocalSession;
import io.strandline.samples.SampleCommand;
import io.strandline.samples.SampleFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Replays cases: a line for each, and at the end how many passed, failed and are not supported.
 *
 * <p>Ends with status 1 if any failed.
 */
@Command(
    name = "replay-cases",
    mixinStandardHelpOptions = true,
    description = {
      "Replays cases: failures that people met, as data, each with the right answer.",
      "Prints PASS, FAIL or UNSUPPORTED for each case. Ends with status 1 if any failed."
    })
public final class ReplayCases implements Callable<Integer> {
  @Parameters(
      arity = "1..*",
      paramLabel = "DIR-OR-FILES",
      description = "Files with a case each, or folders of such files.")
  private List<Path> paths = List.of();

  @Option(names = "--verbose", description = "Print stack traces of what failed too.")
  private boolean isVerbose;

  @Option(
      names = "--fakes",
      description = "Replay on the testkit's fakes, in memory, instead of Spark and Delta.")
  private boolean onFakes;

  private ReplayCases() {}

  /**
   * Replays the cases that the arguments name, and ends the JVM.
   *
   * @param args files, folders and options; {@code --help} tells which
   */
  public static void main(String[] args) {
    System.exit(SampleCommand.run(new ReplayCases(), args));
  }

  @Override
  public Integer call() throws IOException {
    PrintStream out = new PrintStream(System.out, true, UTF_8);
    List<Path> files = files();

    if (onFakes) {
      return replay(files, Feature.Place.FAKES, FakeWorld::new, out, this::explain);
    }

    try (SampleFolder folder = SampleFolder.temporary("strandline-replay")) {
      try (SparkSession spark =
          LocalSession.start("strandline replay", folder.path(), folder.path().resolve("log"))) {
        return replay(files, Feature.Place.SPARK, () -> SparkWorld.in(spark), out, this::explain);
      }
    }
  }

  private void explain(Throwable cause) {
    if (isVerbose) {
      cause.printStackTrace();
    }
  }

  private List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();

    for (Path path : paths) {
      if (Files.isDirectory(path)) {
        try (Stream<Path> inside = Files.list(path)) {
          inside.filter(file -> file.toString().endsWith(".json")).sorted().forEach(files::add);
        }
      } else {
        files.add(path);
      }
    }

    return files;
  }

  /**
   * Replays cases.
   *
   * @return the exit status
   */
  static int replay(
      List<Path> files,
      Feature.Place place,
      Supplier<World> worlds,
      PrintStream out,
      Consumer<Throwable> explain) {
    int passed = 0;
    int failed = 0;
    int unsupported = 0;

    for (Path file : files) {
      Verdict verdict = replay(file, place, worlds);
      out.println(verdict.line());

      if (verdict instanceof Verdict.Passed) {
        passed++;
      } else if (verdict instanceof Verdict.Failed difference) {
        failed++;
        explain.accept(difference.cause());
      } else {
        unsupported++;
      }
    }

    out.println(passed + " passed, " + failed + " failed, " + unsupported + " unsupported");
    return failed > 0 ? 1 : 0;
  }

  private static Verdict replay(Path file, Feature.Place place, Supplier<World> worlds) {
    try {
      return Replayer.replay(CaseReader.read(file), place, worlds);
    } catch (IOException | IllegalArgumentException e) {
      return new Verdict.Failed(
          MoreFiles.getNameWithoutExtension(file), "expected a case got " + e.getMessage(), e);
    }
  }
}
