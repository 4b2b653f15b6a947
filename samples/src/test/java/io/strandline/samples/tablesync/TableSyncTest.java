package io.strandline.samples.tablesync;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.samples.ProgressDisplay;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.DatasetAssert;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class TableSyncTest {
  private static final Instant MONDAY = Instant.parse("2026-03-02T07:00:00Z");
  private static final Instant TUESDAY = Instant.parse("2026-03-03T07:00:00Z");
  private static final Instant WEDNESDAY = Instant.parse("2026-03-04T07:00:00Z");
  private static final Instant THURSDAY = Instant.parse("2026-03-05T07:00:00Z");

  /** What differs from one start to the next: tokens, folders, how many files and how large. */
  private static final Pattern BY_CHANCE =
      Pattern.compile("[0-9a-f]{16}|\\S*/ODS_LOOKUP|\\d+(\\.\\d+)? (bytes|KiB)|\\d+( files?)? of ");

  @Test
  void days_ofTheStory_syncBothTablesAndPrintThePage(SparkSession spark, Lakehouse lakehouse)
      throws IOException {
    LookupTables tables = new LookupTables(spark, Path.of(lakehouse.path("warehouse")));

    String output = live(tables);

    DatasetAssert.assertThat(tables.codes().drop("_FIVETRAN_SYNCED"))
        .hasRows(
            Rows.columns("LOOKUPID", "DESCRIPTION", "SYNCHDEL", "LASTUPDATED")
                .row("ALM", "Almshouse", 0, WEDNESDAY)
                .row("BED", "Bedsit", 1, THURSDAY)
                .row("BGW", "Detached bungalow", 0, TUESDAY)
                .row("COT", "Cottage", 0, MONDAY)
                .row("DPX", "Duplex", 0, THURSDAY)
                .row("FLT", "Flat", 0, MONDAY)
                .row("HSE", "House", 0, MONDAY)
                .row("HUT", "Hut", 1, THURSDAY)
                .row("LFT", "Loft", 0, WEDNESDAY)
                .row("MAI", "Maisonette", 1, THURSDAY)
                .row("PRE", "Prefab", 1, THURSDAY)
                .row("STU", "Studio", 1, TUESDAY));
    assertThat(output).contains("stopped: ", "which is 40.0 %, and at most 25.0 % are allowed");
    assertThat(output.lines()).last().isEqualTo("7");
    assertThat(comparable(Files.readAllLines(Path.of("table-sync.md"))))
        .containsAll(
            comparable(output.lines().map(line -> ("    " + line).stripTrailing()).toList()));
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void days_startedAgain_goOnWhereTheLastStartEnded(SparkSession spark, Lakehouse lakehouse) {
    LookupTables tables = new LookupTables(spark, Path.of(lakehouse.path("warehouse")));
    live(tables);

    assertThat(live(tables))
        .contains("nothing new")
        .contains("not due")
        .doesNotContain("stopped", "run 5");
  }

  private static String live(LookupTables tables) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    try (PrintStream out = new PrintStream(bytes, true, UTF_8);
        ProgressDisplay progress = ProgressDisplay.none()) {
      out.println(new LookupDays(tables, progress, out).live());
    }

    return bytes.toString(UTF_8);
  }

  private static List<String> comparable(List<String> lines) {
    return lines.stream().map(line -> BY_CHANCE.matcher(line).replaceAll("..")).toList();
  }
}
