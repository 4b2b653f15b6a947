package io.strandline.samples.customerhistory;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.load.RowCounts;
import io.strandline.samples.ProgressDisplay;
import io.strandline.samples.TextTable;
import io.strandline.spark.target.HistoryAudit;
import io.strandline.spark.target.Landed;
import java.io.PrintStream;
import java.time.LocalDate;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The story: day after day the shop hears of its customers, and a person looks at the history. */
final class CustomerDays {
  private static final LocalDate ASKED_FOR = LocalDate.of(2026, 3, 16);

  private final CustomerTables tables;
  private final ProgressDisplay progress;
  private final PrintStream out;

  CustomerDays(CustomerTables tables, ProgressDisplay progress, PrintStream out) {
    this.tables = tables;
    this.progress = progress;
    this.out = out;
  }

  /**
   * Lands and loads every day.
   *
   * @return how many versions there are in the end
   */
  long live() {
    IncrementalLoad<Dataset<Row>> customers = tables.load(progress);

    for (Heard heard : Heard.days()) {
      progress.begin("Landing " + heard.day());
      Landed landed = tables.land(heard.day(), heard.rows());
      progress.close();
      out.println(
          heard.day()
              + (landed.isNew()
                  ? " landed " + landed.rows() + " rows: " + heard.story()
                  : " landed before"));
      tell(customers.run());
    }

    show("customers as they were on " + ASKED_FOR, tables.asOf(ASKED_FOR));
    HistoryAudit audit = tables.audit();
    out.println(
        audit.isSound()
            ? "sound: "
                + audit.versions()
                + " versions of "
                + audit.keys()
                + " customers, "
                + audit.current()
                + " of them current"
            : audit.toString());
    return audit.versions();
  }

  private void tell(LoadResult result) {
    progress.close();

    if (result instanceof LoadResult.Committed committed) {
      RowCounts rows = committed.counts();
      out.printf("  run %d%n", committed.number());
      count("read", rows.read());
      count("inserted", rows.inserted());
      count("updated", rows.updated());
      count("deleted", rows.deleted());
      count("unchanged", rows.unchanged());
      show("  dim_customer", tables.versions());
    } else if (result instanceof LoadResult.NothingNew nothing) {
      out.println("  nothing new: " + nothing.explanation());
    }

    result.notes().warnings().forEach(warning -> out.println("  warning: " + warning));
  }

  private void count(String what, long rows) {
    out.printf("    %-10s %8d%n", what, rows);
  }

  private void show(String title, Dataset<Row> rows) {
    out.println(title);
    TextTable.of(rows).forEach(line -> out.println("    " + line));
  }
}
