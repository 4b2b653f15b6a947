package io.strandline.spark.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.spark.internal.DeltaRef;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.TargetStanding;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.TableSnapshot;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class DeltaMergeTargetStandingTest {
  private static final String COLUMNS = "order_id STRING, seq BIGINT";

  @Test
  void standing_afterOthersWork_namesWhatTheyDidToTheWhole(Lakehouse lakehouse) {
    DeltaMergeTarget target = target(lakehouse);
    Dataset<Row> rows = lakehouse.dataset(COLUMNS, RowFactory.create("A-17", 1));
    Receipt receipt = Loads.receipt(1);
    MergeOutcome merged = Loads.merge(target, rows, receipt);
    String silver = lakehouse.table("silver");
    lakehouse.append("silver", lakehouse.dataset(COLUMNS, RowFactory.create("A-18", 1)));
    lakehouse.spark().sql("DELETE FROM " + silver + " WHERE order_id = 'A-18'");
    lakehouse.spark().sql("RESTORE " + silver + " TO VERSION AS OF 1");
    lakehouse.spark().sql("DELETE FROM " + silver);
    rows.write().mode("overwrite").insertInto(silver);
    lakehouse.spark().sql("TRUNCATE TABLE " + silver);
    lakehouse
        .spark()
        .sql("CREATE OR REPLACE TABLE " + silver + " (order_id STRING, seq BIGINT) USING delta");

    TargetStanding[] standing = new TargetStanding[1];
    long jobs =
        lakehouse.jobsOf(() -> standing[0] = target.standing(Loads.ORDERS, merged.snapshot()));

    assertThat(jobs).isZero();
    assertThat(merged.snapshot().version()).isEqualTo(1);
    assertThat(standing[0].disturbances())
        .containsExactly(
            "version 4 restored it to version 1",
            "version 5 deleted all of its rows",
            "version 6 overwrote it",
            "version 7 truncated it",
            "version 8 replaced it");
    assertThat(standing[0].number()).isEqualTo(1);
    assertThat(standing[0].receipt()).contains(receipt);
  }

  @Test
  void standing_whereNobodyInterfered_isUndisturbed(Lakehouse lakehouse) {
    DeltaMergeTarget target = target(lakehouse);
    MergeOutcome merged =
        Loads.merge(
            target, lakehouse.dataset(COLUMNS, RowFactory.create("A-17", 1)), Loads.receipt(1));
    TableSnapshot later =
        new TableSnapshot(merged.snapshot().tableId(), merged.snapshot().version() + 5);

    assertThat(target.standing(Loads.ORDERS, merged.snapshot()).disturbances()).isEmpty();
    assertThat(target.standing(Loads.ORDERS, TableSnapshot.unknown()).disturbances()).isEmpty();
    assertThat(target.standing(Loads.ORDERS, later).disturbances())
        .containsExactly("its history went back from version 6 to version 1");
    assertThat(target.standing(Loads.receiptOf("other").identity(), merged.snapshot()).receipt())
        .isEmpty();
  }

  @Test
  void standing_ofAMissingTableThatMayBeCreated_isUnknown(Lakehouse lakehouse) {
    TargetStanding standing = target(lakehouse).standing(Loads.ORDERS, TableSnapshot.unknown());

    assertThat(standing.number()).isZero();
    assertThat(standing.snapshot().isKnown()).isFalse();
    assertThat(DeltaRef.forName(lakehouse.spark(), lakehouse.table("silver")).exists()).isFalse();
  }

  private static DeltaMergeTarget target(Lakehouse lakehouse) {
    return DeltaMergeTarget.forName(lakehouse.spark(), lakehouse.table("silver"))
        .matchedOn("order_id")
        .sequencedBy("seq")
        .createdIfMissing();
  }
}
