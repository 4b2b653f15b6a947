package io.strandline.spark.watermark;

import io.strandline.testkit.contract.WatermarkStoreContract;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkStore;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeltaWatermarkStoreContractTest implements WatermarkStoreContract {
  @RegisterExtension static final LakehouseExtension LAKEHOUSE = LakehouseExtension.local();

  @Override
  public WatermarkStore newStore() {
    return DeltaWatermarkStore.forName(LAKEHOUSE.spark(), LAKEHOUSE.table("etl_watermark"));
  }

  @Override
  public Optional<Operator> operator(WatermarkStore store) {
    return Optional.of(new SqlOperator(store.name()));
  }

  /** A person who writes SQL. */
  private record SqlOperator(String table) implements Operator {
    @Override
    public void edit(LoadName load, Watermark watermark) {
      sql(
          "UPDATE %s SET last_value = TIMESTAMP '" + watermark.text() + "' WHERE table_name = '%s'",
          load);
    }

    @Override
    public void delete(LoadName load) {
      sql("DELETE FROM %s WHERE table_name = '%s'", load);
    }

    @Override
    public void duplicate(LoadName load) {
      sql("INSERT INTO %1$s SELECT * FROM %1$s WHERE table_name = '%2$s'", load);
    }

    private void sql(String statement, LoadName load) {
      LAKEHOUSE.spark().sql(String.format(java.util.Locale.ROOT, statement, table, load));
    }
  }
}
