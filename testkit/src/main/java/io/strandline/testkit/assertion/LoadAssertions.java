package io.strandline.testkit.assertion;

import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkStore;

/**
 * The entry to all assertions on loads.
 *
 * <pre>{@code
 * assertThat(orders.run()).merged(3).advancedTo(TUESDAY).addsUp();
 * assertThat(orders.run()).foundNothingNew();
 * assertThat(store).holds("orders", TUESDAY);
 * assertThatFailureOf(orders::run).isAt(LoadStep.MERGE).leaves(Aftermath.NOTHING_WRITTEN);
 * }</pre>
 */
public final class LoadAssertions {
  private LoadAssertions() {}

  /**
   * Begins assertions on what a run did.
   *
   * @param actual the result
   * @return the assertions
   */
  public static LoadResultAssert assertThat(LoadResult actual) {
    return new LoadResultAssert(actual);
  }

  /**
   * Begins assertions on what a store holds.
   *
   * @param actual the store
   * @return the assertions
   */
  public static WatermarkStoreAssert assertThat(WatermarkStore actual) {
    return new WatermarkStoreAssert(actual);
  }

  /**
   * Begins assertions on a watermark.
   *
   * @param actual the watermark
   * @return the assertions
   */
  public static WatermarkAssert assertThat(Watermark actual) {
    return new WatermarkAssert(actual);
  }

  /**
   * Begins assertions on rows.
   *
   * @param actual the rows
   * @return the assertions
   */
  public static RowsAssert assertThat(Rows actual) {
    return new RowsAssert(actual);
  }

  /**
   * Begins assertions on why a run failed.
   *
   * @param actual the exception
   * @return the assertions
   */
  public static LoadExceptionAssert assertThat(LoadException actual) {
    return new LoadExceptionAssert(actual);
  }

  /**
   * Runs something that must fail with a {@link LoadException}, and begins assertions on it.
   *
   * @param run what to run, such as {@code orders::run}
   * @return the assertions
   * @throws AssertionError if it does not fail
   */
  public static LoadExceptionAssert assertThatFailureOf(Runnable run) {
    try {
      run.run();
    } catch (LoadException e) {
      return assertThat(e);
    }

    throw new AssertionError("Expecting the run to fail, but it ended well.");
  }
}
