package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.source.Cursor;
import io.strandline.source.ReadCounts;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Instant;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class QuerySourceTest {
  private static final Cursor CHANGED = Cursor.expression("coalesce(modified, created)");

  private Lakehouse tables;
  private QuerySource orders;
  private final Follower follower = new Follower();

  @BeforeEach
  void landTwo(Lakehouse lakehouse) {
    tables = lakehouse;
    orders =
        QuerySource.named("open_orders", () -> tables.spark().table("orders").where("is_open"))
            .newerBy(CHANGED);
    land(1, "2026-07-01T08:00:00Z", null);
    land(2, "2026-07-01T09:00:00Z", null);
  }

  private void land(long id, String created, @Nullable String modified) {
    tables.append(
        "orders",
        tables.dataset(
            "id BIGINT, is_open BOOLEAN, created TIMESTAMP, modified TIMESTAMP",
            RowFactory.create(id, true, created, modified)));
  }

  @Test
  void run_byAnExpression_readsFromTheWatermarkOn() {
    assertThat(follower.run(orders)).containsExactly(1L, 2L);
    assertThat(follower.watermark()).isEqualTo(Watermark.at(Instant.parse("2026-07-01T09:00:00Z")));
    land(3, "2026-07-01T08:30:00Z", "2026-07-02T07:00:00Z");
    land(4, "2026-07-01T08:30:00Z", null);

    assertThat(follower.run(orders)).containsExactly(2L, 3L);
    assertThat(follower.watermark()).isEqualTo(Watermark.at(Instant.parse("2026-07-02T07:00:00Z")));
  }

  @Test
  void read_afterOthersLanded_givesWhatWasPlanned() {
    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(orders);
    land(3, "2026-07-01T08:30:00Z", null);
    tables.spark().sql("DELETE FROM orders WHERE id = 1");

    assertThat(Follower.ids(planned.read().rows())).containsExactly(1L, 2L);
    assertThat(planned.read().counts().get()).isEqualTo(ReadCounts.of(2));
    assertThat(planned.snapshot(StreamName.only())).isEqualTo(TableSnapshot.unknown());
  }

  @Test
  void run_withARowLimit_goesInSteps() {
    QuerySource inSteps =
        QuerySource.named("open_orders", () -> tables.spark().table("orders"))
            .newerBy(CHANGED.atMost(1).exclusive());

    SourcePlan.Planned<Dataset<Row>> planned = follower.planned(inSteps);

    assertThat(planned.remainder()).isEqualTo(Remainder.WAITING);
    assertThat(planned.explanation()).endsWith(". The limit of 1 leaves rows to later runs.");
    assertThat(follower.run(inSteps)).containsExactly(1L);
    assertThat(follower.run(inSteps)).containsExactly(2L);
    assertThat(follower.plan(inSteps))
        .isEqualTo(
            new SourcePlan.NothingNew<>(
                "open_orders has no rows with coalesce(modified, created) above"
                    + " 2026-07-01T09:00:00Z",
                0));
  }

  @Test
  void planBackfill_ofARange_readsExactlyThat() {
    Watermark nine = Watermark.at(Instant.parse("2026-07-01T09:00:00Z"));

    SourcePlan.Planned<Dataset<Row>> planned =
        (SourcePlan.Planned<Dataset<Row>>)
            orders.planBackfill(StreamName.only(), new WatermarkRange(nine, Bound.INCLUSIVE, nine));

    assertThat(Follower.ids(planned.read().rows())).containsExactly(2L);
  }

  @Test
  void source_describesItselfAndItsMistakes() {
    QuerySource misspelled =
        QuerySource.named("open_orders", () -> tables.spark().table("orders")).newerBy("modifed");

    assertThat(orders).hasToString("open_orders newer by coalesce(modified, created)");
    assertThat(orders.watermarkColumns()).isEmpty();
    assertThatThrownBy(() -> follower.plan(misspelled))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read open_orders newer by 'modifed': there is no column 'modifed'. Columns: id,"
                + " is_open, created, modified. Did you mean 'modified'?");
    assertThatThrownBy(() -> QuerySource.named(" ", () -> tables.spark().table("orders")))
        .hasMessage("Cannot name a source ' ': no name.");
  }
}
