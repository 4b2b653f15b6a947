package io.strandline.spark.target;

import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.FileStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** What decides how much of a table a MERGE reads and writes, for {@code explain()}. */
final class MergeAdvice {
  private MergeAdvice() {}

  /**
   * Says it of a table.
   *
   * @param table the table; one that a load still has to create is made well
   * @param keys the keys, as they were declared
   * @return sentences; none if the table is missing
   */
  static List<String> of(DeltaRef table, List<String> keys) {
    Optional<DeltaSnapshot> found = table.findSnapshot();
    List<String> advice = new ArrayList<>();

    if (found.isEmpty()) {
      return advice;
    }

    List<String> lacking = FileStatistics.of(found.get()).lacking(keys);

    if (lacking.isEmpty()) {
      AtomicLong files = new AtomicLong();
      found.get().eachFileSize(size -> files.incrementAndGet());
      advice.add(
          "Of the files of "
              + table.name()
              + ", now "
              + files
              + ", the merge reads those that can hold a key of the range by their statistics of "
              + String.join(", ", keys));
    } else {
      advice.add(
          table.name()
              + " keeps no statistics of "
              + String.join(", ", lacking)
              + ", so the merge reads all of its files. The table property"
              + " 'delta.dataSkippingStatsColumns' names columns that have them, in files that are"
              + " written from then on");
    }

    if (!Boolean.parseBoolean(found.get().properties().get("delta.enableDeletionVectors"))) {
      advice.add(
          table.name()
              + " has no deletion vectors, so the merge copies every file in which a row changes."
              + " The table property 'delta.enableDeletionVectors' spares that, for readers that"
              + " know them");
    }

    return advice;
  }
}
