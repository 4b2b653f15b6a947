package io.strandline.watermark;

/**
 * Which table, and which version of it, something was seen in.
 *
 * @param tableId the id that the table was given when it was made; empty if unknown
 * @param version the version, zero or more; negative if unknown
 */
public record TableSnapshot(String tableId, long version) {
  private static final TableSnapshot UNKNOWN = new TableSnapshot("", -1);

  /** Returns the snapshot of something that has no id or no versions. */
  public static TableSnapshot unknown() {
    return UNKNOWN;
  }

  /** Tells whether table and version are known. */
  public boolean isKnown() {
    return version >= 0;
  }

  /**
   * Tells whether another snapshot is surely of another table.
   *
   * @param other the other snapshot
   * @return true if both are known and their ids differ
   */
  public boolean isOfAnotherTable(TableSnapshot other) {
    return isKnown() && other.isKnown() && !tableId.equals(other.tableId);
  }

  @Override
  public String toString() {
    return isKnown() ? "version " + version + " of table " + tableId : "an unknown version";
  }
}
