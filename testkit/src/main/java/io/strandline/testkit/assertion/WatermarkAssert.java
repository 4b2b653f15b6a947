package io.strandline.testkit.assertion;

import io.strandline.watermark.Watermark;
import org.assertj.core.api.AbstractComparableAssert;

/** Assertions on a watermark; those of every comparable value, and a few of its own. */
public final class WatermarkAssert extends AbstractComparableAssert<WatermarkAssert, Watermark> {
  WatermarkAssert(Watermark actual) {
    super(actual, WatermarkAssert.class);
  }

  /**
   * Verifies that it is the watermark of a load that never ran.
   *
   * @return this
   */
  public WatermarkAssert isStart() {
    isNotNull();

    if (!actual.isStart()) {
      throw failure("%nExpecting no watermark but found:%n  %s", actual.typed());
    }

    return this;
  }

  /**
   * Verifies that it is greater than another one.
   *
   * @param other the other one, of the same kind
   * @return this
   */
  public WatermarkAssert isAfter(Watermark other) {
    return isGreaterThan(other);
  }
}
