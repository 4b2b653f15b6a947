package io.strandline.samples.bronzelanding;

import io.strandline.load.LoadResult;
import io.strandline.samples.ProgressDisplay;
import io.strandline.samples.RunReport;
import io.strandline.samples.TextTable;
import java.io.PrintStream;
import java.nio.file.Path;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;

/** The story: day after day files land, are appended, and a person looks at the bronze tables. */
final class BronzeDays {
  private static final int ROWS_SHOWN = 3;

  private final BronzeTables tables;
  private final ProgressDisplay progress;
  private final PrintStream out;
  private final RunReport report;

  BronzeDays(BronzeTables tables, ProgressDisplay progress, PrintStream out) {
    this.tables = tables;
    this.progress = progress;
    this.out = out;
    this.report = new RunReport(out);
  }

  /** Every row of the addresses that land. */
  static Origin addresses(Path folder) {
    return new Origin(
        "bt_aw_address",
        folder.toString(),
        Origin.Format.PARQUET,
        "AdventureWorks",
        "AddressID",
        "ModifiedDate",
        Origin.Appended.ALL);
  }

  /** All customers land every day: only what differs is appended. */
  static Origin customers(Path folder) {
    return new Origin(
        "bt_aw_customer",
        folder.toString(),
        Origin.Format.CSV,
        "AdventureWorks",
        "CustomerID",
        "ModifiedDate",
        Origin.Appended.CHANGES);
  }

  /**
   * Lets the files of every day land, and appends them.
   *
   * @param lake where they land
   * @return how many rows were appended
   */
  long live(Lake lake) {
    Origin addresses = addresses(lake.folder(Delivery.ADDRESS));
    Origin customers = customers(lake.folder(Delivery.CUSTOMER));
    long appended = 0;

    for (Delivery delivery : Delivery.days()) {
      progress.begin("Landing " + delivery.day());
      delivery.files().accept(lake);
      progress.close();
      out.println(delivery.day() + ": " + delivery.story());
      appended += append(addresses);
      appended += append(customers);
    }

    show(addresses.table(), withoutWhatIsTold(tables.rows(addresses)));
    show(customers.table(), withoutWhatIsTold(tables.rows(customers)));
    show(customers.table() + "_quarantine", tables.rejected(customers));
    out.println("what is told of a row");
    tellOf(tables.rows(addresses));
    return appended;
  }

  /**
   * Appends the new files of a folder that somebody else fills.
   *
   * @param origin what lands there
   * @return how many rows were appended
   */
  long load(Origin origin) {
    long appended = append(origin);

    if (appended > 0) {
      show(origin.table(), tables.rows(origin).limit(ROWS_SHOWN));
      out.println("what is told of a row");
      tellOf(tables.rows(origin));
    }

    return appended;
  }

  private long append(Origin origin) {
    LoadResult result = tables.load(origin, progress).run();
    progress.close();
    out.println("  into " + origin.table());
    report.tell(result);

    if (result.notes().waiting() > 0) {
      out.println("  files that wait until they are finished: " + result.notes().waiting());
    }

    return result.counts().inserted();
  }

  private void show(String title, Dataset<Row> rows) {
    out.println(title);
    TextTable.of(rows).forEach(line -> out.println("  " + line));
  }

  private static Dataset<Row> withoutWhatIsTold(Dataset<Row> rows) {
    return rows.drop(
        BronzeColumns.UPDATED_AT,
        BronzeColumns.KEY,
        BronzeColumns.SYSTEM,
        BronzeColumns.YEAR,
        BronzeColumns.MONTH,
        BronzeColumns.DAY,
        BronzeColumns.FILE_PATH);
  }

  /** Shows one row upright: its path is long. */
  private void tellOf(Dataset<Row> rows) {
    Row row =
        rows.select(
                BronzeColumns.TOLD.stream()
                    .map(name -> functions.col(name).cast("string"))
                    .toArray(Column[]::new))
            .head();

    for (String name : BronzeColumns.TOLD) {
      out.printf("  %-18s  %s%n", name, row.<String>getAs(name));
    }
  }
}
