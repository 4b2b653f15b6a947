package io.strandline.spark.target;

import io.strandline.target.MergeTarget;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag(MergeTargetContract.THOROUGH)
class DeltaHistoryTargetContractTest implements DeltaTargetContract {
  @RegisterExtension static final LakehouseExtension LAKEHOUSE = LakehouseExtension.local();

  private int targets;

  @Override
  public Lakehouse lakehouse() {
    return LAKEHOUSE.lakehouse();
  }

  @Override
  public MergeTarget<Dataset<Row>> newTarget() {
    targets++;
    return DeltaHistoryTarget.forName(LAKEHOUSE.spark(), LAKEHOUSE.table("dim_" + targets))
        .matchedOn("order_id")
        .createdIfMissing();
  }

  @Override
  public boolean recognizesKeys() {
    return false;
  }

  @Override
  public Rows held(MergeTarget<Dataset<Row>> target) {
    return Lakehouse.collect(table(target).newest().select("order_id", "item", "loaded_at"));
  }

  @Override
  public Rows current(MergeTarget<Dataset<Row>> target) {
    return Lakehouse.collect(
        table(target).newest().where("is_current").select("order_id", "item", "loaded_at"));
  }
}
