package io.strandline.testkit.fault;

import io.strandline.load.LoadStep;
import io.strandline.target.Quarantine;
import io.strandline.target.RejectedRows;

/** A quarantine that fails as planned. */
final class FaultyQuarantine<D> implements Quarantine<D> {
  private final FaultPlan faults;
  private final Quarantine<D> quarantine;

  FaultyQuarantine(FaultPlan faults, Quarantine<D> quarantine) {
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
}
