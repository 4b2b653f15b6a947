package io.strandline.testkit.fake;

import io.strandline.target.Deletes;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.contract.MergeTargetContract;
import java.util.Optional;

class FakeMergeTargetContractTest implements MergeTargetContract<Rows> {
  @Override
  public MergeTarget<Rows> newTarget() {
    return FakeMergeTarget.named("silver_orders").matchedOn("order_id");
  }

  @Override
  public Optional<MergeTarget<Rows>> newTarget(Deletes deletes) {
    return Optional.of(
        FakeMergeTarget.named("silver_orders").matchedOn("order_id").deletedWhen(deletes));
  }

  @Override
  public Rows rows(Rows rows) {
    return rows;
  }

  @Override
  public Rows collect(Rows rows) {
    return rows;
  }

  @Override
  public Rows held(MergeTarget<Rows> target) {
    return ((FakeMergeTarget) target).rows();
  }

  @Override
  public long commits(MergeTarget<Rows> target) {
    return ((FakeMergeTarget) target).commits().size();
  }
}
