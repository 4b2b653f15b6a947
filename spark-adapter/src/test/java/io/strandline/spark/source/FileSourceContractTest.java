package io.strandline.spark.source;

import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.testkit.contract.IncrementalSourceContract;
import io.strandline.testkit.contract.Orders;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.time.Duration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each landing is a Parquet file. */
class FileSourceContractTest implements IncrementalSourceContract<Dataset<Row>> {
  @RegisterExtension static final LakehouseExtension lakehouse = LakehouseExtension.local();

  @Override
  public IncrementalSource<Dataset<Row>> newSource(Cursor cursor) {
    land(Orders.none());
    return FileSource.parquet(lakehouse.lakehouse().spark(), folder())
        .columns(Orders.SCHEMA)
        .settledFor(Duration.ZERO)
        .newerBy(cursor);
  }

  private static String folder() {
    return lakehouse.lakehouse().path("orders");
  }

  @Override
  public void land(Rows rows) {
    lakehouse
        .lakehouse()
        .dataset(Orders.SCHEMA, rows)
        .coalesce(1)
        .write()
        .mode("append")
        .parquet(folder());
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
