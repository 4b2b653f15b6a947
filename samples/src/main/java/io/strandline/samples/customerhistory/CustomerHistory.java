package io.strandline.samples.customerhistory;

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
 * Lands what a shop hears of its customers, day after day, and keeps the history of each.
 *
 * <p>Not for use by several threads.
 */
@Command(
    name = "customer-history",
    description = {
      "Lands what a shop hears of its customers in a bronze table, and loads what is new into a table"
          + " with every version of every customer and the time in which it held.",
      "The last line of the output is the number of versions, for a pipeline to read."
    })
public final class CustomerHistory implements Callable<Integer> {
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
    System.exit(SampleCommand.run(new CustomerHistory(), args));
  }

  @Override
  public Integer call() {
    Path kept = warehouse;

    try (SampleFolder folder =
            kept == null ? SampleFolder.temporary("customer-history") : SampleFolder.kept(kept);
        ProgressDisplay progress = ProgressDisplay.onTerminal()) {
      progress.begin("Starting Spark");
      SparkSession spark =
          LocalSession.start("customer-history", folder.path(), folder.path().resolve("spark.log"));

      try {
        CustomerTables tables = new CustomerTables(spark, folder.path());
        System.out.println(new CustomerDays(tables, progress, System.out).live());
        return CommandLine.ExitCode.OK;
      } finally {
        spark.stop();
      }
    }
  }
}
