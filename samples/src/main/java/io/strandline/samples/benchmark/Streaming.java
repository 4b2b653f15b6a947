package io.strandline.samples.benchmark;

import static org.apache.spark.sql.functions.col;

import io.delta.tables.DeltaTable;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamReader;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;

/**
 * Structured Streaming that takes what is there and stops, and merges each batch. Its checkpoint is
 * its watermark, so it knows no lookback.
 */
final class Streaming implements Contender {
  @Override
  public String name() {
    return "streaming";
  }

  @Override
  public TargetLayout layout() {
    return TargetLayout.PLAIN;
  }

  @Override
  public void begin(Scene scene) {
    // The checkpoint is made by the first batch.
  }

  @Override
  public void load(Scene scene) {
    DataStreamReader reader = scene.spark().readStream().format("delta");

    if (!scene.isFirst()) {
      reader = reader.option("startingVersion", scene.range().version());
    }

    try {
      reader
          .load(scene.landedPath())
          .writeStream()
          .option("checkpointLocation", scene.folder().resolve("checkpoint").toString())
          .trigger(Trigger.AvailableNow())
          .foreachBatch((VoidFunction2<Dataset<Row>, Long>) (batch, number) -> merge(batch, scene))
          .start()
          .awaitTermination();
    } catch (TimeoutException | StreamingQueryException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void merge(Dataset<Row> batch, Scene scene) {
    DeltaTable.forPath(batch.sparkSession(), scene.targetPath())
        .as("t")
        .merge(
            scene.shape().cleaned(batch).as("s"),
            col("t." + OrderShape.KEY).equalTo(col("s." + OrderShape.KEY)))
        .whenMatched()
        .updateAll()
        .whenNotMatched()
        .insertAll()
        .execute();
  }
}
