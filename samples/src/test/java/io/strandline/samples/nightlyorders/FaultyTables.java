package io.strandline.samples.nightlyorders;

import io.strandline.source.IncrementalSource;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.watermark.WatermarkStore;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The sample's tables, with faults around the parts of its load. */
final class FaultyTables extends OrderTables {
  private final FaultPlan faults;

  FaultyTables(SparkSession spark, Path warehouse, FaultPlan faults) {
    super(spark, warehouse);
    this.faults = faults;
  }

  @Override
  IncrementalSource<Dataset<Row>> bronze() {
    return faults.wrap(super.bronze());
  }

  @Override
  MergeTarget<Dataset<Row>> silver() {
    return faults.wrap(super.silver());
  }

  @Override
  WatermarkStore watermarks() {
    return faults.wrap(super.watermarks());
  }
}
