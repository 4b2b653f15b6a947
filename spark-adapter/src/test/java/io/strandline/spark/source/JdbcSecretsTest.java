package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.spark.load.DeltaLoadLog;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.util.QueryExecutionListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The password is in no message, log, plan, receipt, load log or result. */
@ExtendWith(LakehouseExtension.class)
class JdbcSecretsTest {
  private final TestDatabase database = TestDatabase.h2();
  private final List<String> shown = new CopyOnWriteArrayList<>();

  @Test
  void password_isShownNowhere(Lakehouse tables) {
    database.run(
        "CREATE TABLE orders (\"id\" BIGINT, \"at\" TIMESTAMP(6) WITH TIME ZONE)",
        "INSERT INTO orders VALUES (1, '2026-06-01 10:00:00+00')");
    tables.spark().listenerManager().register(plans());
    IncrementalLoad<Dataset<Row>> load =
        IncrementalLoad.named("orders")
            .from(
                JdbcTableSource.forTable(tables.spark(), database.database(), "orders")
                    .newerBy("at")
                    .timedBy(Clock.fixed(Instant.parse("2026-06-01T12:00:00Z"), ZoneOffset.UTC)))
            .into(
                DeltaMergeTarget.forName(tables.spark(), "silver")
                    .matchedOn("id")
                    .createdIfMissing())
            .trackedIn(DeltaWatermarkStore.forName(tables.spark(), "etl_watermark"))
            .loggedIn(DeltaLoadLog.forName(tables.spark(), "load_log"))
            .heardBy(event -> shown.add(event.toString()))
            .build();

    try (LogWatch watch = LogWatch.begin(shown)) {
      assertThat(watch.isStarted()).isTrue();
      shown.add(load.plan().explanation());
      LoadResult result = load.run();
      shown.add(result + " " + result.notes() + " " + load);
      assertThat(result.rowsMerged()).isEqualTo(1);
      database.run("ALTER TABLE orders DROP COLUMN \"at\"");
      shown.add(failureOf(load));
    }

    for (String table : List.of("silver", "etl_watermark", "load_log")) {
      tables.spark().table(table).toJSON().collectAsList().forEach(shown::add);
      tables.spark().sql("DESCRIBE HISTORY " + table).toJSON().collectAsList().forEach(shown::add);
    }

    // Counting jobs waits until every listener was told.
    assertThat(tables.jobsOf(() -> {})).isZero();
    assertThat(shown).hasSizeGreaterThan(50).anyMatch(text -> text.contains("JDBCRelation"));
    assertThat(shown).noneMatch(text -> text.contains(TestDatabase.PASSWORD));
  }

  private static String failureOf(IncrementalLoad<Dataset<Row>> load) {
    try {
      load.run();
      throw new AssertionError("The column is gone, and the run did not fail.");
    } catch (LoadException e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      return trace.toString();
    }
  }

  private QueryExecutionListener plans() {
    return new QueryExecutionListener() {
      @Override
      public void onSuccess(String name, QueryExecution query, long nanoseconds) {
        shown.add(query.toString());
      }

      @Override
      public void onFailure(String name, QueryExecution query, Exception exception) {
        shown.add(query.toString() + exception);
      }
    };
  }

  /** Reads everything that is logged where only DEBUG and TRACE are off. */
  private static final class LogWatch extends AbstractAppender implements AutoCloseable {
    private final List<String> lines;
    private final LoggerConfig root;
    private final Level before;
    private final Appender console;

    private LogWatch(List<String> lines, LoggerConfig root) {
      super("watch", null, null, true, Property.EMPTY_ARRAY);
      this.lines = lines;
      this.root = root;
      this.before = root.getLevel();
      this.console = requireNonNull(root.getAppenders().get("console"));
    }

    static LogWatch begin(List<String> lines) {
      LoggerContext context = (LoggerContext) LogManager.getContext(false);
      LoggerConfig root = context.getConfiguration().getRootLogger();
      LogWatch watch = new LogWatch(lines, root);
      watch.start();
      root.removeAppender("console");
      root.addAppender(watch, Level.INFO, null);
      root.setLevel(Level.INFO);
      context.updateLoggers();
      return watch;
    }

    @Override
    public void append(LogEvent event) {
      lines.add(event.getMessage().getFormattedMessage() + event.getThrown());
    }

    @Override
    public void close() {
      root.removeAppender(getName());
      root.setLevel(before);
      root.addAppender(console, before, null);
      ((LoggerContext) LogManager.getContext(false)).updateLoggers();
      stop();
    }
  }
}
