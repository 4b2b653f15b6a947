package io.strandline.target;

import io.strandline.watermark.LoadName;
import java.time.Instant;
import java.util.List;

/**
 * The cleaned rows of a range, for a target to make ready.
 *
 * @param load the load
 * @param accepted the rows to merge
 * @param rejected the rows that source and cleaner rejected, each with its reason
 * @param watermarkColumns the source's watermark columns, which are the sequence if none is
 *     declared and they survive cleaning
 * @param verb what was asked
 * @param at when the run began, by the clock of the load
 * @param <D> how the engine holds rows
 */
public record StageRequest<D>(
    LoadName load,
    D accepted,
    List<D> rejected,
    List<String> watermarkColumns,
    Verb verb,
    Instant at) {
  /** Copies the lists. */
  public StageRequest {
    rejected = List.copyOf(rejected);
    watermarkColumns = List.copyOf(watermarkColumns);
  }
}
