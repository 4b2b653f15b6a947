package io.strandline.samples.tablesync;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.samples.ProgressDisplay;
import io.strandline.samples.RunReport;
import java.io.PrintStream;
import java.time.Clock;
import java.time.ZoneOffset;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The story: day after day the connector syncs, the load runs, and a person looks. */
final class LookupDays {
  private final LookupTables tables;
  private final ProgressDisplay progress;
  private final PrintStream out;
  private final RunReport report;

  LookupDays(LookupTables tables, ProgressDisplay progress, PrintStream out) {
    this.tables = tables;
    this.progress = progress;
    this.out = out;
    this.report = new RunReport(out);
  }

  /**
   * Lands and loads every day, and keeps the target up in the end.
   *
   * @return how many codes there are then, without the deleted ones
   */
  long live() {
    Synced.days().forEach(this::live);
    progress.begin("Keeping up");
    String kept = tables.upkeep().runIfDue().map(Object::toString).orElse("not due");
    progress.close();
    out.println("upkeep");
    out.println("  " + kept);
    return tables.living();
  }

  private void live(Synced synced) {
    progress.begin("Landing " + synced.day());
    synced.tables().forEach((table, rows) -> tables.land(table, synced.day(), rows));
    progress.close();
    out.println(synced.day() + ": " + synced.story());
    tell(run(tables.load(Clock.fixed(synced.loadedAt(), ZoneOffset.UTC), progress)));
  }

  /** Runs the load; if it stops to ask, a person looks at the source and approves. */
  private LoadResult run(IncrementalLoad<Dataset<Row>> lookup) {
    try {
      return lookup.run();
    } catch (LoadException stopped) {
      String token = stopped.approval().orElseThrow(() -> stopped);
      progress.close();
      out.println("  stopped: " + stopped.getMessage());
      report.show("SYNCHDATES", tables.dates());
      out.println("  somebody asks, hears that the archive was cleared out, and approves");
      return lookup.approving(token).run();
    }
  }

  private void tell(LoadResult result) {
    progress.close();
    report.tell(result);

    if (result instanceof LoadResult.Committed) {
      report.show("ODS_LOOKUP", tables.codes());
      report.show("SYNCHDATES", tables.dates());
    }
  }
}
