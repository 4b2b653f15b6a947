package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.common.base.Splitter;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Watermark;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Real exports, which lie beside the project if they are there; skipped, visibly, if not. */
@ExtendWith(LakehouseExtension.class)
class RealFilesTest {
  private final Follower follower = new Follower();

  private static Path data(String file) {
    Path root = Path.of("").toAbsolutePath();

    while (!Files.isDirectory(root.resolve(".mvn")) && root.getParent() != null) {
      root = root.getParent();
    }

    Path data = root.resolve(Path.of("..", "shared", "data", file)).normalize();
    assumeThat(data).as("a real export, which is no part of the project").exists();
    return data;
  }

  private static FileSource.Files files(SparkSession spark, Path file) {
    return FileSource.csv(spark, file.toString()).settledFor(Duration.ZERO);
  }

  private static Object one(Dataset<Row> rows, String expression) {
    return rows.selectExpr(expression).collectAsList().get(0).get(0);
  }

  @Test
  void adventureWorksOrders_tabsAndNoHeader_readAsTheFileSays(SparkSession spark)
      throws IOException {
    Path file = data("adventureworks/PurchaseOrderHeader.csv");
    Splitter tabs = Splitter.on('\t');
    List<List<String>> lines = Files.readAllLines(file).stream().map(tabs::splitToList).toList();
    FileSource orders =
        files(spark, file)
            .option("header", "false")
            .option("sep", "\t")
            .columns(
                "PurchaseOrderID INT, RevisionNumber TINYINT, Status TINYINT, EmployeeID INT,"
                    + " VendorID INT, ShipMethodID INT, OrderDate TIMESTAMP_NTZ, ShipDate"
                    + " TIMESTAMP_NTZ, SubTotal DECIMAL(19, 4), TaxAmt DECIMAL(19, 4), Freight"
                    + " DECIMAL(19, 4), TotalDue DECIMAL(19, 4), ModifiedDate TIMESTAMP_NTZ")
            .newerBy("ModifiedDate");

    SourcePlan.Planned<Dataset<Row>> plan = follower.planned(orders);
    Dataset<Row> rows = plan.read().rows();

    assertThat(plan.read().rejected()).isEmpty();
    assertThat(plan.read().counts().get().rows()).isEqualTo(lines.size());
    assertThat(one(rows, "sum(TotalDue)"))
        .isEqualTo(
            lines.stream()
                .map(line -> new BigDecimal(line.get(11)))
                .reduce(BigDecimal.ZERO, BigDecimal::add));
    assertThat(one(rows, "count(ShipDate)"))
        .isEqualTo(lines.stream().filter(line -> !line.get(7).isEmpty()).count());
    assertThat(plan.ranges().get(0).next())
        .isEqualTo(
            Watermark.at(
                lines.stream()
                    .map(line -> LocalDateTime.parse(line.get(12).replace(' ', 'T')))
                    .max(LocalDateTime::compareTo)
                    .orElseThrow()));
  }

  @Test
  void sakilaFilms_quotedListsAndEmptyFields_readAsTheFileSays(SparkSession spark)
      throws IOException {
    Path file = data("sakila/film.csv");
    FileSource films =
        files(spark, file)
            .columns(
                "film_id INT, title STRING, original_language_id INT, replacement_cost"
                    + " DECIMAL(5, 2), special_features STRING, last_update TIMESTAMP_NTZ")
            .newFilesBy("etl_files");

    Dataset<Row> rows = follower.planned(films).read().rows();

    assertThat(rows.count()).isEqualTo(Files.readAllLines(file).size() - 1L);
    assertThat(one(rows, "count(original_language_id)")).isEqualTo(0L);
    assertThat(one(rows.where("film_id = 854"), "special_features"))
        .isEqualTo("{Trailers,\"Behind the Scenes\"}");
    assertThat(one(rows, "min(replacement_cost) > 9 AND max(replacement_cost) < 30"))
        .isEqualTo(true);
  }
}
