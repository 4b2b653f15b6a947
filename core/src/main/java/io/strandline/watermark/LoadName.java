package io.strandline.watermark;

/**
 * The name of a load, which is the key of its watermark.
 *
 * @param value the name as the user gave it; not blank, compared exactly
 */
public record LoadName(String value) {
  /**
   * Checks the name.
   *
   * @throws IllegalArgumentException if the name is blank
   */
  public LoadName {
    if (value.isBlank()) {
      throw new IllegalArgumentException(
          "Cannot name a load '"
              + value
              + "': a name needs at least one visible character, since it is the key of the"
              + " watermark.");
    }
  }

  /** Returns the name as the user gave it. */
  @Override
  public String toString() {
    return value;
  }
}
