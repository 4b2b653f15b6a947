package io.strandline.samples.benchmark;

import io.strandline.load.IncrementalLoad;
import io.strandline.source.Cursor;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.watermark.Watermark;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Strandline, with its defaults. */
final class Strandline implements Contender {
  @Override
  public String name() {
    return "strandline";
  }

  @Override
  public TargetLayout layout() {
    return TargetLayout.MADE_BY_THE_LOAD;
  }

  @Override
  public void begin(Scene scene) {
    if (!scene.isFirst()) {
      composed(scene).rewind(Watermark.at(scene.range().after()));
    }
  }

  @Override
  public void load(Scene scene) {
    composed(scene).run();
  }

  private static IncrementalLoad<Dataset<Row>> composed(Scene scene) {
    Cursor cursor = Cursor.on(OrderShape.LOADED_AT);
    return IncrementalLoad.named(scene.load())
        .from(
            DeltaTableSource.forPath(scene.spark(), scene.landedPath())
                .newerBy(
                    scene.range().lookback().isZero()
                        ? cursor
                        : cursor.lookback(scene.range().lookback())))
        .cleanedBy(scene.shape()::typed)
        .into(
            DeltaMergeTarget.forPath(scene.spark(), scene.targetPath())
                .matchedOn(OrderShape.KEY)
                .createdIfMissing())
        .trackedIn(DeltaWatermarkStore.forPath(scene.spark(), scene.watermarksPath()))
        .build();
  }
}
