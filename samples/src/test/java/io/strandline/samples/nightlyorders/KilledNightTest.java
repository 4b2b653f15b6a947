package io.strandline.samples.nightlyorders;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.LoadStep;
import io.strandline.samples.nightlyorders.Nights.Start;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Kills the sample with SIGKILL, and lets the next start go on over what it left. */
@ExtendWith(LakehouseExtension.class)
@Timeout(900)
class KilledNightTest {
  /** The table is made by its first commit, and the first file lands by the second. */
  private static final String FIRST_LANDING = "bronze_orders/1";

  @TempDir Path folder;

  private Path warehouse;
  private Nights nights;
  private List<Path> files;

  @BeforeEach
  void openWarehouse(SparkSession spark, Lakehouse lakehouse) throws IOException {
    warehouse = Path.of(lakehouse.path("warehouse"));
    nights = new Nights(spark, warehouse);
    MadeOrders.writeInto(folder.resolve("orders"));

    try (Stream<Path> made = Files.list(folder.resolve("orders"))) {
      files = made.sorted().toList();
    }
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void night_killedWhileAFileLandsAndAgainRightAfter_landsAndLoadsItOnce() throws Exception {
    kill(StallingLogStore.BEFORE, FIRST_LANDING);

    assertThat(nights.landed()).isZero();

    kill(StallingLogStore.AFTER, FIRST_LANDING);

    assertThat(nights.landed()).isEqualTo(lines(0));

    Start next = nights.start(files.subList(0, 1));

    assertThat(next.timesSaid("landed before")).isEqualTo(1);
    assertThat(next.printed("read")).containsExactly(lines(0));
    assertThat(nights.landed()).isEqualTo(lines(0));
    assertThat(nights.silver()).isEqualTo(FullPass.over(files.subList(0, 1)));
  }

  @Test
  void night_killedBetweenMergeAndAdvance_isFinishedAndMergesNothingTwice() throws Exception {
    ChildProgram.killedWhenItStalls(
        folder.resolve("errors.txt"),
        StallingNights.class,
        Map.of(),
        warehouse.toString(),
        LoadStep.ADVANCE.name(),
        Moment.BEFORE.name(),
        files.get(0).toString());
    long version = nights.silverVersion();

    Start next = nights.start(files.subList(0, 2));

    assertThat(next.timesSaid("finished run 1")).isEqualTo(1);
    assertThat(next.printed("read")).containsExactly(lines(1));
    assertThat(nights.silverVersion()).isEqualTo(version + 1);
    assertThat(nights.silver()).isEqualTo(FullPass.over(files.subList(0, 2)));
  }

  private void kill(String moment, String commit) throws IOException, InterruptedException {
    ChildProgram.killedWhenItStalls(
        folder.resolve("errors.txt"),
        NightlyOrders.class,
        Map.of(StallingLogStore.USED_BY, StallingLogStore.class.getName(), moment, commit),
        "--input",
        folder.resolve("orders").toString(),
        "--warehouse",
        warehouse.toString());
  }

  private long lines(int file) {
    return FullPass.lines(files.subList(file, file + 1)).size();
  }
}
