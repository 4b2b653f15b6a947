package io.strandline.load;

/**
 * What became of every row that a run read; the parts add up to what was read.
 *
 * @param read rows that the source gave
 * @param inserted rows whose key the target did not hold
 * @param updated rows that replaced an older version
 * @param deleted rows that deleted one of the target's
 * @param unchanged rows that the target held already
 * @param superseded rows that lost to a newer row of the same range
 * @param stale rows that were older than what the target held
 * @param rejected rows that were put into the quarantine, or were there already
 * @param filtered rows that the user's own cleaner dropped
 * @param swept rows of the target that were deleted because the source no longer has their key;
 *     none of those that were read, so no part of the sum
 */
public record RowCounts(
    long read,
    long inserted,
    long updated,
    long deleted,
    long unchanged,
    long superseded,
    long stale,
    long rejected,
    long filtered,
    long swept) {
  private static final RowCounts NONE = new RowCounts(0, 0, 0, 0, 0, 0, 0, 0, 0);

  /**
   * Makes the counts of a run without a sweep.
   *
   * @param read rows that the source gave
   * @param inserted rows whose key the target did not hold
   * @param updated rows that replaced an older version
   * @param deleted rows that deleted one of the target's
   * @param unchanged rows that the target held already
   * @param superseded rows that lost to a newer row of the same range
   * @param stale rows that were older than what the target held
   * @param rejected rows that were put into the quarantine, or were there already
   * @param filtered rows that the user's own cleaner dropped
   */
  public RowCounts(
      long read,
      long inserted,
      long updated,
      long deleted,
      long unchanged,
      long superseded,
      long stale,
      long rejected,
      long filtered) {
    this(read, inserted, updated, deleted, unchanged, superseded, stale, rejected, filtered, 0);
  }

  /** Returns the counts of a run that read nothing. */
  public static RowCounts none() {
    return NONE;
  }

  /** Returns how many rows of the target were inserted, updated or deleted. */
  public long merged() {
    return inserted + updated + deleted + swept;
  }

  /**
   * Returns by how much the parts miss what was read.
   *
   * @return zero if all is well; positive if rows are unaccounted for; negative if there are more
   *     rows than were read, as when a cleaner makes two rows of one
   */
  public long difference() {
    return read
        - (inserted + updated + deleted + unchanged + superseded + stale + rejected + filtered);
  }
}
