package io.strandline.spark.proof;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;

import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** Orders that land day by day in bronze, of which silver holds each row as it landed. */
abstract class OrderCopyLoad extends OrderLoad {
  OrderCopyLoad(SparkSession spark, Path folder, OrderHistory history) {
    super(spark, folder, history);
  }

  @Override
  public void verify(int lastDay) {
    assertThat(read("bronze")).as("landed rows").hasRows(history().landed(lastDay));
    assertThat(read("silver")).as("target").hasRows(history().landed(lastDay));
  }
}
