package io.strandline.samples.tablesync;

import io.strandline.samples.LocalSession;
import io.strandline.samples.ProgressDisplay;
import io.strandline.samples.SampleCommand;
import io.strandline.samples.SampleFolder;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Syncs two landing tables of codes into one, day after day, deletes included.
 *
 * <p>Not for use by several threads.
 */
@Command(
    name = "table-sync",
    description = {
      "Lands the codes of an estate agency as a connector does, those in use and those of the past, and"
          + " loads what is new of both into one table: deletes too, whether they are flagged or"
          + " not.",
      "The last line of the output is the number of codes that are not deleted, for a pipeline to"
          + " read."
    })
public final class TableSync implements Callable<Integer> {
  @Option(
      names = "--warehouse",
      paramLabel = "DIR",
      description =
          "The folder for the tables, which is kept: another start goes on where this one ended."
              + " Without it everything is gone at the end.")
  private @Nullable Path warehouse;

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
    System.exit(SampleCommand.run(new TableSync(), args));
  }

  @Override
  public Integer call() {
    Path kept = warehouse;

    try (SampleFolder folder =
            kept == null ? SampleFolder.temporary("table-sync") : SampleFolder.kept(kept);
        ProgressDisplay progress = ProgressDisplay.onTerminal()) {
      progress.begin("Starting Spark");
      SparkSession spark =
          LocalSession.start("table-sync", folder.path(), folder.path().resolve("spark.log"));

      try {
        LookupTables tables = new LookupTables(spark, folder.path());
        System.out.println(new LookupDays(tables, progress, System.out).live());
        return CommandLine.ExitCode.OK;
      } finally {
        spark.stop();
      }
    }
  }
}
