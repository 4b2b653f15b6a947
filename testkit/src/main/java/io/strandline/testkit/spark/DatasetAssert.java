package io.strandline.testkit.spark;

import io.strandline.testkit.assertion.RowDifference;
import io.strandline.testkit.fake.Rows;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on the rows of a dataset.
 *
 * <p>Rows are compared as a multiset, columns by name; numbers are equal if they have the same
 * value, whatever their width.
 *
 * <pre>{@code
 * assertThat(spark.table("silver_orders"))
 *     .showing("order_id", "amount")
 *     .hasRows(Rows.columns("order_id", "amount").row("A-17", 3).row("A-18", 5));
 * }</pre>
 */
public final class DatasetAssert extends AbstractAssert<DatasetAssert, Dataset<Row>> {
  private DatasetAssert(Dataset<Row> actual) {
    super(actual, DatasetAssert.class);
  }

  /**
   * Begins assertions on a dataset.
   *
   * @param actual the dataset, a small one
   * @return the assertions
   */
  public static DatasetAssert assertThat(Dataset<Row> actual) {
    return new DatasetAssert(actual);
  }

  /**
   * Goes on with some of the columns only.
   *
   * @param columns the columns, exactly as the dataset names them
   * @return assertions on the dataset with those columns
   */
  public DatasetAssert showing(String... columns) {
    isNotNull();
    return new DatasetAssert(
            actual.select(
                Arrays.stream(columns)
                    .map(column -> actual.col("`" + column.replace("`", "``") + "`"))
                    .toArray(Column[]::new)))
        .describedAs("%s", descriptionText());
  }

  /**
   * Verifies that the dataset has exactly the given rows, in any order, as often as given.
   *
   * @param expected the rows
   * @return this
   */
  public DatasetAssert hasRows(Rows expected) {
    isNotNull();
    Rows found = Lakehouse.collect(actual);
    hasColumns(expected.columns().toArray(String[]::new));
    RowDifference difference = RowDifference.between(expected, found);

    if (!difference.isEmpty()) {
      throw failure("%n%s", difference);
    }

    return this;
  }

  /**
   * Verifies that the dataset has exactly the rows of another one, in any order.
   *
   * @param expected the other dataset
   * @return this
   */
  public DatasetAssert hasRowsOf(Dataset<Row> expected) {
    return hasRows(Lakehouse.collect(expected));
  }

  /**
   * Verifies that the dataset has no row.
   *
   * @return this
   */
  public DatasetAssert hasNoRows() {
    return hasRows(Rows.columns(actual.columns()));
  }

  /**
   * Verifies that the dataset has exactly the given columns, in any order.
   *
   * @param columns the columns
   * @return this
   */
  public DatasetAssert hasColumns(String... columns) {
    isNotNull();
    List<String> expected = Arrays.stream(columns).sorted().toList();
    List<String> found = Arrays.stream(actual.columns()).sorted().toList();

    if (!expected.equals(found)) {
      throw failure("%nExpecting columns:%n  %s%nbut found:%n  %s", expected, found);
    }

    return this;
  }
}
