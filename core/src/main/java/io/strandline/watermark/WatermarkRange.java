package io.strandline.watermark;

/**
 * The rows of one run of one stream: from {@code after} to {@code upTo}, both fixed before the
 * merge.
 *
 * @param after the lower end; below the stored watermark where a lookback or a floor says so
 * @param bound whether the lower end belongs to the range
 * @param upTo the upper end, which belongs to the range
 */
public record WatermarkRange(Watermark after, Bound bound, Watermark upTo) {
  /**
   * Tells whether a value lies in the range.
   *
   * @param value a value of the same kind
   * @return whether it lies in the range
   * @throws IllegalArgumentException if the kinds differ
   */
  public boolean contains(Watermark value) {
    return isAboveLowerEnd(value) && !value.isAfter(upTo);
  }

  private boolean isAboveLowerEnd(Watermark value) {
    if (after.isStart() || value.isAfter(after)) {
      return true;
    }

    return bound == Bound.INCLUSIVE && value.values().get(0).equals(after.values().get(0));
  }

  /** Returns the range in the usual notation, a bracket for an end that belongs to it. */
  @Override
  public String toString() {
    return (bound == Bound.INCLUSIVE ? "[" : "(") + after + ", " + upTo + "]";
  }
}
