package io.strandline.spark.target;

import static java.util.stream.Collectors.joining;

import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.contract.Orders;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import java.util.Arrays;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** What all targets on Delta tables tell the contract in the same way. */
interface DeltaTargetContract extends MergeTargetContract<Dataset<Row>> {

  /** Returns the tables of the running test. */
  Lakehouse lakehouse();

  @Override
  default Dataset<Row> rows(Rows rows) {
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
            .collect(joining(", "));
    return lakehouse().dataset(columns, rows);
  }

  @Override
  default Rows collect(Dataset<Row> rows) {
    return Lakehouse.collect(rows);
  }

  @Override
  default Rows held(MergeTarget<Dataset<Row>> target) {
    return Lakehouse.collect(table(target).newest());
  }

  @Override
  default long commits(MergeTarget<Dataset<Row>> target) {
    return table(target)
        .findSnapshot()
        .map(DeltaSnapshot::version)
        .map(version -> version + 1)
        .orElse(0L);
  }

  /** Finds the table of a target. */
  default DeltaRef table(MergeTarget<Dataset<Row>> target) {
    return DeltaRef.forName(lakehouse().spark(), target.name());
  }
}
