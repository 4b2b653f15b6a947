package io.strandline.testkit.fault;

import io.strandline.load.LoadStep;
import io.strandline.source.IncrementalSource;
import io.strandline.source.Reading;
import io.strandline.source.Rereads;
import io.strandline.source.SourcePlan;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.WatermarkRange;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** A source that fails as planned. */
final class FaultySource<D> implements IncrementalSource<D> {
  private final FaultPlan faults;
  private final IncrementalSource<D> source;

  FaultySource(FaultPlan faults, IncrementalSource<D> source) {
    this.faults = faults;
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
  public List<String> advice() {
    return source.advice();
  }

  @Override
  public Rereads rereads() {
    return source.rereads();
  }

  @Override
  public String declaration() {
    return source.declaration();
  }

  @Override
  public SourcePlan<D> plan(StoredWatermarks stored) {
    return planned(() -> source.plan(stored));
  }

  @Override
  public SourcePlan<D> planBackfill(StreamName stream, WatermarkRange range) {
    return planned(() -> source.planBackfill(stream, range));
  }

  private SourcePlan<D> planned(Supplier<SourcePlan<D>> work) {
    faults.reach(LoadStep.RECOVER, Moment.AFTER);
    SourcePlan<D> plan = faults.during(LoadStep.PLAN, work);

    if (!(plan instanceof SourcePlan.Planned<D> range)) {
      return plan;
    }

    return new SourcePlan.Planned<>(
        range.ranges(),
        range.snapshots(),
        range.remainder(),
        range.waiting(),
        range.explanation(),
        range.warnings(),
        () -> read(range));
  }

  @Override
  public D readAll() {
    faults.reach(LoadStep.CLEAN, Moment.BEFORE);
    D rows = source.readAll();
    faults.reach(LoadStep.CLEAN, Moment.DURING);
    return rows;
  }

  private Reading<D> read(SourcePlan.Planned<D> range) {
    faults.reach(LoadStep.CLEAN, Moment.BEFORE);
    Reading<D> reading = range.read();
    faults.reach(LoadStep.CLEAN, Moment.DURING);
    return reading;
  }
}
