package io.strandline.spark.target;

import io.strandline.target.MergeTarget;
import io.strandline.testkit.contract.MergeTargetContract;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;

/** The contract of a target whose rows are looked up, since its MERGE would copy what it leaves. */
@Tag(MergeTargetContract.THOROUGH)
class DeltaMergeWithoutDeletionVectorsContractTest extends DeltaMergeTargetContractTest {
  @Override
  public MergeTarget<Dataset<Row>> newTarget() {
    return ((DeltaMergeTarget) super.newTarget())
        .createdIfMissing(TableLayout.plain().property("delta.enableDeletionVectors", "false"));
  }
}
