package io.strandline.spark.target;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.from_json;
import static org.apache.spark.sql.functions.lit;

import io.strandline.clean.Cleaned;
import io.strandline.source.Reading;
import io.strandline.target.Quarantine;
import io.strandline.target.RedrivableQuarantine;
import io.strandline.target.Redrive;
import io.strandline.target.RejectedRows;
import io.strandline.testkit.contract.Orders;
import io.strandline.testkit.contract.RedrivableQuarantineContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.LoadName;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeltaQuarantineContractTest implements RedrivableQuarantineContract<Dataset<Row>> {
  @RegisterExtension static final LakehouseExtension LAKEHOUSE = LakehouseExtension.local();

  @Override
  public RedrivableQuarantine<Dataset<Row>> newQuarantine() {
    return DeltaQuarantine.forName(LAKEHOUSE.spark(), LAKEHOUSE.table("rejected"));
  }

  @Override
  public Dataset<Row> rows(Rows rows) {
    String origin =
        rows.columns().contains(RejectedRows.ORIGIN_COLUMN)
            ? ", " + RejectedRows.ORIGIN_COLUMN + " STRING"
            : "";
    return LAKEHOUSE
        .lakehouse()
        .dataset(Orders.SCHEMA + ", " + Reading.REASON_COLUMN + " STRING" + origin, rows);
  }

  @Override
  public Rows collect(Dataset<Row> rows) {
    return Lakehouse.collect(rows);
  }

  @Override
  public Dataset<Row> rejectedAgain(Dataset<Row> rows, String orderId, String reason) {
    return rows.where(col("order_id").equalTo(orderId))
        .select(
            col(Cleaned.RAW_COLUMN + "." + Redrive.ENTRY_COLUMN),
            lit(reason).as(Reading.REASON_COLUMN));
  }

  @Override
  public Rows kept(Quarantine<Dataset<Row>> quarantine, LoadName load) {
    Dataset<Row> kept =
        LAKEHOUSE
            .spark()
            .table(quarantine.name())
            .where(col("load_name").equalTo(load.value()).and(col("state").notEqual("REDRIVEN")))
            .select(
                from_json(col("raw_row"), StructType.fromDDL(Orders.SCHEMA), Map.of()).as("raw"),
                col("reason").as(Reading.REASON_COLUMN));
    return Lakehouse.collect(kept.select("raw.*", Reading.REASON_COLUMN));
  }
}
