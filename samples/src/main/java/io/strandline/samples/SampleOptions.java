package io.strandline.samples;

import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * The options that the samples with tables share, and what they set up: a folder, a progress
 * display and a session.
 *
 * <p>Not for use by several threads.
 */
public final class SampleOptions {
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

  /** What a sample does once Spark has started. */
  @FunctionalInterface
  public interface Story {
    /**
     * Lives through the story.
     *
     * @param spark the session
     * @param folder the folder for the tables
     * @param progress tells on a terminal what is going on
     * @return the number that is printed last, for a pipeline to read
     */
    long live(SparkSession spark, SampleFolder folder, ProgressDisplay progress);
  }

  /**
   * Starts Spark, lives through a story, and prints its number.
   *
   * @param name the name of the sample
   * @param story the story
   * @return the exit status
   */
  public int run(String name, Story story) {
    Path kept = warehouse;

    try (SampleFolder folder =
            kept == null ? SampleFolder.temporary(name) : SampleFolder.kept(kept);
        ProgressDisplay progress = ProgressDisplay.onTerminal()) {
      progress.begin("Starting Spark");
      SparkSession spark =
          LocalSession.start(name, folder.path(), folder.path().resolve("spark.log"));

      try {
        System.out.println(story.live(spark, folder, progress));
        return CommandLine.ExitCode.OK;
      } finally {
        spark.stop();
      }
    }
  }
}
