package io.strandline.target;

import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import java.util.List;
import java.util.Map;

/**
 * What the target's own commit remembers of the run that made it.
 *
 * <p>It holds all that is needed to finish a run that died before its watermark was moved.
 *
 * @param verb what was asked
 * @param identity what the number is filed under
 * @param number the number of the run, from 1
 * @param attempt the random id of the attempt that committed
 * @param ranges for each stream where the run started from, what it read and what it stores
 * @param snapshots what each stream's source was when it was read; a stream may be missing
 * @param remainder whether rows were left behind
 * @param declaration keys, sequence, mode and watermark column as declared
 */
public record Receipt(
    Verb verb,
    LoadIdentity identity,
    long number,
    String attempt,
    List<StreamRange> ranges,
    Map<StreamName, TableSnapshot> snapshots,
    Remainder remainder,
    String declaration) {
  /** Copies the collections. */
  public Receipt {
    ranges = List.copyOf(ranges);
    snapshots = Map.copyOf(snapshots);
  }

  /** Tells whether the run moves the watermark of any stream. */
  public boolean moves() {
    return ranges.stream().anyMatch(StreamRange::moves);
  }

  /**
   * Returns what a stream's source was when it was read.
   *
   * @param stream the stream
   * @return its snapshot; {@link TableSnapshot#unknown()} if the source knows no versions
   */
  public TableSnapshot snapshot(StreamName stream) {
    return snapshots.getOrDefault(stream, TableSnapshot.unknown());
  }
}
