package io.strandline.target;

/**
 * What became of the rows that a target was given.
 *
 * @param inserted rows whose key the target did not hold
 * @param updated rows that replaced an older version
 * @param deleted rows of the target that were deleted
 * @param unchanged rows that the target holds already, with equal columns
 * @param superseded rows that lost to a newer row of the same range
 * @param stale rows that are older than what the target holds
 */
public record MergeCounts(
    long inserted, long updated, long deleted, long unchanged, long superseded, long stale) {
  private static final MergeCounts NONE = new MergeCounts(0, 0, 0, 0, 0, 0);

  /** Returns the counts of a merge without rows. */
  public static MergeCounts none() {
    return NONE;
  }

  /** Returns how many rows of the target were inserted, updated or deleted. */
  public long merged() {
    return inserted + updated + deleted;
  }

  /** Returns how many rows the target was given. */
  public long total() {
    return inserted + updated + deleted + unchanged + superseded + stale;
  }
}
