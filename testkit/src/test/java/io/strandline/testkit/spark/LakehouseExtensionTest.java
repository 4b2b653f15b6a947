package io.strandline.testkit.spark;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.testkit.fake.Rows;
import java.time.Instant;
import java.time.LocalDate;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LakehouseExtensionTest {
  private static final String ORDERS = "order_id STRING, amount DECIMAL(10, 2), at TIMESTAMP";
  private static final Instant MONDAY = Instant.parse("2026-06-01T08:00:00.000001Z");

  @RegisterExtension
  static final LakehouseExtension lakehouse =
      LakehouseExtension.local().with("spark.sql.session.timeZone", "America/New_York");

  @Test
  void test_withoutParameters_hasFreshTables() {
    assertThat(lakehouse.spark().catalog().currentDatabase())
        .isEqualTo(lakehouse.lakehouse().schema());
    assertThat(lakehouse.spark().sql("SHOW TABLES")).hasNoRows();
  }

  @Test
  void session_withASetting_hasItAndKeepsSmall(SparkSession spark) {
    assertThat(spark).isSameAs(lakehouse.spark());
    assertThat(spark.conf().get("spark.sql.session.timeZone")).isEqualTo("America/New_York");
    assertThat(spark.conf().get("spark.sql.shuffle.partitions")).isEqualTo("1");
  }

  @Test
  void append_ofRows_keepsEveryValue(Lakehouse tables) {
    Rows orders =
        Rows.columns("order_id", "amount", "at")
            .row("A-17", "3.10", MONDAY)
            .row("A-18", null, null);

    String table = tables.append("silver_orders", tables.dataset(ORDERS, orders));

    assertThat(table).isEqualTo(tables.schema() + ".silver_orders");
    assertThat(tables.spark().table(table))
        .hasRowsOf(
            tables.dataset(
                ORDERS,
                RowFactory.create("A-18", null, null),
                RowFactory.create("A-17", 3.1, MONDAY.toString())));
  }

  @Test
  void append_toAFolder_isAnOrdinaryDeltaTable(Lakehouse tables) {
    tables
        .dataset("day DATE", RowFactory.create("2026-06-01"))
        .write()
        .format("delta")
        .save(tables.path("days"));

    assertThat(tables.spark().read().format("delta").load(tables.path("days")))
        .hasRows(Rows.columns("day").row(LocalDate.parse("2026-06-01")));
  }

  @Test
  void jobsOf_anAction_countsItsJobsOnly(Lakehouse tables) {
    assertThat(tables.jobsOf(() -> {})).isZero();
    assertThat(tables.jobsOf(() -> tables.spark().range(0, 100, 1, 2).count())).isPositive();
  }

  @Test
  void hasRows_withOtherRows_showsThemSideBySide(Lakehouse tables) {
    Rows expected =
        Rows.columns("id", "name").row(1, "apples").row(2, "pears").row(2, "pears").row(3, "figs");

    assertThatThrownBy(
            () ->
                assertThat(
                        tables.dataset(
                            "id INT, name STRING, other INT",
                            RowFactory.create(2, "pears", 1),
                            RowFactory.create(1, "apple", 1),
                            RowFactory.create(7, null, 1)))
                    .showing("id", "name")
                    .hasRows(expected))
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            """

            Of the rows [id, name] 1 are as expected, these are not:
              expected       | actual
              1, apples      | 1, apple
              2, pears       | (missing)
              3, figs        | (missing)
              (not expected) | 7, null""");
  }

  @Test
  void report_ofAFailedTest_showsHistoriesAndRows(Lakehouse tables) {
    tables.append("orders", tables.dataset("id INT", RowFactory.create(17)));

    assertThat(tables.report("orders_fail()"))
        .startsWith("Tables of the failed test orders_fail():")
        .contains(tables.table("orders") + ", history:", "[0, CREATE TABLE AS SELECT,", "[17]");
  }
}
