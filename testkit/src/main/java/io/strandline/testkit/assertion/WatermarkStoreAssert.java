package io.strandline.testkit.assertion;

import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkStore;
import java.util.Set;
import org.assertj.core.api.AbstractAssert;

/** Assertions on what a watermark store holds. */
public final class WatermarkStoreAssert
    extends AbstractAssert<WatermarkStoreAssert, WatermarkStore> {
  WatermarkStoreAssert(WatermarkStore actual) {
    super(actual, WatermarkStoreAssert.class);
  }

  /**
   * Verifies the watermark of a load with one stream.
   *
   * @param load the name of the load
   * @param expected the watermark
   * @return this
   */
  public WatermarkStoreAssert holds(String load, Watermark expected) {
    return holds(new LoadName(load), StreamName.only(), expected);
  }

  /**
   * Verifies the watermark of a stream.
   *
   * @param load the load
   * @param stream the stream
   * @param expected the watermark
   * @return this
   */
  public WatermarkStoreAssert holds(LoadName load, StreamName stream, Watermark expected) {
    isNotNull();
    Watermark found = actual.last(load, Set.of(stream)).value(stream);

    if (!found.equals(expected)) {
      throw failure(
          "%nExpecting %s to hold for load '%s':%n  %s%nbut it holds:%n  %s",
          actual.name(), load, expected.typed(), found.typed());
    }

    return this;
  }

  /**
   * Verifies that nothing is stored of a load with one stream.
   *
   * @param load the name of the load
   * @return this
   */
  public WatermarkStoreAssert holdsNothingOf(String load) {
    return holds(load, Watermark.start());
  }

  /**
   * Verifies the number of the last run that the rows of a load know of.
   *
   * @param load the name of the load, which has one stream
   * @param expected the number; zero for none
   * @return this
   */
  public WatermarkStoreAssert holdsNumber(String load, long expected) {
    isNotNull();
    long found = actual.last(new LoadName(load), Set.of(StreamName.only())).number();

    if (found != expected) {
      throw failure(
          "%nExpecting %s to hold number %s for load '%s' but it holds %s",
          actual.name(), expected, load, found);
    }

    return this;
  }
}
