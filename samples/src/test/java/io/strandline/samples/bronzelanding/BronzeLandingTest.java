package io.strandline.samples.bronzelanding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.load.LoadStep;
import io.strandline.samples.ProgressDisplay;
import io.strandline.source.IncrementalSource;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.fault.ProcessDeath;
import io.strandline.testkit.spark.DatasetAssert;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.WatermarkStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class BronzeLandingTest {
  private static final Pattern FOLDER_OF_THE_LAKE = Pattern.compile("file:\\S*/landing/");

  private SparkSession spark;
  private Path warehouse;
  private Lake lake;

  @BeforeEach
  void makeLake(SparkSession session, Lakehouse lakehouse) {
    spark = session;
    warehouse = Path.of(lakehouse.path("warehouse"));
    lake = new Lake(session, warehouse.resolve("landing"));
    // Times become text in the zone of the session.
    session.conf().set("spark.sql.session.timeZone", "UTC");
  }

  @Test
  void days_ofTheStory_appendEachRowOnceAndPrintThePage() throws IOException {
    BronzeTables tables = new BronzeTables(spark, warehouse);

    String output = live(tables);

    DatasetAssert.assertThat(
            tables
                .rows(addresses())
                .select(
                    "source_businesskey",
                    "source_system",
                    "ingestion_date",
                    "ingestion_year",
                    "ingestion_month",
                    "ingestion_day",
                    "ingestion_filename"))
        .hasRows(
            Rows.columns(
                    "source_businesskey",
                    "source_system",
                    "ingestion_date",
                    "ingestion_year",
                    "ingestion_month",
                    "ingestion_day",
                    "ingestion_filename")
                .row("1", "AdventureWorks", march(2), 2026, 3, 2, "address-1.parquet")
                .row("2", "AdventureWorks", march(2), 2026, 3, 2, "address-1.parquet")
                .row("3", "AdventureWorks", march(2), 2026, 3, 2, "address-late.parquet")
                .row("2", "AdventureWorks", march(3), 2026, 3, 3, "address-2.parquet")
                .row("4", "AdventureWorks", march(3), 2026, 3, 3, "address-2.parquet"));
    DatasetAssert.assertThat(
            tables
                .rows(customers())
                .select("CustomerID", "Phone", "source_updated_at", "ingestion_date"))
        .hasRows(
            Rows.columns("CustomerID", "Phone", "source_updated_at", "ingestion_date")
                .row("1", "245-555-0173", Instant.parse("2026-02-20T08:00:00Z"), march(2))
                .row("2", "170-555-0127", Instant.parse("2026-02-21T09:30:00Z"), march(2))
                .row("3", "279-555-0130", Instant.parse("2026-02-25T10:00:00Z"), march(2))
                .row("2", "170-555-0199", Instant.parse("2026-03-02T16:10:00Z"), march(3))
                .row("4", "710-555-0173", Instant.parse("2026-03-02T12:00:00Z"), march(3))
                .row("5", "828-555-0186", Instant.parse("2026-03-03T09:00:00Z"), march(4)));
    assertThat(comparable(Files.readAllLines(Path.of("bronze-landing.md"))))
        .containsAll(
            comparable(output.lines().map(line -> ("    " + line).stripTrailing()).toList()));

    String again = live(tables);

    assertThat(again).contains("nothing new").doesNotContain("run 4");
    assertThat(again.lines()).last().isEqualTo("0");
  }

  @Test
  void file_thatWasStillBeingWritten_isAppendedOnceItIsFinished() throws IOException {
    BronzeTables tables = new BronzeTables(spark, warehouse);
    Delivery.days().forEach(delivery -> delivery.files().accept(lake));
    tables.load(addresses(), event -> {}).run();
    Path late =
        lake.folder(Delivery.ADDRESS)
            .resolve(Path.of("year=2026", "month=3", "day=4", "address-3.parquet"));
    Files.setLastModifiedTime(late, FileTime.from(Instant.parse("2026-03-04T20:00:00Z")));

    assertThat(tables.load(addresses(), event -> {}).run().counts().inserted()).isEqualTo(1);
    assertThat(tables.rows(addresses()).where("source_businesskey = '5'").count()).isEqualTo(1);
  }

  @Test
  void load_thatDiesOnTheWay_appendsEachRowOnce() {
    Delivery.days().get(0).files().accept(lake);

    for (FaultPlan faults :
        List.of(
            Faults.none().once(LoadStep.CLEAN, Moment.DURING).dies(),
            Faults.none().once(LoadStep.MERGE, Moment.AFTER).dies())) {
      assertThatThrownBy(() -> faulty(faults).load(addresses(), event -> {}).run())
          .isInstanceOf(ProcessDeath.class);
    }

    BronzeTables tables = new BronzeTables(spark, warehouse);
    tables.load(addresses(), event -> {}).run();

    assertThat(tables.rows(addresses()).count()).isEqualTo(2);
  }

  private BronzeTables faulty(FaultPlan faults) {
    return new BronzeTables(spark, warehouse) {
      @Override
      IncrementalSource<Dataset<Row>> files(Origin origin) {
        return faults.wrap(super.files(origin));
      }

      @Override
      MergeTarget<Dataset<Row>> bronze(Origin origin) {
        return faults.wrap(super.bronze(origin));
      }

      @Override
      WatermarkStore watermarks() {
        return faults.wrap(super.watermarks());
      }
    };
  }

  private Origin addresses() {
    return BronzeDays.addresses(lake.folder(Delivery.ADDRESS));
  }

  private Origin customers() {
    return BronzeDays.customers(lake.folder(Delivery.CUSTOMER));
  }

  private String live(BronzeTables tables) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    try (PrintStream out = new PrintStream(bytes, true, UTF_8);
        ProgressDisplay progress = ProgressDisplay.none()) {
      out.println(new BronzeDays(tables, progress, out).live(lake));
    }

    return bytes.toString(UTF_8);
  }

  private static List<String> comparable(List<String> lines) {
    return lines.stream()
        .map(line -> FOLDER_OF_THE_LAKE.matcher(line).replaceAll("../landing/"))
        .toList();
  }

  private static LocalDate march(int day) {
    return LocalDate.of(2026, 3, day);
  }
}
