package io.strandline.samples.benchmark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;

import io.delta.tables.DeltaTable;
import java.time.Instant;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * The notebook of an article on watermarks, translated line by line: is there anything, MERGE, the
 * largest load time, the watermark's UPDATE, and how many rows it was.
 */
final class Notebook implements Contender {
  @Override
  public String name() {
    return "notebook";
  }

  @Override
  public TargetLayout layout() {
    return TargetLayout.PLAIN;
  }

  @Override
  public void begin(Scene scene) {
    watermarks(scene).put(scene.load(), scene.range().after());
  }

  @Override
  public void load(Scene scene) {
    Instant last = watermarks(scene).last(scene.load());
    Dataset<Row> fresh =
        scene
            .landedRows()
            .filter(col(OrderShape.LOADED_AT).gt(lit(last.minus(scene.range().lookback()))));

    if (fresh.isEmpty()) {
      return;
    }

    Dataset<Row> rows = scene.shape().cleaned(fresh);
    DeltaTable.forPath(scene.spark(), scene.targetPath())
        .as("t")
        .merge(rows.as("s"), col("t." + OrderShape.KEY).equalTo(col("s." + OrderShape.KEY)))
        .whenMatched()
        .updateAll()
        .whenNotMatched()
        .insertAll()
        .execute();

    Object high = fresh.agg(max(OrderShape.LOADED_AT)).first().get(0);
    watermarks(scene).update(scene.load(), WatermarkRows.time(high));

    rows.count();
  }

  private static WatermarkRows watermarks(Scene scene) {
    return WatermarkRows.unpartitioned(scene.spark(), scene.watermarks());
  }
}
