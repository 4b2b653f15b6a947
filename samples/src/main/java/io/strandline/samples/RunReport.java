package io.strandline.samples;

import io.strandline.load.LoadResult;
import io.strandline.load.RowCounts;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import java.io.PrintStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Tells a person what a run did. */
public final class RunReport {
  private final PrintStream out;

  /**
   * Makes a report.
   *
   * @param out where it is printed
   */
  public RunReport(PrintStream out) {
    this.out = out;
  }

  /**
   * Tells what a run did, indented by two blanks.
   *
   * @param result the result of the run
   */
  public void tell(LoadResult result) {
    result
        .notes()
        .recovered()
        .ifPresent(
            receipt ->
                out.println(
                    "  finished run "
                        + receipt.number()
                        + ", which had merged its rows and died before its watermark was moved"));

    if (result instanceof LoadResult.Committed committed) {
      tell(committed);
    } else if (result instanceof LoadResult.NothingNew nothing) {
      out.println("  nothing new: " + nothing.explanation());
    }

    result.notes().warnings().forEach(warning -> out.println("  warning: " + warning));
  }

  private void tell(LoadResult.Committed run) {
    RowCounts rows = run.counts();
    out.printf("  run %d%n", run.number());
    count("read", rows.read());
    count("inserted", rows.inserted());
    count("updated", rows.updated());
    countAny("deleted", rows.deleted());
    count("unchanged", rows.unchanged());
    count("superseded", rows.superseded());
    count("stale", rows.stale());
    count("rejected", rows.rejected());
    count("filtered", rows.filtered());
    countAny("swept", rows.swept());
    run.ranges().forEach(this::tell);
  }

  private void tell(StreamRange range) {
    String stream = range.stream().equals(StreamName.only()) ? "" : " of " + range.stream();
    String move =
        range.next().equals(range.stored())
            ? " stays at " + range.stored()
            : " " + range.stored() + " -> " + range.next();
    out.println("  watermark" + stream + move);
  }

  /** Not every target deletes. */
  private void countAny(String what, long rows) {
    if (rows > 0) {
      count(what, rows);
    }
  }

  private void count(String what, long rows) {
    out.printf("    %-10s %8d%n", what, rows);
  }

  /**
   * Shows rows of a table.
   *
   * @param table its name
   * @param rows the rows, few enough to be held in memory
   */
  public void show(String table, Dataset<Row> rows) {
    out.println("  " + table);
    TextTable.of(rows).forEach(line -> out.println("    " + line));
  }
}
