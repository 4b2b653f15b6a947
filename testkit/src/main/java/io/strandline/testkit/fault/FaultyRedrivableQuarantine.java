package io.strandline.testkit.fault;

import io.strandline.load.LoadStep;
import io.strandline.target.RedrivableQuarantine;
import io.strandline.target.Redrive;
import io.strandline.target.RejectedRows;
import io.strandline.watermark.LoadName;
import java.util.List;

/** A quarantine that can give rows back, and fails as planned. */
final class FaultyRedrivableQuarantine<D> implements RedrivableQuarantine<D> {
  private final FaultPlan faults;
  private final RedrivableQuarantine<D> quarantine;

  FaultyRedrivableQuarantine(FaultPlan faults, RedrivableQuarantine<D> quarantine) {
    this.faults = faults;
    this.quarantine = quarantine;
  }

  @Override
  public String name() {
    return quarantine.name();
  }

  @Override
  public long put(RejectedRows<D> rows) {
    return faults.during(LoadStep.REJECT, () -> quarantine.put(rows));
  }

  @Override
  public Redrive<D> redrive(LoadName load) {
    return faults.during(LoadStep.PLAN, () -> new Redriving(quarantine.redrive(load)));
  }

  /** Entries whose marks fail as planned. */
  private final class Redriving implements Redrive<D> {
    private final Redrive<D> entries;

    private Redriving(Redrive<D> entries) {
      this.entries = entries;
    }

    @Override
    public String id() {
      return entries.id();
    }

    @Override
    public boolean isBegun() {
      return entries.isBegun();
    }

    @Override
    public long rows() {
      return entries.rows();
    }

    @Override
    public List<D> raw() {
      return entries.raw();
    }

    @Override
    public List<D> cleaned() {
      return entries.cleaned();
    }

    @Override
    public D union(List<D> parts) {
      return entries.union(parts);
    }

    @Override
    public void begin(List<D> rejected) {
      faults.during(
          LoadStep.REJECT,
          () -> {
            entries.begin(rejected);
            return entries;
          });
    }

    @Override
    public void finish(String attempt) {
      faults.during(
          LoadStep.ADVANCE,
          () -> {
            entries.finish(attempt);
            return entries;
          });
    }
  }
}
