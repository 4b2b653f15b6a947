package io.strandline.samples.benchmark;

import io.strandline.load.IncrementalLoad;
import io.strandline.source.Cursor;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.watermark.Watermark;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
    Instant after = scene.range().after();

    if (!scene.isFirst() && scene.range().lookback().isZero()) {
      // Last night's run, which had one row to look at.
      composed(scene).rewind(Watermark.at(after.minus(1, ChronoUnit.MICROS)));
      composed(scene).run();
    } else if (!scene.isFirst()) {
      composed(scene).rewind(Watermark.at(after));
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
