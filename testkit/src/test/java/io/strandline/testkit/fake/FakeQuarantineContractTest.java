package io.strandline.testkit.fake;

import io.strandline.clean.Severity;
import io.strandline.target.Quarantine;
import io.strandline.target.RedrivableQuarantine;
import io.strandline.testkit.contract.RedrivableQuarantineContract;
import io.strandline.watermark.LoadName;

class FakeQuarantineContractTest implements RedrivableQuarantineContract<Rows> {
  @Override
  public RedrivableQuarantine<Rows> newQuarantine() {
    return FakeQuarantine.named("orders_quarantine");
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
  public Rows rejectedAgain(Rows rows, String orderId, String reason) {
    return FakeCleaner.of(row -> row)
        .check(reason, Severity.REJECT, row -> !orderId.equals(row.get("order_id")))
        .separate(rows)
        .rejected()
        .get(0);
  }

  @Override
  public Rows kept(Quarantine<Rows> quarantine, LoadName load) {
    return ((FakeQuarantine) quarantine).rows(load);
  }
}
