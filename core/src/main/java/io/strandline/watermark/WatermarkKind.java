package io.strandline.watermark;

/** The types of value that a watermark can have. */
public enum WatermarkKind {
  /** Before everything; the state of a load that never ran. */
  START("start"),
  /** A point in time, to the microsecond. */
  TIMESTAMP("timestamp"),
  /** A date and time of day without a zone, to the microsecond. */
  LOCAL_TIMESTAMP("local_timestamp"),
  /** A day. */
  DATE("date"),
  /** A whole number of up to 64 bits. */
  INTEGER("integer"),
  /** An exact decimal number of any scale. */
  DECIMAL("decimal"),
  /** Text, ordered by code points, as UTF-8 bytes are. */
  TEXT("text"),
  /** The version of a table. */
  VERSION("version"),
  /** Several values, compared left to right. */
  COMPOSITE("composite");

  private final String word;

  WatermarkKind(String word) {
    this.word = word;
  }

  /** Returns the word that stands for this kind in stored text; it never changes. */
  public String word() {
    return word;
  }

  /**
   * Finds a kind by its word.
   *
   * @param word the word, as {@link #word()} gives it
   * @return the kind
   * @throws IllegalArgumentException if no kind has that word
   */
  public static WatermarkKind ofWord(String word) {
    for (WatermarkKind kind : values()) {
      if (kind.word.equals(word)) {
        return kind;
      }
    }

    throw new IllegalArgumentException(
        "Cannot read a watermark of kind '" + word + "': no such kind.");
  }
}
