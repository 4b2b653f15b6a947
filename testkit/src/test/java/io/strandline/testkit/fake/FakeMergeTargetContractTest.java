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
  public Optional<MergeTarget<Rows>> newTarget(Clause clause) {
    FakeMergeTarget target = (FakeMergeTarget) newTarget();
    return Optional.of(
        switch (clause) {
          case INSERTING_ONLY -> target.insertingOnly();
          case UPDATING_ONLY -> target.updatingOnly();
          case INSERTING_APPLES -> target.insertingWhen("item", "apples");
          case UPDATING_APPLES -> target.updatingWhen("item", "apples");
          case UPDATING_ITEM -> target.updating("item");
          case KEEPING_WHERE_NULL -> target.keepingWhereNull();
          case STAMPING_CHANGES -> target.stampingChanges("changed_at");
        });
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
