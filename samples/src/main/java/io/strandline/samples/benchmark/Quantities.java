package io.strandline.samples.benchmark;

import java.util.List;

/**
 * How much of everything.
 *
 * @param targetRows the rows of the target, for each size
 * @param incrementRows the rows that are new
 * @param advances how many moves the watermark has behind it, for each size
 * @param idleLoads how many loads find nothing, one after the other
 */
record Quantities(List<Long> targetRows, long incrementRows, List<Long> advances, int idleLoads) {
  Quantities {
    targetRows = List.copyOf(targetRows);
    advances = List.copyOf(advances);
  }
}
