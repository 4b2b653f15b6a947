package io.strandline.samples.nightlyorders;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.LoadStep;
import io.strandline.samples.nightlyorders.Nights.Start;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Somebody else lands a file while a run is busy; it belongs to the next run, and is counted once.
 */
@ExtendWith(LakehouseExtension.class)
class SecondWriterTest {
  @TempDir Path folder;

  private SparkSession spark;
  private Path warehouse;
  private Nights nights;
  private List<Path> files;

  @BeforeEach
  void openWarehouse(SparkSession session, Lakehouse lakehouse) throws IOException {
    spark = session;
    warehouse = Path.of(lakehouse.path("warehouse"));
    nights = new Nights(spark, warehouse);
    MadeOrders.writeInto(folder);

    try (Stream<Path> made = Files.list(folder)) {
      files = made.sorted().toList();
    }
  }

  @ParameterizedTest
  @CsvSource({"PLAN, AFTER", "ADVANCE, BEFORE"})
  void rows_landedWhileARunIsBusy_areLoadedByTheNext(LoadStep step, Moment moment) {
    OrderTables secondWriter = new OrderTables(spark.newSession(), warehouse);
    FaultPlan landing = Faults.once(step, moment).runs(() -> secondWriter.land(files.get(1)));

    Start start = nights.start(new FaultyTables(spark, warehouse, landing), files.subList(0, 1));

    assertThat(landing.fired()).isEqualTo(1);
    assertThat(start.printed("read")).containsExactly(lines(0), lines(1));
    assertThat(nights.silver()).isEqualTo(FullPass.over(files.subList(0, 2)));
    assertThat(nights.landed()).isEqualTo(lines(0) + lines(1));
  }

  private long lines(int file) {
    return FullPass.lines(files.subList(file, file + 1)).size();
  }
}
