package io.strandline.testkit.load;

import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.TargetStanding;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;

/** A target that at some point no longer answers. */
final class Silent implements MergeTarget<Rows> {
  private final MergeTarget<Rows> target;
  private boolean isSilent;

  Silent(MergeTarget<Rows> target) {
    this.target = target;
  }

  void fallSilent() {
    isSilent = true;
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
  public Quarantine<Rows> quarantine() {
    return target.quarantine();
  }

  @Override
  public TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen) {
    if (isSilent) {
      throw new IllegalStateException("no route to the storage");
    }

    return target.standing(identity, lastSeen);
  }

  @Override
  public StagedMerge<Rows> stage(StageRequest<Rows> request) {
    return target.stage(request);
  }
}
