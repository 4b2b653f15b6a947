package io.strandline.testkit.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.source.SourcePlan;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is particular to the source in memory; the rest is its contract. */
class FakeSourceTest {
  private static final Rows COLUMNS = Rows.columns("id", "landed");

  @Test
  void plan_afterARowLandedThatEqualsTheStrangers_stillSeesIt() {
    FakeSource source = FakeSource.named("bronze").newerBy("landed");
    source.land(COLUMNS.row(1L, 104L));
    read(source);
    source.land(COLUMNS.row(1L, 105L));

    assertThat(read(source)).isEqualTo(2);
    assertThat(source.rows().maps()).contains(Map.of("id", 1L, "landed", 105L));
  }

  /** Reads everything, while a stranger's row lands that is newer by one. */
  private static long read(FakeSource source) {
    StoredWatermarks nothing =
        new StoredWatermarks(
            new LoadName("orders"),
            0,
            new TreeMap<>(Map.of(StreamName.only(), StoredStream.none())));
    SourcePlan<Rows> plan = source.plan(nothing);
    return plan instanceof SourcePlan.Planned<Rows> planned
        ? planned.reader().get().rows().size()
        : 0;
  }
}
