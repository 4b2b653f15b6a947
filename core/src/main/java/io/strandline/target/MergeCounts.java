package io.strandline.target;

/**
 * What became of the rows that a target was given.
 *
 * @param inserted rows whose key the target did not hold
 * @param updated rows that replaced an older version
 * @param deleted rows that deleted one of the target
 * @param unchanged rows that the target holds already, with equal columns
 * @param superseded rows that lost to a newer row of the same range
 * @param stale rows that are older than what the target holds
 * @param swept rows of the target that were deleted because the source no longer has their key; no
 *     row came for them
 */
public record MergeCounts(
    long inserted,
    long updated,
    long deleted,
    long unchanged,
    long superseded,
    long stale,
    long swept) {
  private static final MergeCounts NONE = new MergeCounts(0, 0, 0, 0, 0, 0);

  /**
   * Makes the counts of a merge without a sweep.
   *
   * @param inserted rows whose key the target did not hold
   * @param updated rows that replaced an older version
   * @param deleted rows that deleted one of the target
   * @param unchanged rows that the target holds already, with equal columns
   * @param superseded rows that lost to a newer row of the same range
   * @param stale rows that are older than what the target holds
   */
  public MergeCounts(
      long inserted, long updated, long deleted, long unchanged, long superseded, long stale) {
    this(inserted, updated, deleted, unchanged, superseded, stale, 0);
  }

  /**
   * Returns the same counts with those of a sweep.
   *
   * @param rows rows of the target that the sweep deleted
   * @return the counts
   */
  public MergeCounts sweeping(long rows) {
    return new MergeCounts(inserted, updated, deleted, unchanged, superseded, stale, rows);
  }

  /** Returns the counts of a merge without rows. */
  public static MergeCounts none() {
    return NONE;
  }

  /** Returns how many rows of the target were inserted, updated or deleted. */
  public long merged() {
    return inserted + updated + deleted + swept;
  }

  /** Returns how many rows the target was given. */
  public long total() {
    return inserted + updated + deleted + unchanged + superseded + stale;
  }
}
