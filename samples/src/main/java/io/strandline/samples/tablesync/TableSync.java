package io.strandline.samples.tablesync;

import io.strandline.samples.SampleCommand;
import io.strandline.samples.SampleOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
  @Mixin private final SampleOptions options = new SampleOptions();

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
    return options.run(
        "table-sync",
        (spark, folder, progress) ->
            new LookupDays(new LookupTables(spark, folder.path()), progress, System.out).live());
  }
}
