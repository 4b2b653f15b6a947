package io.strandline.load;

import io.strandline.clean.Cleaner;
import io.strandline.source.IncrementalSource;
import io.strandline.target.DeleteSweep;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.WatermarkStore;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a load is composed of. */
record Parts<D>(
    LoadName name,
    IncrementalSource<D> source,
    Cleaner<D> cleaner,
    MergeTarget<D> target,
    WatermarkStore store,
    Quarantine<D> quarantine,
    List<LoadListener> listeners,
    LoadLog log,
    Clock clock,
    Retries retries,
    Redeclaration redeclaration,
    @Nullable DeleteSweep sweep,
    double largestRejectedShare) {

  /** Returns the same parts with another sweep. */
  Parts<D> sweptBy(DeleteSweep newSweep) {
    return new Parts<>(
        name,
        source,
        cleaner,
        target,
        store,
        quarantine,
        listeners,
        log,
        clock,
        retries,
        redeclaration,
        newSweep,
        largestRejectedShare);
  }

  /** Returns what is remembered to notice a changed declaration. */
  String declaration() {
    return target.declaration() + "; " + source.declaration();
  }
}
