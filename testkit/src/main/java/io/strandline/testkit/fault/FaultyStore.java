package io.strandline.testkit.fault;

import io.strandline.load.LoadStep;
import io.strandline.watermark.Advance;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.NumberKeeping;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamMove;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.WatermarkStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/** A store that fails as planned. */
final class FaultyStore implements WatermarkStore {
  private final FaultPlan faults;
  private final WatermarkStore store;

  /** Whether the next look at the store is one at what an advance has left, and no new run. */
  private final AtomicBoolean isReadBack = new AtomicBoolean();

  FaultyStore(FaultPlan faults, WatermarkStore store) {
    this.faults = faults;
    this.store = store;
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public String identity() {
    return store.identity();
  }

  @Override
  public NumberKeeping numberKeeping() {
    return store.numberKeeping();
  }

  @Override
  public StoredWatermarks last(LoadName load, Set<StreamName> streams) {
    return isReadBack.getAndSet(false)
        ? store.last(load, streams)
        : faults.during(LoadStep.READ, () -> store.last(load, streams));
  }

  @Override
  public void preflight(LoadName load, List<StreamRange> ranges) {
    store.preflight(load, ranges);
  }

  @Override
  public void advance(Advance advance) {
    try {
      if (isRecovery(advance)) {
        store.advance(advance);
        isReadBack.set(true);
      } else {
        faults.during(LoadStep.ADVANCE, () -> moved(advance));
      }
    } catch (Exception e) {
      isReadBack.set(true);
      throw e;
    }
  }

  /**
   * Tells whether a move finishes a run that died, which belongs to the step RECOVER. A rewind goes
   * on to ADVANCE from there too, but with a number that the store knows already.
   */
  private boolean isRecovery(Advance advance) {
    Set<StreamName> streams =
        advance.moves().stream().map(StreamMove::stream).collect(Collectors.toSet());
    return faults.current() == LoadStep.RECOVER
        && store.numberKeeping() != NumberKeeping.NONE
        && advance.number() > store.last(advance.load(), streams).highest();
  }

  private Advance moved(Advance advance) {
    store.advance(advance);
    return advance;
  }
}
