package io.strandline.testkit.assertion;

import io.strandline.testkit.fake.Rows;
import org.assertj.core.api.AbstractAssert;

/** Assertions on rows in memory, compared as multisets. */
public final class RowsAssert extends AbstractAssert<RowsAssert, Rows> {
  RowsAssert(Rows actual) {
    super(actual, RowsAssert.class);
  }

  /**
   * Goes on with some of the columns only.
   *
   * @param columns the columns
   * @return assertions on the rows with those columns
   */
  public RowsAssert showing(String... columns) {
    isNotNull();
    return new RowsAssert(actual.select(columns)).describedAs("%s", descriptionText());
  }

  /**
   * Verifies that there are exactly the given rows, in any order, as often as given.
   *
   * @param expected the rows
   * @return this
   */
  public RowsAssert hasRows(Rows expected) {
    isNotNull();
    RowDifference difference = RowDifference.between(expected, actual);

    if (!difference.isEmpty()) {
      throw failure("%n%s", difference);
    }

    return this;
  }

  /**
   * Verifies that there are no rows.
   *
   * @return this
   */
  public RowsAssert hasNoRows() {
    return hasRows(Rows.none());
  }
}
