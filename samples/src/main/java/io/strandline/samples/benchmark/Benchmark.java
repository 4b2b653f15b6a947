package io.strandline.samples.benchmark;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import io.strandline.samples.LocalSession;
import io.strandline.samples.ProgressDisplay;
import io.strandline.samples.SampleCommand;
import io.strandline.samples.SampleFolder;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Does the same loads in several ways, by turns, and prints what each took.
 *
 * <p>Not for use by several threads.
 */
@Command(
    name = "benchmark",
    description = {
      "Does the same loads in several ways, by turns and in one JVM, and prints the medians of what"
          + " each took: as a notebook, by Structured Streaming, as written by hand for the case,"
          + " and by Strandline.",
      "A page beside the sample tells what the columns mean."
    })
public final class Benchmark implements Callable<Integer> {
  @Spec private @Nullable CommandSpec command;

  @Option(
      names = "--cases",
      split = ",",
      paramLabel = "LIST",
      description = "The cases, with commas between them; all by default, --list tells which.")
  private List<String> cases = List.of();

  @Option(
      names = "--target-rows",
      split = ",",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "The rows of the target, once or more often; ${DEFAULT-VALUE} by default.")
  private List<Long> targetRows = List.of();

  @Option(
      names = "--increment-rows",
      paramLabel = "N",
      defaultValue = "50000",
      description = "The rows that are new; ${DEFAULT-VALUE} by default.")
  private long incrementRows;

  @Option(
      names = "--advances",
      split = ",",
      paramLabel = "N",
      defaultValue = "0,1000,10000",
      description =
          "How often the watermark of 'advance' was moved before; ${DEFAULT-VALUE} by default.")
  private List<Long> advances = List.of();

  @Option(
      names = "--idle-loads",
      paramLabel = "N",
      defaultValue = "40",
      description = "How many loads case 'idle-loads' runs; ${DEFAULT-VALUE} by default.")
  private int idleLoads;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How often each load is measured; ${DEFAULT-VALUE} by default.")
  private int rounds;

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many rounds come before these, untold; ${DEFAULT-VALUE} by default.")
  private int warmUps;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description =
          "The folder for the tables, of which the large ones are kept for another call. Without it"
              + " everything is gone at the end.")
  private @Nullable Path kept;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "A file for the results of every round, a line of JSON each.")
  private @Nullable Path json;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description = "A setting of Spark, for all contenders; may be given several times.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(names = "--list", description = "Lists the cases, and does nothing else.")
  private boolean isList;

  @Option(names = "--verbose", description = "Shows the stack trace if something fails.")
  @SuppressWarnings("UnusedVariable") // SampleCommand asks for it by its name.
  private boolean isVerbose;

  @Option(names = "--help", usageHelp = true, description = "Shows this help.")
  @SuppressWarnings("UnusedVariable") // Picocli looks at it.
  private boolean isHelp;

  /**
   * Runs the sample and ends the JVM.
   *
   * @param args see {@code --help}
   */
  public static void main(String[] args) {
    System.exit(SampleCommand.run(new Benchmark(), args));
  }

  @Override
  public Integer call() {
    List<BenchmarkCase> asked = askedFor();

    if (isList) {
      asked.forEach(found -> System.out.println(found.name() + ": " + found.story()));
      return CommandLine.ExitCode.OK;
    }

    Path folder = kept;

    try (SampleFolder tables =
            folder == null ? SampleFolder.temporary("benchmark") : SampleFolder.kept(folder);
        ProgressDisplay progress = ProgressDisplay.onTerminal()) {
      progress.begin("Starting Spark");
      SparkSession spark =
          LocalSession.startForLargeTables(
              "benchmark", tables.path(), tables.path().resolve("spark.log"), settings);

      try (ScoreFile file = json == null ? ScoreFile.none() : ScoreFile.at(json)) {
        run(spark, tables.path(), asked, quantities(), progress, file, System.out);
        return CommandLine.ExitCode.OK;
      } finally {
        spark.stop();
      }
    }
  }

  private void run(
      SparkSession spark,
      Path tables,
      List<BenchmarkCase> asked,
      Quantities quantities,
      ProgressDisplay progress,
      ScoreFile file,
      PrintStream out) {
    List<Score> scores = new ArrayList<>();

    try (Workshop workshop = new Workshop(spark, tables, quantities)) {
      Tournament tournament = new Tournament(workshop, progress, warmUps, rounds);

      for (BenchmarkCase played : asked) {
        tournament.play(
            played,
            score -> {
              scores.add(score);
              file.write(score);
            });
      }
    }

    ScoreBoard.of(scores).forEach(out::println);
  }

  private Quantities quantities() {
    return new Quantities(targetRows, incrementRows, advances, idleLoads);
  }

  private List<BenchmarkCase> askedFor() {
    if (rounds < 1 || warmUps < 0 || incrementRows < 1 || idleLoads < 1) {
      throw wrong("There must be a round, a row and a load at least.");
    }

    if (targetRows.stream().anyMatch(rows -> rows < 1)) {
      throw wrong("A target must have a row at least.");
    }

    return cases.isEmpty()
        ? Cases.all()
        : cases.stream()
            .map(
                name ->
                    Cases.named(name)
                        .orElseThrow(
                            () ->
                                wrong(
                                    "There is no case '"
                                        + name
                                        + "'. Cases: "
                                        + Cases.all().stream()
                                            .map(BenchmarkCase::name)
                                            .collect(joining(", "))
                                        + ".")))
            .toList();
  }

  private ParameterException wrong(String message) {
    return new ParameterException(requireNonNull(command).commandLine(), message);
  }
}
