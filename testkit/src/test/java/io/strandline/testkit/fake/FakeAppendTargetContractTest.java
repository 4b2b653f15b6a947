package io.strandline.testkit.fake;

import io.strandline.target.MergeTarget;
import io.strandline.testkit.contract.MergeTargetContract;

class FakeAppendTargetContractTest implements MergeTargetContract<Rows> {
  @Override
  public MergeTarget<Rows> newTarget() {
    return FakeAppendTarget.named("bronze_orders");
  }

  @Override
  public boolean recognizesKeys() {
    return false;
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
    return ((FakeAppendTarget) target).rows();
  }

  @Override
  public long commits(MergeTarget<Rows> target) {
    return ((FakeAppendTarget) target).commits().size();
  }
}
