package io.strandline.samples;

import static io.strandline.spark.clean.DeclaredColumn.bool;
import static io.strandline.spark.clean.DeclaredColumn.date;
import static io.strandline.spark.clean.DeclaredColumn.decimal;
import static io.strandline.spark.clean.DeclaredColumn.kept;
import static io.strandline.spark.clean.DeclaredColumn.text;
import static io.strandline.spark.clean.DeclaredColumn.timestamp;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.clean.Cleaner;
import io.strandline.clean.Severity;
import io.strandline.spark.clean.DeclaredCleaner;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The code of docs/cleaning.md is the code between the markers of this class. */
@ExtendWith(LakehouseExtension.class)
class CleaningPageTest {
  private static final Path THIS_FILE =
      Path.of("src/test/java/io/strandline/samples/CleaningPageTest.java");
  private static final Path PAGE = Path.of("..", "docs", "cleaning.md");
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern REGION =
      Pattern.compile("// page, from here\n(.*?) *// page, to here\n", Pattern.DOTALL);

  @Test
  void code_onDirtyOrders_cleansThem(Lakehouse lakehouse) {
    // page, from here
    Cleaner<Dataset<Row>> orders =
        DeclaredCleaner.of(
                text("order_id").from("OrderID").trimmed().upperCased().required(),
                date("order_date").from("OrderDate").format("yyyy-MM-dd").format("dd/MM/yyyy"),
                timestamp("shipped_at").from("ShippedAt").inZone(ZoneId.of("Europe/London")),
                decimal("amount", 18, 2).from("Amount").trimmed().emptyAsNull().orElse(0),
                bool("is_gift").from("Gift").spelled(List.of("Y"), List.of("N")),
                kept("_loaded_at"))
            .check("amount < 100000", "the amount is huge", Severity.WARN)
            .check("amount >= 0", "the amount is negative")
            .check("order_date >= '2000-01-01'", "the date is absurd", Severity.FAIL);
    // page, to here
    // page, from here
    Cleaner<Dataset<Row>> both = orders.after(Orders::unpacked).andThen(Orders::enriched);
    // page, to here
    Dataset<Row> dirty =
        lakehouse.dataset(
            "OrderID STRING, OrderDate STRING, ShippedAt STRING, Amount STRING, Gift STRING,"
                + " _loaded_at INT",
            RowFactory.create(" a-17 ", "01/07/2026", "2026-07-01 10:00", "", "y", 1),
            RowFactory.create("a-18", "2026-07-01", null, "-1", "N", 1),
            RowFactory.create("a-19", "2026-02-30", null, "1", "N", 1));

    Row clean = both.clean(dirty).head();

    assertThat(clean.getString(0)).isEqualTo("A-17");
    assertThat(both.clean(dirty).count()).isEqualTo(1);
  }

  @Test
  void page_inItsJavaBlocks_showsTheMarkedCode() throws IOException {
    List<String> blocks = matches(BLOCK, PAGE);

    assertThat(blocks).hasSize(2).isEqualTo(matches(REGION, THIS_FILE));
  }

  private static List<String> matches(Pattern pattern, Path file) throws IOException {
    return pattern
        .matcher(Files.readString(file))
        .results()
        .map(match -> match.group(1).stripTrailing().stripIndent())
        .toList();
  }

  /** The reader's own functions. */
  private static final class Orders {
    private Orders() {}

    static Dataset<Row> unpacked(Dataset<Row> rows) {
      return rows;
    }

    static Dataset<Row> enriched(Dataset<Row> rows) {
      return rows;
    }
  }
}
