package io.strandline.samples.nightlyorders;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.samples.ProgressDisplay;
import io.strandline.samples.RunReport;
import io.strandline.spark.target.Landed;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The story: night after night a file lands, what is new is loaded, and a person is told. */
final class OrderNights {
  private static final int ROWS_SHOWN = 3;
  private static final int REASONS_SHOWN = 3;

  private final OrderTables tables;
  private final ProgressDisplay progress;
  private final PrintStream out;
  private final RunReport report;

  OrderNights(OrderTables tables, ProgressDisplay progress, PrintStream out) {
    this.tables = tables;
    this.progress = progress;
    this.out = out;
    this.report = new RunReport(out);
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
    report.tell(result);

    if (result instanceof LoadResult.Committed) {
      report.show(
          "silver_orders",
          tables
              .silverRows()
              .select("invoice_no", "stock_code", "description", "quantity", "unit_price")
              .orderBy("invoice_no", "stock_code")
              .limit(ROWS_SHOWN));
      report.show(
          "etl_watermark", tables.watermarkRows().select("table_name", "last_value", "updated_at"));
    }

    if (result.counts().rejected() > 0) {
      report.show("silver_orders_quarantine", tables.reasons().limit(REASONS_SHOWN));
    }

    return result.rowsMerged();
  }
}
