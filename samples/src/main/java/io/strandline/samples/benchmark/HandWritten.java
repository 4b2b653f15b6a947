package io.strandline.samples.benchmark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;

import io.delta.tables.DeltaTable;
import java.time.Instant;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * The best load that was written by hand for each case, by somebody who knows where its keys lie,
 * and without any safety: no version is pinned, no crash is recovered from, nothing is counted.
 *
 * <ul>
 *   <li>One query tells whether there is anything, the largest load time, and the least and the
 *       greatest key.
 *   <li>The MERGE says these keys as literals, where that leaves files out.
 *   <li>The target has deletion vectors, the watermark table a partition for each load.
 *   <li>Of rows that are read again only those are merged that differ from the target's.
 *   <li>A first load appends.
 * </ul>
 */
final class HandWritten implements Contender {
  @Override
  public String name() {
    return "handwritten";
  }

  @Override
  public TargetLayout layout() {
    return TargetLayout.DELETION_VECTORS;
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
    Column key = scene.shape().landedKey();
    Row found = fresh.agg(count(lit(1)), max(OrderShape.LOADED_AT), min(key), max(key)).first();

    if (found.getLong(0) == 0) {
      return;
    }

    Dataset<Row> rows =
        scene.shape().cleaned(fresh.filter(col(OrderShape.LOADED_AT).leq(lit(found.get(1)))));

    if (scene.isFirst()) {
      rows.write().format("delta").mode("append").save(scene.targetPath());
    } else {
      merge(scene, rows, found);
    }

    watermarks(scene).update(scene.load(), WatermarkRows.time(found.get(1)));
  }

  private static void merge(Scene scene, Dataset<Row> rows, Row found) {
    Column stored = col("t." + OrderShape.KEY);
    Column bounds =
        scene.range().keys() == Scene.KeyPlaces.TOGETHER
            ? stored.between(lit(found.get(2)), lit(found.get(3)))
            : lit(true);
    Dataset<Row> changed =
        scene.range().lookback().isZero() ? rows : changed(rows, scene.targetRows(), bounds);
    DeltaTable.forPath(scene.spark(), scene.targetPath())
        .as("t")
        .merge(changed.as("s"), stored.equalTo(col("s." + OrderShape.KEY)).and(bounds))
        .whenMatched()
        .updateAll()
        .whenNotMatched()
        .insertAll()
        .execute();
  }

  private static Dataset<Row> changed(Dataset<Row> rows, Dataset<Row> target, Column bounds) {
    return rows.as("r")
        .join(
            target.as("t").filter(bounds),
            col("r." + OrderShape.KEY)
                .equalTo(col("t." + OrderShape.KEY))
                .and(col("r." + OrderShape.LOADED_AT).equalTo(col("t." + OrderShape.LOADED_AT))),
            "left_anti");
  }

  private static WatermarkRows watermarks(Scene scene) {
    return WatermarkRows.partitioned(scene.spark(), scene.watermarks());
  }
}
