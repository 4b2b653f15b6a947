package io.strandline.clean;

import java.util.List;

/** A cleaner, and another one for what it accepts. */
record CleanerPair<D>(Cleaner<D> first, Cleaner<D> second) implements Cleaner<D> {

  @Override
  public D clean(D rows) {
    return second.clean(first.clean(rows));
  }

  @Override
  public Cleaned<D> separate(D rows) {
    Cleaned<D> once = first.separate(rows);
    return second.separate(once.accepted()).rejecting(once.rejected());
  }

  @Override
  public D cleanKeys(D rows, List<String> keys) {
    return second.cleanKeys(first.cleanKeys(rows, keys), keys);
  }
}
