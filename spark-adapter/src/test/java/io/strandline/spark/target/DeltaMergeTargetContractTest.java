package io.strandline.spark.target;

import io.strandline.target.Deletes;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeltaMergeTargetContractTest implements DeltaTargetContract {
  @RegisterExtension static final LakehouseExtension LAKEHOUSE = LakehouseExtension.local();

  private int targets;

  @Override
  public Lakehouse lakehouse() {
    return LAKEHOUSE.lakehouse();
  }

  @Override
  public MergeTarget<Dataset<Row>> newTarget() {
    targets++;
    return DeltaMergeTarget.forName(LAKEHOUSE.spark(), LAKEHOUSE.table("silver_" + targets))
        .matchedOn("order_id")
        .createdIfMissing();
  }

  @Override
  public Optional<MergeTarget<Dataset<Row>>> newTarget(Deletes deletes) {
    return Optional.of(((DeltaMergeTarget) newTarget()).deletedWhen(deletes));
  }
}
