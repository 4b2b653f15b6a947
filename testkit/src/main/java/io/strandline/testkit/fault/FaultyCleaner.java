package io.strandline.testkit.fault;

import io.strandline.clean.Cleaned;
import io.strandline.clean.Cleaner;
import io.strandline.load.LoadStep;
import java.util.List;

/** A cleaner that fails as planned; where the source is wrapped too, that one is asked first. */
final class FaultyCleaner<D> implements Cleaner<D> {
  private final FaultPlan faults;
  private final Cleaner<D> cleaner;

  FaultyCleaner(FaultPlan faults, Cleaner<D> cleaner) {
    this.faults = faults;
    this.cleaner = cleaner;
  }

  @Override
  public D clean(D rows) {
    faults.reach(LoadStep.CLEAN, Moment.DURING);
    return cleaner.clean(rows);
  }

  @Override
  public Cleaned<D> separate(D rows) {
    faults.reach(LoadStep.CLEAN, Moment.DURING);
    return cleaner.separate(rows);
  }

  @Override
  public D cleanKeys(D rows, List<String> keys) {
    return cleaner.cleanKeys(rows, keys);
  }
}
