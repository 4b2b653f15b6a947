package io.strandline.watermark;

/**
 * What a target's receipts are filed under: a load's name within the store that tracks it.
 *
 * <p>Two stores may each track a load of one name on one target; their receipts stay apart.
 *
 * @param store the identity of the watermark store, such as its table id
 * @param load the load
 * @param purpose empty for the load's own runs; a word of its own for runs that are never recovered
 *     from, such as one backfill
 */
public record LoadIdentity(String store, LoadName load, String purpose) {
  private static final String PREFIX = "strandline/";

  /**
   * Makes the identity of a load's own runs.
   *
   * @param store the identity of the watermark store
   * @param load the load
   * @return the identity
   */
  public static LoadIdentity of(String store, LoadName load) {
    return new LoadIdentity(store, load, "");
  }

  /**
   * Returns the identity of a run that is never recovered from.
   *
   * @param newPurpose a word that no other such run of the load has
   * @return the identity
   */
  public LoadIdentity withPurpose(String newPurpose) {
    return new LoadIdentity(store, load, newPurpose);
  }

  /**
   * Tells whether another load has filed its receipts under a text.
   *
   * @param filed the text
   * @return false if it is this load's, or that of one of its runs with a purpose, or none of ours
   */
  public boolean isOfAnotherLoad(String filed) {
    String own = of(store, load).toString();
    return filed.startsWith(PREFIX) && !filed.equals(own) && !filed.startsWith(own + "#");
  }

  /** Returns the text under which receipts are filed: store, load, and purpose if there is one. */
  @Override
  public String toString() {
    return PREFIX + store + "/" + load + (purpose.isEmpty() ? "" : "#" + purpose);
  }
}
