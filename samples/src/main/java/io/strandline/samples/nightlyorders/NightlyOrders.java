package io.strandline.samples.nightlyorders;

import static io.strandline.spark.clean.DeclaredColumn.bool;
import static io.strandline.spark.clean.DeclaredColumn.decimal;
import static io.strandline.spark.clean.DeclaredColumn.integer;
import static io.strandline.spark.clean.DeclaredColumn.kept;
import static io.strandline.spark.clean.DeclaredColumn.localTimestamp;
import static io.strandline.spark.clean.DeclaredColumn.text;
import static java.util.Objects.requireNonNull;

import io.strandline.clean.Cleaner;
import io.strandline.clean.Severity;
import io.strandline.samples.SampleCommand;
import io.strandline.samples.SampleOptions;
import io.strandline.spark.clean.DeclaredCleaner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Lands a file of orders every night, and loads what is new into a table with one row per line of
 * an invoice.
 *
 * <p>Not for use by several threads.
 */
@Command(
    name = "nightly-orders",
    description = {
      "Lands files of orders in a bronze table, one a night, and loads what is new into a silver"
          + " table with one clean row per line of an invoice.",
      "The last line of the output is the number of rows merged, for a pipeline to read."
    })
public final class NightlyOrders implements Callable<Integer> {
  @Spec private @Nullable CommandSpec command;

  @Option(
      names = "--input",
      paramLabel = "DIR",
      description =
          "A folder of CSV files with InvoiceNo, StockCode, Description, Quantity, InvoiceDate,"
              + " UnitPrice, CustomerID and Country; each is one night, by the order of their"
              + " names. Without it the sample makes its own orders, three days of them.")
  private @Nullable Path input;

  @Mixin private final SampleOptions options = new SampleOptions();

  /**
   * Runs the sample and ends the JVM.
   *
   * @param args see {@code --help}
   */
  public static void main(String[] args) {
    System.exit(SampleCommand.run(new NightlyOrders(), args));
  }

  /**
   * Gives every row the columns and types of silver.
   *
   * <p>A line without invoice, product, quantity, date or price, or with one that is no number or
   * date, is of no use: it goes to the quarantine as it came, with the reason. A line that is given
   * away is loaded, and the run tells how many there were.
   */
  static Cleaner<Dataset<Row>> cleaner() {
    return DeclaredCleaner.of(
            text("invoice_no").from("InvoiceNo").trimmed().upperCased().required(),
            text("stock_code").from("StockCode").trimmed().upperCased().required(),
            text("description").from("Description").trimmed().emptyAsNull(),
            integer("quantity").from("Quantity").trimmed().required(),
            localTimestamp("invoice_date").from("InvoiceDate").trimmed().required(),
            decimal("unit_price", 18, 2).from("UnitPrice").trimmed().required(),
            text("customer_id")
                .fromExpression("regexp_replace(CustomerID, '\\\\.0 *$', '')")
                .trimmed()
                .emptyAsNull(),
            text("country").from("Country").trimmed().emptyAsNull(),
            bool("is_cancellation").fromExpression("upper(trim(InvoiceNo)) LIKE 'C%'"),
            kept("_loaded_at"))
        .check("unit_price > 0", "the price is not above zero", Severity.WARN);
  }

  @Override
  public Integer call() {
    Path given = input;
    List<Path> files = given == null ? List.of() : csvFiles(given);

    return options.run(
        "nightly-orders",
        (spark, folder, progress) ->
            new OrderNights(new OrderTables(spark, folder.path()), progress, System.out)
                .live(given == null ? ownOrders(folder.path()) : files));
  }

  private List<Path> ownOrders(Path folder) {
    Path orders = folder.resolve("orders");
    MadeOrders.writeInto(orders);
    return csvFiles(orders);
  }

  private List<Path> csvFiles(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw wrong("There is no folder " + folder + ".");
    }

    try (Stream<Path> files = Files.list(folder)) {
      List<Path> csv = files.filter(file -> file.toString().endsWith(".csv")).sorted().toList();

      if (csv.isEmpty()) {
        throw wrong("There is no CSV file in folder " + folder + ".");
      }

      return csv;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(requireNonNull(command).commandLine(), message);
  }
}
