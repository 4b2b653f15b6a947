package io.strandline.spark.source;

import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** As over H2, which goes with every build; what only PostgreSQL shows has a test of its own. */
@EnabledIfSystemProperty(named = "strandline.extended", matches = "true")
class JdbcPostgresContractTest implements JdbcSourceContract {
  @RegisterExtension static final LakehouseExtension LAKEHOUSE = LakehouseExtension.local();

  private static final TestDatabase DATABASE = TestDatabase.postgres();

  @Override
  public TestDatabase database() {
    return DATABASE;
  }

  @Override
  public Lakehouse lakehouse() {
    return LAKEHOUSE.lakehouse();
  }
}
