package io.strandline.spark.source;

import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** As over H2; only the text of the table, and how far its times reach, are others. */
class JdbcMariaDbContractTest implements JdbcSourceContract {
  @RegisterExtension static final LakehouseExtension LAKEHOUSE = LakehouseExtension.local();

  private static final TestDatabase DATABASE = MariaDb.database();

  @Override
  public TestDatabase database() {
    return DATABASE;
  }

  @Override
  public Lakehouse lakehouse() {
    return LAKEHOUSE.lakehouse();
  }

  @BeforeEach
  @Override
  public void makeTable() {
    DATABASE.run(
        "DROP TABLE IF EXISTS orders",
        "CREATE TABLE orders (order_id VARCHAR(20), item VARCHAR(20),"
            + " loaded_at TIMESTAMP(6) NULL)");
  }

  /** The type ends in 2038. */
  @Override
  public Instant farFuture() {
    return Instant.parse("2038-01-01T00:00:00Z");
  }

  @Override
  public void land(Rows rows) {
    DATABASE.insert(
        "INSERT INTO orders VALUES (?, ?, CONVERT_TZ(?, '+00:00', @@session.time_zone))",
        rows.stream()
            .map(
                row ->
                    new @Nullable Object[] {
                      row.get("order_id"), row.get("item"), inUtc(row.get("loaded_at"))
                    })
            .toList());
  }

  private static @Nullable Object inUtc(@Nullable Object loadedAt) {
    return loadedAt instanceof Instant at ? LocalDateTime.ofInstant(at, ZoneOffset.UTC) : null;
  }
}
