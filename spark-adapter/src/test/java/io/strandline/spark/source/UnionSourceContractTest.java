package io.strandline.spark.source;

import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.contract.IncrementalSourceContract;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.contract.Orders;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.WatermarkRange;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The rows of every test lie in one stream of a union, the other one of which rests. */
@Tag(MergeTargetContract.THOROUGH)
class UnionSourceContractTest implements IncrementalSourceContract<Dataset<Row>> {
  @RegisterExtension static final LakehouseExtension lakehouse = LakehouseExtension.local();

  private Rows landed = Orders.none();

  @Override
  public IncrementalSource<Dataset<Row>> newSource(Cursor cursor) {
    return new OneStream(
        UnionSource.of("active", orders(cursor, () -> landed))
            .and("archive", orders(Cursor.on("loaded_at"), Orders::none)));
  }

  private static QuerySource orders(Cursor cursor, java.util.function.Supplier<Rows> rows) {
    return QuerySource.named(
            "orders", () -> lakehouse.lakehouse().dataset(Orders.SCHEMA, rows.get()))
        .newerBy(cursor);
  }

  @Override
  public void land(Rows rows) {
    landed = landed.concat(rows);
  }

  @Override
  public Rows collect(Dataset<Row> rows) {
    return Lakehouse.collect(rows);
  }

  @Override
  public boolean knowsVersions() {
    return false;
  }

  /** Shows a union as a source that has only the stream of its active rows. */
  private record OneStream(UnionSource union) implements IncrementalSource<Dataset<Row>> {
    private static final StreamName ACTIVE = new StreamName("active");

    @Override
    public String name() {
      return union.name();
    }

    @Override
    public Set<StreamName> streams() {
      return Set.of(StreamName.only());
    }

    @Override
    public List<String> watermarkColumns() {
      return union.watermarkColumns();
    }

    @Override
    public String declaration() {
      return union.declaration();
    }

    @Override
    public SourcePlan<Dataset<Row>> plan(StoredWatermarks stored) {
      return only(
          union.plan(
              new StoredWatermarks(
                  stored.load(),
                  stored.number(),
                  new TreeMap<>(Map.of(ACTIVE, stored.stream(StreamName.only()))))));
    }

    @Override
    public SourcePlan<Dataset<Row>> planBackfill(StreamName stream, WatermarkRange range) {
      return only(union.planBackfill(ACTIVE, range));
    }

    private static SourcePlan<Dataset<Row>> only(SourcePlan<Dataset<Row>> plan) {
      if (!(plan instanceof SourcePlan.Planned<Dataset<Row>> planned)) {
        return plan;
      }

      TableSnapshot snapshot = planned.snapshot(ACTIVE);
      return new SourcePlan.Planned<>(
          planned.ranges().stream()
              .filter(range -> range.stream().equals(ACTIVE))
              .map(
                  range ->
                      new StreamRange(
                          StreamName.only(), range.stored(), range.range(), range.next()))
              .toList(),
          Map.of(StreamName.only(), snapshot),
          planned.remainder(),
          planned.waiting(),
          planned.explanation(),
          planned.reader());
    }
  }
}
