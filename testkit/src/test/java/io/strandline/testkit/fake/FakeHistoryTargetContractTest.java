package io.strandline.testkit.fake;

import io.strandline.target.MergeTarget;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.contract.Orders;

class FakeHistoryTargetContractTest implements MergeTargetContract<Rows> {
  @Override
  public MergeTarget<Rows> newTarget() {
    return FakeHistoryTarget.named("dim_order").matchedOn("order_id");
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
    Rows rows = ((FakeHistoryTarget) target).rows();
    return rows.isEmpty() ? Orders.none() : rows.select("order_id", "item", "loaded_at");
  }

  @Override
  public Rows current(MergeTarget<Rows> target) {
    Rows rows = ((FakeHistoryTarget) target).rows();
    return rows.filter(row -> Boolean.TRUE.equals(row.get("is_current")))
        .select("order_id", "item", "loaded_at");
  }

  @Override
  public long commits(MergeTarget<Rows> target) {
    return ((FakeHistoryTarget) target).commits().size();
  }
}
