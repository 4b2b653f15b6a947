package io.strandline.samples.customerhistory;

import io.strandline.samples.SampleCommand;
import io.strandline.samples.SampleOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
  @Mixin private final SampleOptions options = new SampleOptions();

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
    return options.run(
        "customer-history",
        (spark, folder, progress) ->
            new CustomerDays(new CustomerTables(spark, folder.path()), progress, System.out)
                .live());
  }
}
