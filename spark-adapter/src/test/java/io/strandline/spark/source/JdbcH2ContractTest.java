package io.strandline.spark.source;

import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import org.junit.jupiter.api.extension.RegisterExtension;

class JdbcH2ContractTest implements JdbcSourceContract {
  @RegisterExtension static final LakehouseExtension LAKEHOUSE = LakehouseExtension.local();

  private static final TestDatabase DATABASE = TestDatabase.h2();

  @Override
  public TestDatabase database() {
    return DATABASE;
  }

  @Override
  public Lakehouse lakehouse() {
    return LAKEHOUSE.lakehouse();
  }
}
