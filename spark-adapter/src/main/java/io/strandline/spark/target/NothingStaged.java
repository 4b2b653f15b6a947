package io.strandline.spark.target;

import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.Receipt;
import io.strandline.target.StagedMerge;
import io.strandline.watermark.TableSnapshot;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** What is ready of a sweep for a table that does not exist: nothing. */
final class NothingStaged implements StagedMerge<Dataset<Row>> {
  @Override
  public long accepted() {
    return 0;
  }

  @Override
  public long rejectedRows() {
    return 0;
  }

  @Override
  public List<Dataset<Row>> rejected() {
    return List.of();
  }

  @Override
  public MergeOutcome merge(Receipt receipt) {
    return new MergeOutcome.NothingToDo(MergeCounts.none(), TableSnapshot.unknown());
  }
}
