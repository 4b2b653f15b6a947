package io.strandline.spark.proof;

import static io.strandline.spark.proof.DeltaShop.TUESDAY;
import static io.strandline.spark.proof.DeltaShop.at;
import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.LoadResult;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.delta.DeltaLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a run costs that finds nothing new. */
@ExtendWith(LakehouseExtension.class)
class IdleTest {
  private static final List<String> TABLES = List.of("bronze", "silver", "etl_watermark");

  @Test
  void run_ofASourceThatHasNotMoved_runsNoJobAndCommitsNothing(Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.afterTwoNights(lakehouse);
    List<Long> commits = commits(shop);

    assertThat(jobsOfARun(shop)).isZero();

    // As in a process that has just started and knows none of the tables.
    DeltaLog.clearCache();

    assertThat(jobsOfARun(shop)).isZero();
    assertThat(commits(shop)).isEqualTo(commits);
    assertThat(shop.spark().catalog().tableExists(shop.table("silver_quarantine"))).isFalse();
  }

  @Test
  void run_ofASourceThatMovedWithoutNewRows_looksAtTheNewestRowsAndCommitsNothing(
      Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.afterTwoNights(lakehouse);
    shop.sql("OPTIMIZE {bronze}");
    List<Long> commits = commits(shop);

    assertThat(jobsOfARun(shop)).isBetween(1L, 12L);
    assertThat(commits(shop)).isEqualTo(commits);
  }

  private static long jobsOfARun(DeltaShop shop) {
    List<LoadResult> results = new ArrayList<>();
    long jobs = shop.jobsOf(() -> results.add(shop.load().run()));
    assertThat(results.get(0)).foundNothingNew().addsUp().warnsOfNothing().advancedTo(at(TUESDAY));
    return jobs;
  }

  private static List<Long> commits(DeltaShop shop) {
    return TABLES.stream().map(shop::commits).toList();
  }
}
