package io.strandline.target;

import io.strandline.watermark.LoadName;

/**
 * A quarantine that can give rows back, to go through their load once more.
 *
 * <p>An entry waits from when it is put here until it is redriven. An entry that is redriven is
 * kept, and known: its row, seen again, is not stored again.
 *
 * @param <D> how the engine holds rows
 */
public interface RedrivableQuarantine<D> extends Quarantine<D> {

  /**
   * Takes up the entries of a load that wait; writes nothing.
   *
   * <p>If an earlier redrive has begun and never finished, these are its entries alone.
   *
   * @param load the load
   * @return the entries as they are now, whatever becomes of the quarantine meanwhile
   * @throws io.strandline.problem.Problem if they cannot be read
   */
  Redrive<D> redrive(LoadName load);
}
