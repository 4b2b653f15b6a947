package io.strandline.testkit.assertion;

import io.strandline.load.LoadResult;
import io.strandline.load.RowCounts;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import java.util.List;
import java.util.function.ToLongFunction;
import org.assertj.core.api.AbstractAssert;

/** Assertions on what a run did. */
public final class LoadResultAssert extends AbstractAssert<LoadResultAssert, LoadResult> {
  LoadResultAssert(LoadResult actual) {
    super(actual, LoadResultAssert.class);
  }

  /**
   * Verifies that the run committed, and how many rows it inserted, updated or deleted.
   *
   * @param expected the number of rows
   * @return this
   */
  public LoadResultAssert merged(long expected) {
    committed();
    return counts("merged", expected, RowCounts::merged);
  }

  /**
   * Verifies that the run committed: rows, or a receipt alone.
   *
   * @return this
   */
  public LoadResultAssert committed() {
    isNotNull();

    if (!(actual instanceof LoadResult.Committed)) {
      throw failure("%nExpecting a run that committed but found:%n  %s", actual);
    }

    return this;
  }

  /**
   * Verifies that nothing was new.
   *
   * @return this
   */
  public LoadResultAssert foundNothingNew() {
    isNotNull();

    if (!(actual instanceof LoadResult.NothingNew)) {
      throw failure("%nExpecting a run that found nothing new but found:%n  %s", actual);
    }

    return this;
  }

  /**
   * Verifies the stored watermark after the run, of a load with one stream.
   *
   * @param expected the watermark
   * @return this
   */
  public LoadResultAssert advancedTo(Watermark expected) {
    isNotNull();
    return watermark(actual.watermark(), expected);
  }

  /**
   * Verifies the stored watermark of a stream after the run.
   *
   * @param stream the stream
   * @param expected the watermark
   * @return this
   */
  public LoadResultAssert advancedTo(StreamName stream, Watermark expected) {
    isNotNull();
    return watermark(actual.watermarks().getOrDefault(stream, Watermark.start()), expected);
  }

  private LoadResultAssert watermark(Watermark found, Watermark expected) {
    if (!found.equals(expected)) {
      throw failure(
          "%nExpecting the watermark to stand at:%n  %s%nbut it stands at:%n  %s",
          expected.typed(), found.typed());
    }

    return this;
  }

  /**
   * Verifies that what became of the rows adds up to what was read.
   *
   * @return this
   */
  public LoadResultAssert addsUp() {
    isNotNull();

    if (actual.counts().difference() != 0) {
      throw failure(
          "%nExpecting counts that add up, but %s rows are off:%n  %s",
          actual.counts().difference(), actual.counts());
    }

    return this;
  }

  /**
   * Verifies how many rows were read.
   *
   * @param expected the number of rows
   * @return this
   */
  public LoadResultAssert read(long expected) {
    return counts("read", expected, RowCounts::read);
  }

  /**
   * Verifies how many rows were inserted.
   *
   * @param expected the number of rows
   * @return this
   */
  public LoadResultAssert inserted(long expected) {
    return counts("inserted", expected, RowCounts::inserted);
  }

  /**
   * Verifies how many rows were updated.
   *
   * @param expected the number of rows
   * @return this
   */
  public LoadResultAssert updated(long expected) {
    return counts("updated", expected, RowCounts::updated);
  }

  /**
   * Verifies how many rows the target held already.
   *
   * @param expected the number of rows
   * @return this
   */
  public LoadResultAssert unchanged(long expected) {
    return counts("unchanged", expected, RowCounts::unchanged);
  }

  /**
   * Verifies how many rows lost to a newer one of the same range.
   *
   * @param expected the number of rows
   * @return this
   */
  public LoadResultAssert superseded(long expected) {
    return counts("superseded", expected, RowCounts::superseded);
  }

  /**
   * Verifies how many rows were older than what the target held.
   *
   * @param expected the number of rows
   * @return this
   */
  public LoadResultAssert stale(long expected) {
    return counts("stale", expected, RowCounts::stale);
  }

  /**
   * Verifies how many rows were rejected.
   *
   * @param expected the number of rows
   * @return this
   */
  public LoadResultAssert rejected(long expected) {
    return counts("rejected", expected, RowCounts::rejected);
  }

  /**
   * Verifies how many rows the user's cleaner dropped.
   *
   * @param expected the number of rows
   * @return this
   */
  public LoadResultAssert filtered(long expected) {
    return counts("filtered", expected, RowCounts::filtered);
  }

  private LoadResultAssert counts(String what, long expected, ToLongFunction<RowCounts> count) {
    isNotNull();
    long found = count.applyAsLong(actual.counts());

    if (found != expected) {
      throw failure(
          "%nExpecting %s rows %s but there were %s:%n  %s",
          expected, what, found, actual.counts());
    }

    return this;
  }

  /**
   * Verifies that the run finished an earlier one that had died.
   *
   * @param number the number of the run that had died
   * @return this
   */
  public LoadResultAssert recovered(long number) {
    isNotNull();

    if (actual.notes().recovered().stream().noneMatch(receipt -> receipt.number() == number)) {
      throw failure("%nExpecting run %s to be finished first but found:%n  %s", number, actual);
    }

    return this;
  }

  /**
   * Verifies that the run finished no earlier one.
   *
   * @return this
   */
  public LoadResultAssert recoveredNothing() {
    isNotNull();

    if (actual.notes().recovered().isPresent()) {
      throw failure("%nExpecting no earlier run to be finished but found:%n  %s", actual);
    }

    return this;
  }

  /**
   * Verifies how many rows were held back.
   *
   * @param expected the number of rows
   * @return this
   */
  public LoadResultAssert waiting(long expected) {
    isNotNull();

    if (actual.notes().waiting() != expected) {
      throw failure("%nExpecting %s rows to wait but found:%n  %s", expected, actual);
    }

    return this;
  }

  /**
   * Verifies how many rows came below the stored watermark, and how low the lowest of them.
   *
   * @param expected the number of rows
   * @param earliest the lowest watermark among them; the start if there are none
   * @return this
   */
  public LoadResultAssert late(long expected, Watermark earliest) {
    isNotNull();

    if (actual.notes().late() != expected || !actual.notes().earliest().equals(earliest)) {
      throw failure(
          "%nExpecting %s late rows, the earliest at %s, but found:%n  %s",
          expected, earliest, actual);
    }

    return this;
  }

  /**
   * Verifies that there was exactly one warning.
   *
   * @param expected its text
   * @return this
   */
  public LoadResultAssert warns(String expected) {
    isNotNull();

    if (!actual.notes().warnings().equals(List.of(expected))) {
      throw failure(
          "%nExpecting the warning:%n  %s%nbut found:%n  %s", expected, actual.notes().warnings());
    }

    return this;
  }

  /**
   * Verifies that there was no warning.
   *
   * @return this
   */
  public LoadResultAssert warnsOfNothing() {
    isNotNull();

    if (!actual.notes().warnings().isEmpty()) {
      throw failure("%nExpecting no warning but found:%n  %s", actual.notes().warnings());
    }

    return this;
  }
}
