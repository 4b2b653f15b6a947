package io.strandline.source;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.WatermarkRange;
import java.util.List;
import java.util.Set;

/**
 * Plans which rows are new since the stored watermark, and reads exactly those.
 *
 * <p>Planning writes nothing. Implementations are immutable and safe for use by several threads.
 *
 * @param <D> how the engine holds rows
 */
public interface IncrementalSource<D> {

  /** Returns the name of the source for messages, such as that of its table; no secrets. */
  String name();

  /** Returns the streams that have a watermark of their own; most sources have the only one. */
  Set<StreamName> streams();

  /**
   * Returns the columns that the watermark is measured by, left to right.
   *
   * @return the names as the source's rows have them; empty if no column of the rows tells
   */
  List<String> watermarkColumns();

  /**
   * Tells whether a run may read rows that an earlier run has read, which a target without a key
   * would hold twice.
   *
   * @return whether it may; unless overridden {@link Rereads#NEVER}, for sources that know by
   *     themselves what was read, such as by versions
   */
  default Rereads rereads() {
    return Rereads.NEVER;
  }

  /** Returns what is remembered of this source's declaration, to notice when it changes. */
  String declaration();

  /**
   * Fixes the range that comes after the stored watermark, and the version of the source to read.
   *
   * @param stored what the store holds
   * @return the range to read, or why there is nothing to read
   * @throws Problem if the source cannot be planned: an unknown table or column, another table than
   *     last time, history that is lost
   */
  SourcePlan<D> plan(StoredWatermarks stored);

  /**
   * Fixes a given range, whatever the store holds, for a backfill.
   *
   * @param stream the stream to read
   * @param range the range
   * @return the range to read, or why there is nothing to read
   * @throws Problem if the source cannot be planned
   */
  SourcePlan<D> planBackfill(StreamName stream, WatermarkRange range);

  /**
   * Says what would make it cheaper to find what is new. Nothing is changed.
   *
   * @return sentences for people, without secrets; none unless overridden
   */
  default List<String> advice() {
    return List.of();
  }

  /**
   * Reads every row that the source holds now, whatever the watermark, for a sweep.
   *
   * @return the rows, not computed yet; of those that a range read before holds, none is missing
   *     unless it is gone meanwhile
   * @throws Problem of kind {@code BAD_CONFIGURATION} if the source cannot tell all its rows, as it
   *     does unless overridden
   */
  default D readAll() {
    throw new Problem(
        ProblemKind.BAD_CONFIGURATION,
        "sweep what is gone from " + name(),
        "the source cannot tell which rows it holds in all",
        "Leave swept(..) away, or read from a source that can.");
  }
}
