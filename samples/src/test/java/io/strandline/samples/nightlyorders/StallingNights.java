package io.strandline.samples.nightlyorders;

import io.strandline.load.LoadStep;
import io.strandline.samples.LocalSession;
import io.strandline.samples.ProgressDisplay;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** The sample in a JVM of its own, standing still at a step of its load until it is killed. */
final class StallingNights {
  private StallingNights() {}

  /**
   * Runs the sample.
   *
   * @param args the warehouse, the step, the moment in the step, and the files
   */
  public static void main(String[] args) {
    Path warehouse = Path.of(args[0]);
    FaultPlan faults =
        Faults.once(LoadStep.valueOf(args[1]), Moment.valueOf(args[2])).runs(ChildProgram::stall);
    List<Path> files = Arrays.stream(args).skip(3).map(Path::of).toList();
    SparkSession spark =
        LocalSession.start("stalling-nights", warehouse, warehouse.resolve("spark.log"));
    OrderTables tables = new FaultyTables(spark, warehouse, faults);
    long merged = new OrderNights(tables, ProgressDisplay.none(), System.out).live(files);
    System.out.println(merged);
    spark.stop();
  }
}
