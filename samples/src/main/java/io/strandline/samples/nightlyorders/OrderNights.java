package io.strandline.samples.nightlyorders;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.load.RowCounts;
import io.strandline.samples.ProgressDisplay;
import io.strandline.samples.TextTable;
import io.strandline.spark.target.Landed;
import io.strandline.watermark.StreamRange;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The story: night after night a file lands, what is new is loaded, and a person is told. */
final class OrderNights {
  private static final int ROWS_SHOWN = 3;

  private final OrderTables tables;
  private final ProgressDisplay progress;
  private final PrintStream out;

  OrderNights(OrderTables tables, ProgressDisplay progress, PrintStream out) {
    this.tables = tables;
    this.progress = progress;
    this.out = out;
  }

  /**
   * Lands and loads files.
   *
   * @param files the files, one landing each, in the order in which they came
   * @return how many rows were merged
   */
  long live(List<Path> files) {
    IncrementalLoad<Dataset<Row>> orders = tables.load(progress);
    long merged = 0;

    if (tables.hasLanded()) {
      out.println("What the last start left behind");
      merged += tell(orders.run());
    }

    for (Path file : files) {
      if (land(file)) {
        merged += tell(orders.run());
        tell(orders.run());
      }
    }

    return merged;
  }

  private boolean land(Path file) {
    progress.begin("Landing " + file.getFileName());
    Landed landed = tables.land(file);
    progress.close();
    out.println(
        file.getFileName()
            + (landed.isNew()
                ? " landed " + landed.rows() + " rows at " + landed.loadedAt()
                : " landed before, at " + landed.loadedAt()));
    return landed.isNew();
  }

  private long tell(LoadResult result) {
    progress.close();
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
    return result.rowsMerged();
  }

  private void tell(LoadResult.Committed run) {
    RowCounts rows = run.counts();
    out.printf("  run %d%n", run.number());
    count("read", rows.read());
    count("inserted", rows.inserted());
    count("updated", rows.updated());
    count("unchanged", rows.unchanged());
    count("superseded", rows.superseded());
    count("stale", rows.stale());
    count("rejected", rows.rejected());
    count("filtered", rows.filtered());

    for (StreamRange range : run.ranges()) {
      out.println("  watermark " + range.stored() + " -> " + range.next());
    }

    show(
        "silver_orders",
        tables
            .silverRows()
            .select("invoice_no", "stock_code", "description", "quantity", "unit_price")
            .orderBy("invoice_no", "stock_code")
            .limit(ROWS_SHOWN));
    show("etl_watermark", tables.watermarkRows().select("table_name", "last_value", "updated_at"));
  }

  private void count(String what, long rows) {
    out.printf("    %-10s %8d%n", what, rows);
  }

  private void show(String table, Dataset<Row> rows) {
    out.println("  " + table);
    TextTable.of(rows).forEach(line -> out.println("    " + line));
  }
}
