package io.strandline.testkit.fake;

import io.strandline.target.Quarantine;
import io.strandline.testkit.contract.QuarantineContract;
import io.strandline.watermark.LoadName;

class FakeQuarantineContractTest implements QuarantineContract<Rows> {
  @Override
  public Quarantine<Rows> newQuarantine() {
    return FakeQuarantine.named("silver_orders_quarantine");
  }

  @Override
  public Rows rows(Rows rows) {
    return rows;
  }

  @Override
  public Rows kept(Quarantine<Rows> quarantine, LoadName load) {
    return ((FakeQuarantine) quarantine).rows(load);
  }
}
