package io.strandline.target;

import io.strandline.watermark.LoadIdentity;
import java.time.Instant;
import java.util.List;

/**
 * A sweep for a target to make ready.
 *
 * @param identity what the load's receipts are filed under
 * @param sweep how far it may go
 * @param source every row of the source, with the key columns cleaned
 * @param watermarkColumns the source's watermark columns, which say from when on a row holds if
 *     nothing else is declared
 * @param at when the rows were found gone, by the clock of the load
 * @param <D> how the engine holds rows
 */
public record SweepRequest<D>(
    LoadIdentity identity, DeleteSweep sweep, D source, List<String> watermarkColumns, Instant at) {
  /** Copies the list. */
  public SweepRequest {
    watermarkColumns = List.copyOf(watermarkColumns);
  }
}
