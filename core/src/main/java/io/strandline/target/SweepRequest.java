package io.strandline.target;

import io.strandline.watermark.LoadIdentity;

/**
 * A sweep for a target to make ready.
 *
 * @param identity what the load's receipts are filed under
 * @param sweep how far it may go
 * @param source every row of the source, with the key columns cleaned
 * @param <D> how the engine holds rows
 */
public record SweepRequest<D>(LoadIdentity identity, DeleteSweep sweep, D source) {}
