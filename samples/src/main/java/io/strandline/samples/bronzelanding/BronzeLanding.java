package io.strandline.samples.bronzelanding;

import io.strandline.samples.SampleCommand;
import io.strandline.samples.SampleOptions;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Appends files that land in dated folders to bronze tables, each row exactly once.
 *
 * <p>Not for use by several threads.
 */
@Command(
    name = "bronze-landing",
    description = {
      "Appends the rows of files that land in a folder to a bronze table, each exactly once, with"
          + " where each row came from.",
      "The last line of the output is the number of rows appended, for a pipeline to read."
    })
public final class BronzeLanding implements Callable<Integer> {
  @Option(
      names = "--from",
      paramLabel = "DIR",
      description =
          "The folder in which the files land, in folders like year=2026/month=3/day=2. Without it"
              + " the sample brings files of its own, and three days pass.")
  private @Nullable String from;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "PARQUET",
      description = "${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
  private Origin.Format format = Origin.Format.PARQUET;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      defaultValue = "bronze",
      description = "The bronze table; ${DEFAULT-VALUE} by default.")
  private String table = "";

  @Option(
      names = "--system",
      paramLabel = "CODE",
      defaultValue = "AdventureWorks",
      description = "The code of the source system; ${DEFAULT-VALUE} by default.")
  private String system = "";

  @Option(
      names = "--key",
      paramLabel = "COLUMN",
      defaultValue = "AddressID",
      description = "The column with the source's key; ${DEFAULT-VALUE} by default.")
  private String key = "";

  @Option(
      names = "--modified",
      paramLabel = "COLUMN",
      defaultValue = "ModifiedDate",
      description =
          "The column that says when a row was changed last; ${DEFAULT-VALUE} by default.")
  private String modified = "";

  @Option(
      names = "--changes-only",
      description = "Appends only rows that differ from the version of their key before.")
  private boolean isChangesOnly;

  @Mixin private final SampleOptions options = new SampleOptions();

  /**
   * Runs the sample and ends the JVM.
   *
   * @param args see {@code --help}
   */
  public static void main(String[] args) {
    System.exit(SampleCommand.run(new BronzeLanding(), args));
  }

  @Override
  public Integer call() {
    return options.run(
        "bronze-landing",
        (spark, folder, progress) ->
            append(
                new BronzeDays(new BronzeTables(spark, folder.path()), progress, System.out),
                new Lake(spark, folder.path().resolve("landing"))));
  }

  private long append(BronzeDays days, Lake lake) {
    String landing = from;

    if (landing == null) {
      return days.live(lake);
    }

    return days.load(
        new Origin(
            table,
            landing,
            format,
            system,
            key,
            modified,
            isChangesOnly ? Origin.Appended.CHANGES : Origin.Appended.ALL));
  }
}
