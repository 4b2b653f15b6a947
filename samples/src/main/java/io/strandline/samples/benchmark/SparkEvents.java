package io.strandline.samples.benchmark;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.execution.SparkPlanInfo;
import org.apache.spark.sql.execution.metric.SQLMetricInfo;
import org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates;
import org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import scala.Option;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What Spark tells of the queries that run while it listens.
 *
 * <p>Plans say which counters belong to scans, and of which table; tasks and the driver say by how
 * much the counters have gone up. Both are put together when somebody asks, since a plan that is
 * changed while it runs is told of late. A plan that is told of twice has the same counters.
 */
final class SparkEvents extends SparkListener {
  private static final String ROWS = "number of output rows";
  private static final String FILES = "number of files read";

  private final Map<Long, Counter> counters = new HashMap<>();
  private final Map<Long, Long> counts = new HashMap<>();
  private long jobs;
  private long bytesRead;

  /**
   * A counter of a scan.
   *
   * @param name what it counts
   * @param location the files that are scanned, in Spark's words
   */
  private record Counter(String name, String location) {}

  @Override
  public void onJobStart(SparkListenerJobStart start) {
    jobs++;
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    CollectionConverters.asJava(end.taskInfo().accumulables()).forEach(this::count);

    // A task that was lost has none.
    if (end.taskMetrics() != null) {
      bytesRead += end.taskMetrics().inputMetrics().bytesRead();
    }
  }

  private void count(AccumulableInfo counter) {
    Option<Object> update = counter.update();

    if (update.isDefined() && update.get() instanceof Long more) {
      counts.merge(counter.id(), more, Long::sum);
    }
  }

  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    if (event instanceof SparkListenerSQLExecutionStart start) {
      note(start.sparkPlanInfo());
    } else if (event instanceof SparkListenerSQLAdaptiveExecutionUpdate update) {
      note(update.sparkPlanInfo());
    } else if (event instanceof SparkListenerDriverAccumUpdates updates) {
      CollectionConverters.asJava(updates.accumUpdates()).forEach(this::count);
    }
  }

  private void count(Tuple2<Object, Object> update) {
    counts.merge((Long) update._1(), (Long) update._2(), Long::sum);
  }

  private void note(SparkPlanInfo plan) {
    Option<String> location = plan.metadata().get("Location");

    if (location.isDefined()) {
      for (SQLMetricInfo metric : CollectionConverters.asJava(plan.metrics())) {
        counters.put(metric.accumulatorId(), new Counter(metric.name(), location.get()));
      }
    }

    CollectionConverters.asJava(plan.children()).forEach(this::note);
  }

  /** Returns how many jobs have started. */
  long jobs() {
    return jobs;
  }

  /** Returns how many bytes tasks have read. */
  long bytesRead() {
    return bytesRead;
  }

  /**
   * Returns how many rows scans of tables have given.
   *
   * @param tables the folders of the tables
   */
  long rowsOf(Set<Path> tables) {
    return sum(ROWS, tables);
  }

  /**
   * Returns how many files of tables were scanned.
   *
   * @param tables the folders of the tables
   */
  long filesOf(Set<Path> tables) {
    return sum(FILES, tables);
  }

  private long sum(String name, Set<Path> tables) {
    long sum = 0;

    for (Map.Entry<Long, Counter> entry : counters.entrySet()) {
      Counter counter = entry.getValue();

      if (counter.name().equals(name) && isOfAny(tables, counter.location())) {
        sum += counts.getOrDefault(entry.getKey(), 0L);
      }
    }

    return sum;
  }

  /** A location ends with the table's folder, such as {@code TahoeFileIndex[file:/silver]}. */
  private static boolean isOfAny(Set<Path> tables, String location) {
    return tables.stream().anyMatch(table -> location.contains(table + "]"));
  }
}
