package io.strandline.samples.benchmark;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.SparkSession;

/**
 * Measures trials, one at a time, while nothing else runs in the session's Spark.
 *
 * <p>What is read is told by Spark's own metrics, of every query that runs, those inside of a MERGE
 * too; what is written, by the files that are there afterwards. What is read without Spark, as a
 * table's log or its few rows by Delta's kernel, shows in the time alone.
 */
final class Meter {
  private final SparkSession spark;

  Meter(SparkSession spark) {
    this.spark = spark;
  }

  Measurement measure(Trial trial) {
    SparkEvents events = new SparkEvents();
    Set<StoredFiles.StoredFile> before = StoredFiles.of(trial.targets());
    // What the trial before has left behind is not this one's to clear away.
    System.gc();
    awaitEvents();
    spark.sparkContext().addSparkListener(events);
    long millis;

    try {
      long start = System.nanoTime();
      trial.run();
      millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      awaitEvents();
    } finally {
      spark.sparkContext().removeSparkListener(events);
    }

    Set<StoredFiles.StoredFile> written = StoredFiles.of(trial.targets());
    written.removeAll(before);
    return new Measurement(
        millis,
        events.jobs(),
        trial.rowsInRange(),
        events.rowsOf(trial.sources()),
        events.filesOf(trial.sources()) + events.filesOf(trial.targets()),
        events.bytesRead(),
        written.size(),
        written.stream().mapToLong(StoredFiles.StoredFile::bytes).sum());
  }

  /** Listeners are told later, on a thread of their own; nothing public waits for it. */
  private void awaitEvents() {
    try {
      spark.sparkContext().listenerBus().waitUntilEmpty();
    } catch (TimeoutException e) {
      throw new IllegalStateException("Cannot measure: Spark does not tell its events.", e);
    }
  }
}
