package io.strandline.samples.customerhistory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.samples.ProgressDisplay;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.DatasetAssert;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class CustomerHistoryTest {
  @Test
  void days_ofTheStory_giveTheHistoryOfThePage(SparkSession spark, Lakehouse lakehouse)
      throws IOException {
    CustomerTables tables = new CustomerTables(spark, Path.of(lakehouse.path("warehouse")));

    String output = live(tables);

    DatasetAssert.assertThat(tables.versions().drop("phone"))
        .hasRows(
            Rows.columns("customer_id", "name", "city", "valid_from", "valid_to", "is_current")
                .row(1, "Ada", "Oslo", march(1), march(4), false)
                .row(1, "Ada", "Nice", march(4), march(10), false)
                .row(1, "Ada", "Basel", march(10), null, true)
                .row(2, "Bo", "Rome", march(1), march(15), false)
                .row(2, "Bo", "Rome", march(18), null, true)
                .row(3, "Cleo", "Kiel", march(1), march(5), false)
                .row(3, "Cleo", "Lyon", march(5), march(20), false)
                .row(3, "Cleo", "Kiel", march(20), null, true));
    assertThat(tables.audit().isSound()).isTrue();
    List<String> page = Files.readAllLines(Path.of("customer-history.md"));
    assertThat(page)
        .containsAll(output.lines().map(line -> ("    " + line).stripTrailing()).toList());

    assertThat(live(tables)).contains("nothing new").doesNotContain("run 6");
  }

  private static String live(CustomerTables tables) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    try (PrintStream out = new PrintStream(bytes, true, UTF_8);
        ProgressDisplay progress = ProgressDisplay.none()) {
      out.println(new CustomerDays(tables, progress, out).live());
    }

    return bytes.toString(UTF_8);
  }

  private static LocalDate march(int day) {
    return LocalDate.of(2026, 3, day);
  }
}
