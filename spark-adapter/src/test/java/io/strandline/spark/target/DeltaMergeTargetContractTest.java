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

  @Override
  public Optional<MergeTarget<Dataset<Row>>> newTarget(Clause clause) {
    DeltaMergeTarget target = (DeltaMergeTarget) newTarget();
    return Optional.of(
        switch (clause) {
          case INSERTING_ONLY -> target.insertingOnly();
          case UPDATING_ONLY -> target.updatingOnly();
          case INSERTING_APPLES -> target.insertingWhen("item", "apples");
          case UPDATING_APPLES -> target.updatingWhen("item LIKE 'apple%'");
          case UPDATING_ITEM -> target.updating("item");
          case KEEPING_WHERE_NULL -> target.keepingWhereNull();
          case STAMPING_CHANGES -> target.stampingChanges("changed_at");
        });
  }
}
