package io.strandline.spark.source;

import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.testkit.contract.IncrementalSourceContract;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.contract.Orders;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag(MergeTargetContract.THOROUGH)
class QuerySourceContractTest implements IncrementalSourceContract<Dataset<Row>> {
  @RegisterExtension static final LakehouseExtension lakehouse = LakehouseExtension.local();

  private Rows landed = Orders.none();

  @Override
  public IncrementalSource<Dataset<Row>> newSource(Cursor cursor) {
    return QuerySource.named("orders", () -> lakehouse.lakehouse().dataset(Orders.SCHEMA, landed))
        .newerBy(cursor);
  }

  @Override
  public void land(Rows rows) {
    landed = landed.concat(rows);
  }

  @Override
  public Rows collect(Dataset<Row> rows) {
    return Lakehouse.collect(rows);
  }

  @Override
  public boolean knowsVersions() {
    return false;
  }
}
