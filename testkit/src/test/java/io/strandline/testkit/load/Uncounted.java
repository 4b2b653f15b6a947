package io.strandline.testkit.load;

import io.strandline.source.IncrementalSource;
import io.strandline.source.Reading;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.WatermarkRange;
import java.util.List;
import java.util.Set;

/** A source that cannot tell afterwards how many rows it gave. */
final class Uncounted implements IncrementalSource<Rows> {
  private final IncrementalSource<Rows> source;

  Uncounted(IncrementalSource<Rows> source) {
    this.source = source;
  }

  @Override
  public String name() {
    return source.name();
  }

  @Override
  public Set<StreamName> streams() {
    return source.streams();
  }

  @Override
  public List<String> watermarkColumns() {
    return source.watermarkColumns();
  }

  @Override
  public String declaration() {
    return source.declaration();
  }

  @Override
  public SourcePlan<Rows> plan(StoredWatermarks stored) {
    return uncounted(source.plan(stored));
  }

  @Override
  public SourcePlan<Rows> planBackfill(StreamName stream, WatermarkRange range) {
    return uncounted(source.planBackfill(stream, range));
  }

  private static SourcePlan<Rows> uncounted(SourcePlan<Rows> plan) {
    if (!(plan instanceof SourcePlan.Planned<Rows> planned)) {
      return plan;
    }

    return new SourcePlan.Planned<>(
        planned.ranges(),
        planned.snapshots(),
        planned.remainder(),
        planned.waiting(),
        planned.explanation(),
        () -> {
          Reading<Rows> reading = planned.read();
          return new Reading<>(
              reading.rows(),
              reading.rejected(),
              () -> {
                throw new IllegalStateException("the connection is gone");
              });
        });
  }
}
