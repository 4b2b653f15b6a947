package io.strandline.spark.source;

import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** As over H2, which goes with every build; what only PostgreSQL shows has a test of its own. */
@Tag(MergeTargetContract.THOROUGH)
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
