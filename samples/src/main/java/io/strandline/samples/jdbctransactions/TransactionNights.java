package io.strandline.samples.jdbctransactions;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.samples.ProgressDisplay;
import io.strandline.samples.RunReport;
import java.io.PrintStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The story: what is new is loaded in steps, night after night, and a person is told. */
final class TransactionNights {
  private static final int ROWS_SHOWN = 3;

  private final TransactionTables tables;
  private final TransactionTables.Origin origin;
  private final ProgressDisplay progress;
  private final PrintStream out;
  private final RunReport report;

  TransactionNights(
      TransactionTables tables,
      TransactionTables.Origin origin,
      ProgressDisplay progress,
      PrintStream out) {
    this.tables = tables;
    this.origin = origin;
    this.progress = progress;
    this.out = out;
    this.report = new RunReport(out);
  }

  /**
   * Loads what is new, in as many steps as it takes.
   *
   * @return how many rows were merged
   */
  long load() {
    IncrementalLoad<Dataset<Row>> transactions = tables.load(origin, progress);
    long merged = 0;
    LoadResult result = tell(transactions.run());

    while (result.rowsMerged() > 0) {
      merged += result.rowsMerged();
      result = tell(transactions.run());
    }

    if (result instanceof LoadResult.NothingNew && merged > 0) {
      show();
    }

    return merged;
  }

  /**
   * Lives through the nights of a shop.
   *
   * @param shop the shop
   * @param nights how many
   * @return how many rows were merged
   */
  long live(Shop shop, int nights) {
    out.println("Transactions holds " + shop.size() + " rows");
    long merged = load();

    for (int night = 1; night <= nights; night++) {
      shop.passNight();

      if (night == nights) {
        shop.writeOneNow();
      }

      out.println("Night " + night + ": Transactions holds " + shop.size() + " rows");
      merged += load();
    }

    return merged;
  }

  private LoadResult tell(LoadResult result) {
    progress.close();
    report.tell(result);

    if (result.notes().waiting() > 0) {
      out.println("  waiting until it has settled: " + result.notes().waiting());
    }

    return result;
  }

  private void show() {
    report.show(
        "transactions_silver",
        tables
            .silverRows()
            .orderBy(org.apache.spark.sql.functions.desc(origin.key()))
            .limit(ROWS_SHOWN));
    report.show("load_control", tables.controlRows().select("TableName", "LastWatermark"));
  }
}
