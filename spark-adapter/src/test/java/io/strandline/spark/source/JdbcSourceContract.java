package io.strandline.spark.source;

import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.testkit.contract.IncrementalSourceContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** How a source over JDBC is held to the contract, whatever the database. */
interface JdbcSourceContract extends IncrementalSourceContract<Dataset<Row>> {

  /** Returns the database. */
  TestDatabase database();

  /** Returns the tables of the running test. */
  Lakehouse lakehouse();

  @BeforeEach
  default void makeTable() {
    database()
        .run(
            "DROP TABLE IF EXISTS orders",
            "CREATE TABLE orders (\"order_id\" VARCHAR(20), \"item\" VARCHAR(20),"
                + " \"loaded_at\" TIMESTAMP(6) WITH TIME ZONE)");
  }

  /** The contract's rows lie in the past, or in a future that must be seen. */
  @Override
  default IncrementalSource<Dataset<Row>> newSource(Cursor cursor) {
    return JdbcTableSource.forTable(lakehouse().spark(), database().database(), "orders")
        .newerBy(cursor.settleTime().isEmpty() ? cursor.settledFor(Duration.ZERO) : cursor)
        .splitInto(2);
  }

  @Override
  default void land(Rows rows) {
    database()
        .insert(
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
  default Rows collect(Dataset<Row> rows) {
    return Lakehouse.collect(rows);
  }

  @Override
  default boolean knowsVersions() {
    return false;
  }
}
