package io.strandline.spark.target;

import io.strandline.target.MergeTarget;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag(MergeTargetContract.THOROUGH)
class DeltaOverwriteTargetContractTest implements DeltaTargetContract {
  @RegisterExtension static final LakehouseExtension LAKEHOUSE = LakehouseExtension.local();

  private int targets;

  @Override
  public Lakehouse lakehouse() {
    return LAKEHOUSE.lakehouse();
  }

  @Override
  public MergeTarget<Dataset<Row>> newTarget() {
    targets++;
    return DeltaOverwriteTarget.forName(LAKEHOUSE.spark(), LAKEHOUSE.table("rates_" + targets))
        .replacing("order_id IS NOT NULL")
        .createdIfMissing();
  }

  @Override
  public boolean recognizesKeys() {
    return false;
  }

  @Override
  public boolean keepsEarlierRows() {
    return false;
  }
}
