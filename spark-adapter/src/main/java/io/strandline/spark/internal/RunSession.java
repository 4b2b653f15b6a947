package io.strandline.spark.internal;

import java.util.Map;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A session for one command, with the caller's settings and the command's own.
 *
 * <p>Delta takes the transaction's application id, number and metadata from the settings of a
 * session. Left in the caller's session they would make Delta skip the caller's next command
 * without a word, so every command of ours gets a session of its own.
 */
public final class RunSession {
  private static final String APP_ID = "spark.databricks.delta.write.txnAppId";
  private static final String NUMBER = "spark.databricks.delta.write.txnVersion";
  private static final String USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata";

  private static final String ADAPTIVE = "spark.sql.adaptive.enabled";
  private static final String SHUFFLE_TASKS = "spark.sql.shuffle.partitions";

  /**
   * Whether executors have a class loader for this session alone. Nobody adds artifacts to a
   * session of ours, and what Spark has compiled for one class loader it compiles again for the
   * next: in each run the same code, which the JVM then has yet to make fast.
   */
  private static final String OWN_CLASSES = "spark.sql.artifact.isolation.enabled";

  private RunSession() {}

  /**
   * Makes a session with the caller's settings, without those of a transaction.
   *
   * @param caller the caller's session
   * @return another session on the same engine and catalogs
   */
  public static SparkSession of(SparkSession caller) {
    SparkSession session = caller.newSession();

    for (Map.Entry<String, String> setting :
        CollectionConverters.asJava(caller.conf().getAll()).entrySet()) {
      if (session.conf().isModifiable(setting.getKey())) {
        session.conf().set(setting.getKey(), setting.getValue());
      }
    }

    // Spark looks at this once, when the session runs its first job.
    session.conf().set(OWN_CLASSES, "false");
    session.conf().unset(APP_ID);
    session.conf().unset(NUMBER);
    session.conf().unset(USER_METADATA);
    return session;
  }

  /**
   * Makes a session whose next write carries a number and a text in its commit.
   *
   * @param caller the caller's session
   * @param appId what the number is filed under
   * @param number the number; Delta skips the write if it knows this number or a greater one
   * @param userMetadata the text that the commit remembers
   * @return another session on the same engine and catalogs, for one write only
   */
  public static SparkSession committing(
      SparkSession caller, String appId, long number, String userMetadata) {
    SparkSession session = of(caller);
    session.conf().set(APP_ID, appId);
    session.conf().set(NUMBER, Long.toString(number));
    session.conf().set(USER_METADATA, userMetadata);
    return session;
  }

  /**
   * Lets a session of ours plan a query once, for few rows: looking again after every stage what
   * the next should be takes longer than their stages.
   *
   * @param session the session
   * @param tasks how many tasks the rows deserve after a shuffle; the caller's setting is the most
   */
  public static void planAtOnce(SparkSession session, int tasks) {
    session.conf().set(ADAPTIVE, "false");
    int most = Integer.parseInt(session.conf().get(SHUFFLE_TASKS));
    session.conf().set(SHUFFLE_TASKS, Integer.toString(Math.min(most, tasks)));
  }
}
