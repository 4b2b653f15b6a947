package io.strandline.spark.source;

import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.testkit.contract.IncrementalSourceContract;
import io.strandline.testkit.contract.Orders;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeltaTableSourceContractTest implements IncrementalSourceContract<Dataset<Row>> {
  @RegisterExtension static final LakehouseExtension lakehouse = LakehouseExtension.local();

  @Override
  public IncrementalSource<Dataset<Row>> newSource(Cursor cursor) {
    land(Orders.none());
    return DeltaTableSource.forName(lakehouse.spark(), "orders").newerBy(cursor);
  }

  @Override
  public void land(Rows rows) {
    lakehouse.lakehouse().append("orders", lakehouse.lakehouse().dataset(Orders.SCHEMA, rows));
  }

  @Override
  public Rows collect(Dataset<Row> rows) {
    return Lakehouse.collect(rows);
  }
}
