package io.strandline.spark.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.load.IncrementalLoad;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.TablesInUse;
import io.strandline.spark.source.DeltaChangeFeedSource;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.Deletes;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import scala.Console;

@ExtendWith(LakehouseExtension.class)
class DeltaUpkeepTest {
  private final Lakehouse lakehouse;

  DeltaUpkeepTest(Lakehouse lakehouse) {
    this.lakehouse = lakehouse;
  }

  @Test
  void run_onATableOfSmallFiles_compactsVacuumsAndReports() throws IOException {
    String table = land(1);
    land(2);
    DeltaUpkeep upkeep = DeltaUpkeep.forName(lakehouse.spark(), table).zOrderedBy("id");
    assertThat(upkeep.dueAfterRuns(2).isDue()).isTrue();
    assertThat(upkeep.dueAfterRuns(3).isDue()).isFalse();
    assertThat(upkeep.dueAtSmallFiles(2).isDue()).isTrue();
    assertThat(upkeep.dueAtSmallFiles(3).dueAfterRuns(3).runIfDue()).isEmpty();

    ByteArrayOutputStream console = new ByteArrayOutputStream();
    UpkeepReport report = Console.withOut(console, upkeep::run);

    assertThat(console.size()).as("what is printed beside the report").isZero();
    assertThat(report.before().files()).isEqualTo(2);
    assertThat(report.after().files()).isEqualTo(1);
    assertThat(report.skipped()).isEmpty();
    assertThat(report.warnings()).isEmpty();
    assertThat(report.toString()).startsWith(table + ": 2 files of ").contains(" -> 1 file of ");
    assertThat(lakehouse.spark().table(table).count()).isEqualTo(2);
    assertThat(upkeep.dueAfterRuns(1).isDue()).isFalse();
    DeltaRef ref = DeltaRef.forName(lakehouse.spark(), table);
    Path log = Path.of(URI.create(ref.snapshot().location())).resolve("_delta_log");

    try (Stream<Path> files = Files.list(log)) {
      assertThat(files.map(Path::toString)).anyMatch(file -> file.endsWith(".checkpoint.parquet"));
    }

    UpkeepReport busy = TablesInUse.during(ref, upkeep::run);
    assertThat(busy.skipped()).hasValueSatisfying(reason -> assertThat(reason).contains("writing"));
    assertThat(busy.after()).isEqualTo(busy.before());
  }

  @Test
  void run_onAVersionThatHasACheckpoint_leavesItAsItIs() throws IOException {
    String table = lakehouse.table("bronze");
    lakehouse
        .spark()
        .sql(
            "CREATE TABLE "
                + table
                + " (id BIGINT) USING delta TBLPROPERTIES (delta.checkpointInterval = 1)");
    land(1);
    DeltaSnapshot found = DeltaRef.forName(lakehouse.spark(), table).snapshot();
    Path checkpoint =
        Path.of(URI.create(found.location()))
            .resolve("_delta_log")
            .resolve(String.format(Locale.ROOT, "%020d.checkpoint.parquet", found.version()));
    byte[] written = Files.readAllBytes(checkpoint);

    found.checkpoint();
    UpkeepReport report = DeltaUpkeep.forName(lakehouse.spark(), table).run();

    assertThat(checkpoint).hasBinaryContent(written);
    assertThat(report.after().files()).isEqualTo(1);
  }

  @Test
  void run_thatWouldRetainTooLittle_isRefusedUnlessTheSessionAllowsIt() {
    String table = land(1);
    lakehouse.spark().sql("DELETE FROM " + table);
    DeltaUpkeep hour =
        DeltaUpkeep.forName(lakehouse.spark(), table).retaining(Duration.ofMinutes(59));
    long version = DeltaRef.forName(lakehouse.spark(), table).snapshot().version();

    assertThatThrownBy(hour::run)
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION))
        .hasMessage(
            "Cannot keep up "
                + table
                + ": VACUUM would keep files for 1 hours, and readers that are busy, and change"
                + " feeds, count on 168. Retain more, or set"
                + " spark.databricks.delta.retentionDurationCheck.enabled to false in the session"
                + " if nobody reads older versions.");
    assertThat(DeltaRef.forName(lakehouse.spark(), table).snapshot().version()).isEqualTo(version);
    SparkSession unchecked = lakehouse.spark().newSession();
    unchecked.conf().set("spark.databricks.delta.retentionDurationCheck.enabled", "false");
    UpkeepReport report = DeltaUpkeep.forName(unchecked, table).retaining(Duration.ZERO).run();

    assertThat(report.before().files()).isZero();
    assertThat(report.after().storedBytes()).isPositive();
    assertThat(dataFiles(table)).isZero();
  }

  @Test
  void warnings_aboutAReaderThatLagsAndAPromise_tellBoth() {
    String bronze = lakehouse.table("bronze");
    SparkSession spark = lakehouse.spark();
    spark.sql(
        "CREATE TABLE "
            + bronze
            + " (id BIGINT) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)");
    DeltaWatermarkStore store = DeltaWatermarkStore.forName(spark, lakehouse.table("etl"));
    land(1);
    IncrementalLoad.named("orders")
        .from(DeltaChangeFeedSource.forName(spark, bronze).keyedBy("id"))
        .into(
            DeltaMergeTarget.forName(spark, lakehouse.table("silver"))
                .matchedOn("id")
                .deletedWhen(Deletes.ofChangeFeed())
                .createdIfMissing())
        .trackedIn(store)
        .build()
        .run();
    Instant later = Instant.now().plus(Duration.ofDays(30));
    DeltaUpkeep upkeep =
        DeltaUpkeep.forName(spark, bronze)
            .watching(store)
            .timedBy(Clock.fixed(later, ZoneOffset.UTC));
    assertThat(upkeep.warnings()).isEmpty();

    land(2);

    assertThat(upkeep.promisingTimeTravel(Duration.ofDays(10)).warnings())
        .satisfiesExactly(
            promise -> assertThat(promise).contains("168 hours", "travel back 240 hours"),
            reader ->
                assertThat(reader)
                    .startsWith(
                        "'orders' has read the changes up to version 1, and version 2 was"
                            + " committed 7"));
    assertThat(upkeep.timedBy(Clock.systemUTC()).warnings()).isEmpty();
  }

  private String land(long id) {
    return lakehouse.append("bronze", lakehouse.dataset("id BIGINT", RowFactory.create(id)));
  }

  private long dataFiles(String table) {
    Path folder =
        Path.of(URI.create(DeltaRef.forName(lakehouse.spark(), table).snapshot().location()));

    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".parquet")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
