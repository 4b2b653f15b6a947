package io.strandline.testkit.fault;

import io.strandline.load.LoadStep;
import io.strandline.target.CheckFinding;
import io.strandline.target.MergeOutcome;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.Receipt;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.SweepRequest;
import io.strandline.target.TargetStanding;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.util.List;

/** A target that fails as planned. */
final class FaultyTarget<D> implements MergeTarget<D> {
  private final FaultPlan faults;
  private final MergeTarget<D> target;

  FaultyTarget(FaultPlan faults, MergeTarget<D> target) {
    this.faults = faults;
    this.target = target;
  }

  @Override
  public String name() {
    return target.name();
  }

  @Override
  public String declaration() {
    return target.declaration();
  }

  @Override
  public Repeats repeats() {
    return target.repeats();
  }

  @Override
  public Quarantine<D> quarantine() {
    return faults.wrap(target.quarantine());
  }

  @Override
  public TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen) {
    if (faults.current() == LoadStep.MERGE) {
      // Asked what became of a merge that failed, which is no step of its own.
      return target.standing(identity, lastSeen);
    }

    faults.reach(LoadStep.RECOVER, Moment.BEFORE);
    TargetStanding standing = target.standing(identity, lastSeen);
    faults.reach(LoadStep.RECOVER, Moment.DURING);
    return standing;
  }

  @Override
  public StagedMerge<D> stage(StageRequest<D> request) {
    return staged(target.stage(request));
  }

  @Override
  public StagedMerge<D> stage(StageRequest<D> request, SweepRequest<D> sweep) {
    return staged(target.stage(request, sweep));
  }

  @Override
  public StagedMerge<D> stage(SweepRequest<D> sweep) {
    return staged(target.stage(sweep));
  }

  @Override
  public List<String> keys() {
    return target.keys();
  }

  @Override
  public List<String> advice() {
    return target.advice();
  }

  private StagedMerge<D> staged(StagedMerge<D> staged) {
    faults.reach(LoadStep.CLEAN, Moment.AFTER);
    return new Staged(staged);
  }

  /** Rows whose merge fails as planned. */
  private final class Staged implements StagedMerge<D> {
    private final StagedMerge<D> staged;

    private Staged(StagedMerge<D> staged) {
      this.staged = staged;
    }

    @Override
    public long accepted() {
      return staged.accepted();
    }

    @Override
    public long rejectedRows() {
      return staged.rejectedRows();
    }

    @Override
    public List<D> rejected() {
      return staged.rejected();
    }

    @Override
    public List<CheckFinding> warned() {
      return staged.warned();
    }

    @Override
    public List<CheckFinding> failed() {
      return staged.failed();
    }

    @Override
    public MergeOutcome merge(Receipt receipt) {
      return faults.during(LoadStep.MERGE, () -> staged.merge(receipt));
    }
  }
}
