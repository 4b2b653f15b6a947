package io.strandline.spark.target;

import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.target.Deletes;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.contract.Orders;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeltaMergeTargetContractTest implements MergeTargetContract<Dataset<Row>> {
  @RegisterExtension static final LakehouseExtension LAKEHOUSE = LakehouseExtension.local();

  private int targets;

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
  public Dataset<Row> rows(Rows rows) {
    StructType known = StructType.fromDDL(Orders.SCHEMA);
    String columns =
        rows.columns().stream()
            .map(
                name ->
                    Arrays.stream(known.fields())
                        .filter(field -> field.name().equals(name))
                        .findFirst()
                        .map(StructField::toDDL)
                        .orElse(name + " STRING"))
            .collect(Collectors.joining(", "));
    return LAKEHOUSE.lakehouse().dataset(columns, rows);
  }

  @Override
  public Rows collect(Dataset<Row> rows) {
    return Lakehouse.collect(rows);
  }

  @Override
  public Rows held(MergeTarget<Dataset<Row>> target) {
    return Lakehouse.collect(DeltaRef.forName(LAKEHOUSE.spark(), target.name()).newest());
  }

  @Override
  public long commits(MergeTarget<Dataset<Row>> target) {
    return DeltaRef.forName(LAKEHOUSE.spark(), target.name())
        .findSnapshot()
        .map(DeltaSnapshot::version)
        .map(version -> version + 1)
        .orElse(0L);
  }
}
