package io.strandline.target;

import io.strandline.watermark.TableSnapshot;

/** What a merge did. */
public sealed interface MergeOutcome {

  /** Returns what became of the rows. */
  MergeCounts counts();

  /** Returns what the target is now. */
  TableSnapshot snapshot();

  /**
   * Rows and receipt were committed, in one commit.
   *
   * @param counts what became of the rows
   * @param snapshot what the target was after the commit
   */
  record Committed(MergeCounts counts, TableSnapshot snapshot) implements MergeOutcome {}

  /**
   * No row would have changed and the watermark does not move, so nothing was committed.
   *
   * @param counts what became of the rows
   * @param snapshot what the target is
   */
  record NothingToDo(MergeCounts counts, TableSnapshot snapshot) implements MergeOutcome {}
}
