package io.strandline.spark.source;

import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.testkit.contract.IncrementalSourceContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

class JdbcH2ContractTest implements IncrementalSourceContract<Dataset<Row>> {
  @RegisterExtension static final LakehouseExtension lakehouse = LakehouseExtension.local();

  private static final TestDatabase DATABASE = TestDatabase.h2();

  @BeforeEach
  void makeTable() {
    DATABASE.run(
        "DROP TABLE IF EXISTS orders",
        "CREATE TABLE orders (\"order_id\" VARCHAR(20), \"item\" VARCHAR(20),"
            + " \"loaded_at\" TIMESTAMP(6) WITH TIME ZONE)");
  }

  /** The contract's rows lie in the past, or in a future that must be seen. */
  @Override
  public IncrementalSource<Dataset<Row>> newSource(Cursor cursor) {
    return JdbcTableSource.forTable(lakehouse.lakehouse().spark(), DATABASE.database(), "orders")
        .newerBy(cursor.settleTime().isEmpty() ? cursor.settledFor(Duration.ZERO) : cursor)
        .splitInto(2);
  }

  @Override
  public void land(Rows rows) {
    DATABASE.insert(
        "INSERT INTO orders VALUES (?, ?, ?)",
        rows.stream()
            .map(
                row ->
                    new @Nullable Object[] {
                      row.get("order_id"),
                      row.get("item"),
                      row.get("loaded_at") instanceof Instant at
                          ? at.atOffset(ZoneOffset.UTC)
                          : null
                    })
            .toList());
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
