package io.strandline.samples.jdbctransactions;

import io.strandline.samples.ProgressDisplay;
import io.strandline.samples.SampleCommand;
import io.strandline.samples.SampleFolder;
import io.strandline.samples.SampleOptions;
import io.strandline.spark.source.JdbcDatabase;
import java.time.ZoneId;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Loads the transactions of a database that are new or changed into a Delta table.
 *
 * <p>Not for use by several threads.
 */
@Command(
    name = "jdbc-transactions",
    description = {
      "Loads the rows of a database's table that are new or changed into a Delta table with one row"
          + " per key, in steps.",
      "The last line of the output is the number of rows merged, for a pipeline to read."
    })
public final class JdbcTransactions implements Callable<Integer> {
  /** The environment variable that holds the password. */
  static final String PASSWORD = "STRANDLINE_PASSWORD";

  private static final int NIGHTS = 2;

  @Option(
      names = "--url",
      paramLabel = "JDBC-URL",
      description =
          "The database, without user and password. Drivers of H2 and PostgreSQL are there. Without"
              + " it the sample brings a database of its own, and two nights pass.")
  private @Nullable String url;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description =
          "Who logs in; the password is that of the environment variable " + PASSWORD + ".")
  private @Nullable String user;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      defaultValue = "Transactions",
      description = "The table; ${DEFAULT-VALUE} by default.")
  private String table = "";

  @Option(
      names = "--key",
      paramLabel = "COLUMN",
      defaultValue = "TransactionID",
      description = "Its key; ${DEFAULT-VALUE} by default.")
  private String key = "";

  @Option(
      names = "--modified",
      paramLabel = "COLUMN",
      defaultValue = "ModifiedDate",
      description =
          "The column that says when a row was changed last; ${DEFAULT-VALUE} by default.")
  private String modified = "";

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      defaultValue = "UTC",
      description = "The zone of that column, if it has none; ${DEFAULT-VALUE} by default.")
  private ZoneId zone = ZoneId.of("UTC");

  @Option(
      names = "--at-most",
      paramLabel = "ROWS",
      defaultValue = "800",
      description = "The most rows of a step; ${DEFAULT-VALUE} by default.")
  private long mostRows;

  @Mixin private final SampleOptions options = new SampleOptions();

  /**
   * Runs the sample and ends the JVM.
   *
   * @param args see {@code --help}
   */
  public static void main(String[] args) {
    System.exit(SampleCommand.run(new JdbcTransactions(), args));
  }

  @Override
  public Integer call() {
    return options.run(
        "jdbc-transactions",
        (spark, folder, progress) ->
            load(new TransactionTables(spark, folder.path()), folder, progress));
  }

  private long load(TransactionTables tables, SampleFolder folder, ProgressDisplay progress) {
    String given = url;

    if (given != null) {
      return nights(tables, given, table, progress).load();
    }

    Shop shop = Shop.in(folder.path());
    return nights(tables, shop.url(), "\"Transactions\"", progress).live(shop, NIGHTS);
  }

  private TransactionNights nights(
      TransactionTables tables, String at, String name, ProgressDisplay progress) {
    JdbcDatabase database = JdbcDatabase.at(at);
    String who = user;
    TransactionTables.Origin origin =
        new TransactionTables.Origin(
            who == null
                ? database
                : database.loggedInAs(
                    who, () -> Objects.requireNonNullElse(System.getenv(PASSWORD), "")),
            name,
            key,
            modified,
            zone,
            mostRows);
    return new TransactionNights(tables, origin, progress, System.out);
  }
}
