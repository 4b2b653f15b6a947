package io.strandline.spark.target;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.from_json;

import io.strandline.source.Reading;
import io.strandline.target.Quarantine;
import io.strandline.testkit.contract.Orders;
import io.strandline.testkit.contract.QuarantineContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.LoadName;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeltaQuarantineContractTest implements QuarantineContract<Dataset<Row>> {
  @RegisterExtension static final LakehouseExtension LAKEHOUSE = LakehouseExtension.local();

  @Override
  public Quarantine<Dataset<Row>> newQuarantine() {
    return DeltaQuarantine.forName(LAKEHOUSE.spark(), LAKEHOUSE.table("rejected"));
  }

  @Override
  public Dataset<Row> rows(Rows rows) {
    return LAKEHOUSE
        .lakehouse()
        .dataset(Orders.SCHEMA + ", " + Reading.REASON_COLUMN + " STRING", rows);
  }

  @Override
  public Rows kept(Quarantine<Dataset<Row>> quarantine, LoadName load) {
    Dataset<Row> kept =
        LAKEHOUSE
            .spark()
            .table(quarantine.name())
            .where(col("load_name").equalTo(load.value()))
            .select(
                from_json(col("raw_row"), StructType.fromDDL(Orders.SCHEMA), Map.of()).as("raw"),
                col("reason").as(Reading.REASON_COLUMN));
    return Lakehouse.collect(kept.select("raw.*", Reading.REASON_COLUMN));
  }
}
