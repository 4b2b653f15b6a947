package io.strandline.samples.jdbctransactions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.samples.ProgressDisplay;
import io.strandline.spark.source.JdbcDatabase;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class JdbcTransactionsTest {
  private static final int CLERK = 1;

  @Test
  void nights_ofTheShop_loadWhatItHoldsAndWaitForTheClerk(SparkSession spark, Lakehouse lakehouse)
      throws IOException {
    Path warehouse = Files.createDirectories(Path.of(lakehouse.path("warehouse")));
    Shop shop = Shop.in(warehouse);
    TransactionTables tables = new TransactionTables(spark, warehouse);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TransactionNights nights =
        new TransactionNights(
            tables,
            new TransactionTables.Origin(
                JdbcDatabase.at(shop.url()),
                "\"Transactions\"",
                "TransactionID",
                "ModifiedDate",
                ZoneOffset.UTC,
                800),
            ProgressDisplay.none(),
            new PrintStream(out, true, UTF_8));

    long merged = nights.live(shop, 2);

    assertThat(merged).isEqualTo(2_000 + 2 * (50 + 10));
    assertThat(tables.silverRows().count()).isEqualTo(shop.size() - CLERK);
    assertThat(tables.silverRows().where("Status = 'settled'").count()).isEqualTo(20);
    List<String> printed = out.toString(UTF_8).lines().map(String::strip).toList();
    assertThat(printed).contains("Night 2: Transactions holds 2101 rows");
    assertThat(printed).contains("waiting until it has settled: 1");
    assertThat(printed.stream().filter(line -> line.startsWith("run "))).hasSize(5);
    assertThat(countLines(Files.readAllLines(Path.of("jdbc-transactions.md"))))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(countLines(printed)).contains(line));

    assertThat(nights.load()).isZero();
  }

  private static List<String> countLines(List<String> output) {
    return output.stream().map(String::strip).filter(line -> line.matches("[a-z]+ +\\d+")).toList();
  }
}
