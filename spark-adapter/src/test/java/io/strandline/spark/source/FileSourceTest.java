package io.strandline.spark.source;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class FileSourceTest {
  private static final Instant MONDAY = Instant.parse("2026-06-01T08:00:00Z");
  private static final Instant TUESDAY = Instant.parse("2026-06-02T08:00:00Z");
  private static final Instant WEDNESDAY = Instant.parse("2026-06-03T08:00:00Z");

  private Lakehouse tables;
  private Path folder;
  private FileSource orders;
  private final Follower follower = new Follower();

  @BeforeEach
  void makeFolder(Lakehouse lakehouse) throws IOException {
    tables = lakehouse;
    folder = Files.createDirectories(Path.of(lakehouse.path("landing")));
    orders = files().newFilesBy("etl_files").timedBy(at(WEDNESDAY));
  }

  private FileSource.Files files() {
    return FileSource.json(tables.spark(), folder.toString()).columns("id BIGINT");
  }

  private static Clock at(Instant now) {
    return Clock.fixed(now, ZoneOffset.UTC);
  }

  private Path land(String name, Instant modifiedAt, long... ids) throws IOException {
    StringBuilder lines = new StringBuilder();

    for (long id : ids) {
      lines.append("{\"id\": ").append(id).append("}\n");
    }

    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, lines.toString().getBytes(UTF_8));
    return Files.setLastModifiedTime(file, FileTime.from(modifiedAt));
  }

  @Test
  void run_readsEachFileOnce_whateverItsTime() throws IOException {
    land("b.json", TUESDAY, 2);
    land("c.json", TUESDAY, 3);

    SourcePlan.Planned<Dataset<Row>> first = follower.planned(orders);

    assertThat(first.explanation())
        .isEqualTo(
            "Reads 2 files of "
                + folder
                + " with 20 bytes and moves the watermark from the start to 1.");
    assertThat(first.remainder()).isEqualTo(Remainder.NONE);
    assertThat(follower.run(orders)).containsExactly(2L, 3L);
    assertThat(follower.watermark()).isEqualTo(Watermark.of(1));
    assertThat(follower.plan(orders))
        .isEqualTo(
            new SourcePlan.NothingNew<>(
                folder + " has no files beside the 2 that etl_files knows", 0));

    // Of the same moment; copied with an old time; written again with the same size.
    land("a.json", TUESDAY, 1);
    land("old.json", MONDAY, 4);
    land("c.json", WEDNESDAY.minusSeconds(60), 5);

    assertThat(follower.run(orders)).containsExactly(1L, 4L, 5L);
    assertThat(follower.plan(orders)).isInstanceOf(SourcePlan.NothingNew.class);
    assertThat(tables.spark().table("etl_files").select("batch", "modified_at"))
        .hasRows(
            Rows.columns("batch", "modified_at")
                .row(1L, TUESDAY)
                .row(1L, TUESDAY)
                .row(2L, TUESDAY)
                .row(2L, MONDAY)
                .row(2L, WEDNESDAY.minusSeconds(60)));
  }

  @Test
  void plan_ofAFileThatWasJustWritten_leavesItWaiting() throws IOException {
    land("a.json", TUESDAY, 1);
    land("b.json", WEDNESDAY.minusSeconds(59), 2);

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders);

    assertThat(planned.waiting()).isEqualTo(1);
    assertThat(planned.remainder()).isEqualTo(Remainder.WAITING);
    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 1 file of "
                + folder
                + " with 10 bytes and moves the watermark from the start to 1. 1 file waits until"
                + " it has not been written for PT1M.");
    assertThat(follower.run(orders)).containsExactly(1L);
    assertThat(follower.plan(orders))
        .isEqualTo(
            new SourcePlan.NothingNew<>(
                folder
                    + " has no files beside the 1 that etl_files knows that are finished; 1 file"
                    + " waits until it has not been written for PT1M",
                1));
    assertThat(follower.run(orders.timedBy(at(WEDNESDAY.plusSeconds(1))))).containsExactly(2L);
  }

  @Test
  void run_afterADeathBehindTheLedger_readsTheSameBatchAndTheNext() throws IOException {
    land("a.json", MONDAY, 1);
    assertThat(follower.run(orders)).containsExactly(1L);
    land("b.json", MONDAY, 2);
    SourcePlan.Planned<Dataset<Row>> died = follower.planned(orders);
    assertThat(Follower.ids(died.read().rows())).containsExactly(2L);
    land("c.json", MONDAY, 3);

    SourcePlan.Planned<Dataset<Row>> next = follower.planned(orders);

    assertThat(next.explanation())
        .isEqualTo(
            "Reads 2 files of "
                + folder
                + " with 20 bytes and moves the watermark from 1 to 3. 1 file is of batches that"
                + " were registered before.");
    assertThat(Follower.ids(next.read().rows())).containsExactly(2L, 3L);
    assertThat(Follower.ids(next.read().rows())).as("read again").containsExactly(2L, 3L);
    follower.finish(next);
    assertThat(follower.plan(orders)).isInstanceOf(SourcePlan.NothingNew.class);
  }

  @Test
  void read_ofTwoPlansAtOnce_letsOneOfThemWin() throws IOException {
    land("a.json", MONDAY, 1);
    SourcePlan.Planned<Dataset<Row>> one = follower.planned(orders);
    land("b.json", MONDAY, 2);
    SourcePlan.Planned<Dataset<Row>> other = follower.planned(orders);

    other.read();

    assertThatThrownBy(one::read)
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN))
        .hasMessage(
            "Cannot register files in etl_files: another run has registered other files as batch"
                + " 1. Run the load again, and let only one run at a time be scheduled.");
  }

  @Test
  void read_ofAFileThatIsWrittenMeanwhile_failsAndRegistersNothing() throws IOException {
    Path file = land("a.json", MONDAY, 1);
    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders);
    land("a.json", TUESDAY, 1, 2);

    assertThatThrownBy(planned::read)
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read file:"
                + file
                + ": it was written meanwhile, at 2026-06-02T08:00:00Z. Let files settle for"
                + " longer, or rename them into the folder when they are complete.");
    assertThat(follower.run(orders)).containsExactly(1L, 2L);
    assertThat(follower.watermark()).isEqualTo(Watermark.of(1));
  }

  @Test
  void plan_ofFilesThatAreGone_stopsUnlessEverythingIsReadAgain() throws IOException {
    Path file = land("a.json", MONDAY, 1);
    follower.run(orders);
    land("b.json", MONDAY, 2);
    follower.run(orders);
    land("c.json", MONDAY, 3);
    follower.run(orders);
    Files.delete(folder.resolve("b.json"));

    assertThat(follower.plan(orders)).isInstanceOf(SourcePlan.NothingNew.class);
    assertThat(new Follower().run(orders)).as("from the start").containsExactly(1L, 3L);
    assertThat(file).exists();
    assertThatThrownBy(() -> Follower.at(Watermark.of(1)).plan(orders))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.SOURCE_HISTORY_LOST))
        .hasMessage(
            "Cannot tell the new files of "
                + folder
                + " by etl_files: file:"
                + folder.resolve("b.json")
                + " of batch 2 is gone. Put it back; or call rewind(..) with 2 to go on without"
                + " that batch.");
    assertThat(Follower.at(Watermark.of(2)).run(orders)).containsExactly(3L);
    assertThat(
            Follower.ids(
                ((SourcePlan.Planned<Dataset<Row>>)
                        orders.planBackfill(
                            StreamName.only(),
                            new WatermarkRange(
                                Watermark.start(), Bound.EXCLUSIVE, Watermark.of(1))))
                    .read()
                    .rows()))
        .containsExactly(1L);
  }

  @Test
  void plan_fromAWatermarkThatTheLedgerDoesNotKnow_stops() throws IOException {
    land("a.json", MONDAY, 1);
    follower.run(orders);
    tables.spark().sql("DROP TABLE etl_files");

    assertThatThrownBy(() -> follower.plan(orders))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot tell the new files of "
                + folder
                + " by etl_files: batch 1 was the last one loaded, and the ledger knows none."
                + " Call reload(); or rewind(..) with the number of the last batch, to leave out"
                + " what is lost.");
    assertThatThrownBy(() -> Follower.at(Watermark.at(MONDAY)).plan(orders))
        .hasMessageContaining(
            "the stored watermark is 2026-06-01T08:00:00Z, and batches of files are numbered.");
  }

  @Test
  void plan_withAnAgeLimit_doesNotListOldFolders() throws IOException {
    FileSource dated =
        files()
            .folderColumns("year INT, month INT, day INT")
            .listingDaysBack(1, "year", "month", "day")
            .newFilesBy("etl_files")
            .timedBy(at(WEDNESDAY));
    land("year=2026/month=5/day=30/a.json", MONDAY, 1);
    land("year=2026/month=06/day=02/b.json", MONDAY, 2);

    assertThat(follower.planned(dated).read().rows())
        .hasRows(
            Rows.columns("id", "year", "month", "day")
                .row(1L, 2026L, 5L, 30L)
                .row(2L, 2026L, 6L, 2L));
    follower.finish(follower.planned(dated));
    land("year=2026/month=5/day=31/never.json", MONDAY, 3);
    land("year=2026/month=6/day=1/late.json", MONDAY, 4);

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(dated);

    assertThat(planned.explanation())
        .isEqualTo(
            "Reads 1 file of "
                + folder
                + " with 10 bytes and moves the watermark from 1 to 2. Folders of days before"
                + " 2026-06-01 were not listed.");
    assertThat(Follower.ids(planned.read().rows())).containsExactly(4L);
  }

  @Test
  void read_ofJsonLinesThatDoNotParse_rejectsThem() throws IOException {
    Files.writeString(folder.resolve("a.json"), "{\"id\": 1}\n{\"id\": \"x\"}\n{\"id\":\n");
    Files.setLastModifiedTime(folder.resolve("a.json"), FileTime.from(MONDAY));

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders);

    assertThat(Follower.ids(planned.read().rows())).containsExactly(1L);
    assertThat(
            Follower.rejected(planned.read()).stream()
                .map(row -> row.get("_line") + " | " + row.get("_strandline_reason")))
        .containsExactlyInAnyOrder(
            "{\"id\": \"x\"} | column 'id' holds 'x', which is no BIGINT",
            "{\"id\": | the line does not parse");
  }

  @Test
  void source_describesItselfAndItsMistakes() {
    assertThat(orders).hasToString(folder + " new files by etl_files");
    assertThat(orders.watermarkColumns()).isEmpty();
    assertThatThrownBy(() -> files().columns("id BIGINT WHAT"))
        .hasMessage("Cannot read columns 'id BIGINT WHAT': write names and types as in SQL.");
    assertThatThrownBy(() -> files().settledFor(Duration.ofSeconds(-1)))
        .hasMessage("Cannot settle for PT-1S: it is negative.");
    assertThatThrownBy(() -> files().listingDaysBack(1, "day").newerBy("id"))
        .hasMessage(
            "Cannot leave out old folders of "
                + folder
                + " without a ledger: call newFilesBy(..) instead of newerBy(..).");
    FileSource nowhere =
        FileSource.json(tables.spark(), folder + "/nowhere").columns("id INT").newerBy("id");
    assertThatThrownBy(() -> follower.plan(nowhere))
        .hasMessage(
            "Cannot list the files of "
                + folder
                + "/nowhere: there is no such folder. Make the folder, or correct its name.");
    assertThat(follower.plan(files().newerBy("id")))
        .isEqualTo(new SourcePlan.NothingNew<>(folder + " has no files", 0));
  }
}
