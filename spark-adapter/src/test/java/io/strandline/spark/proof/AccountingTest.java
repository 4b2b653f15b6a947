package io.strandline.spark.proof;

import static io.strandline.spark.proof.DeltaShop.MONDAY;
import static io.strandline.spark.proof.DeltaShop.TUESDAY;
import static io.strandline.spark.proof.DeltaShop.WEDNESDAY;
import static io.strandline.spark.proof.DeltaShop.at;
import static io.strandline.spark.proof.DeltaShop.orders;
import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.apache.spark.sql.functions.col;

import io.strandline.clean.Cleaner;
import io.strandline.load.LoadResult;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every row that a run reads is accounted for. */
@ExtendWith(LakehouseExtension.class)
class AccountingTest {
  @Test
  void run_ofRowsOfEverySort_countsEachOnce(Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.in(lakehouse);
    shop.land(orders().row(1, "apples", TUESDAY).row(2, "pears", MONDAY).row(3, "by hand", MONDAY));
    run(shop, rows -> rows);
    // A person corrects a row and says that this is the newest word on it.
    shop.sql("UPDATE {silver} SET loaded_at = TIMESTAMP '2026-06-05T00:00:00Z' WHERE id = 3");
    shop.land(
        orders()
            .row(2, "more pears", WEDNESDAY)
            .row(2, "some pears", TUESDAY)
            .row(3, "figs", WEDNESDAY)
            .row(1, "apples", TUESDAY)
            .row(4, "nuts", WEDNESDAY)
            .row(null, "no key", WEDNESDAY)
            .row(5, "test order", WEDNESDAY));

    LoadResult result = run(shop, rows -> rows.where(col("item").notEqual("test order")));

    assertThat(result)
        .read(7)
        .inserted(1)
        .updated(1)
        .unchanged(1)
        .superseded(1)
        .stale(1)
        .rejected(1)
        .filtered(1)
        .addsUp()
        .warnsOfNothing();
    assertThat(shop.silver().drop("loaded_at"))
        .hasRows(
            orders()
                .select("id", "item")
                .row(1, "apples")
                .row(2, "more pears")
                .row(3, "by hand")
                .row(4, "nuts"));
  }

  @Test
  void run_withACleanerThatMakesMoreRows_namesIt(Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.in(lakehouse);
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY));

    LoadResult result =
        run(shop, rows -> rows.union(rows.withColumn("id", col("id").plus(10)).where("id = 11")));

    assertThat(result)
        .merged(3)
        .advancedTo(at(MONDAY))
        .warns(
            "The cleaner made 1 rows more than it read, so the counts do not add up: "
                + result.counts()
                + ".");
  }

  private static LoadResult run(DeltaShop shop, Cleaner<Dataset<Row>> cleaner) {
    return shop.from("orders", Faults.none())
        .cleanedBy(cleaner)
        .into(shop.target("silver"))
        .trackedIn(shop.store())
        .build()
        .run();
  }
}
