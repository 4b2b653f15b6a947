package io.strandline.samples;

import java.io.PrintStream;
import java.util.List;

/** Lists the samples; runs when none is named, or one that does not exist. */
public final class Samples {
  /** The property that names the sample to run. */
  static final String NAMED_BY = "sample";

  private static final int UNKNOWN = 2;

  private static final List<Sample> ALL =
      List.of(
          new Sample(
              "jdbc-transactions",
              "Loads what is new or changed in a database's table, in steps, night after night."),
          new Sample(
              "bronze-landing",
              "Appends files that land in dated folders to bronze tables, each row once, with where"
                  + " it came from."),
          new Sample(
              "nightly-orders",
              "Lands days of messy orders as they come, and keeps one clean row per invoice line."),
          new Sample(
              "customer-history",
              "Keeps every version of every customer with the days in which it held, whatever the"
                  + " order in which the shop hears of it."),
          new Sample(
              "table-sync",
              "Syncs two landing tables into one, carries deletes out, and asks before it deletes"
                  + " much."),
          new Sample(
              "replay-cases",
              "Replays failures that people met, written down as data, and compares what comes"
                  + " out."),
          new Sample(
              "benchmark",
              "Does the same loads as a notebook, by Structured Streaming, by hand and by"
                  + " Strandline, and tells what each took."));

  private Samples() {}

  /**
   * Lists the samples; ends the JVM with status 2 if the property {@code sample} names none of
   * them.
   *
   * @param args are not looked at
   */
  public static void main(String[] args) {
    int status = list(System.getProperty(NAMED_BY, ""), System.out, System.err);

    if (status != 0) {
      System.exit(status);
    }
  }

  /**
   * Lists the samples.
   *
   * @param asked the name that was asked for; blank if none was
   * @return the exit status
   */
  static int list(String asked, PrintStream out, PrintStream err) {
    boolean isUnknown = !asked.isBlank();

    if (isUnknown) {
      err.println("There is no sample '" + asked + "'.");
    }

    PrintStream list = isUnknown ? err : out;
    list.println("Samples:");

    for (Sample sample : ALL) {
      list.println();
      list.println("  " + sample.name());
      list.println("    " + sample.story());
      list.println("    mvn -q compile exec:java -Dsample=" + sample.name());
    }

    list.println();
    list.println("Arguments go into -Dexec.args=\"...\"; --help tells which there are.");
    return isUnknown ? UNKNOWN : 0;
  }

  private record Sample(String name, String story) {}
}
