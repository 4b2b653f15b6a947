package io.strandline.spark.internal;

import static com.google.common.base.Throwables.getCausalChain;

import com.google.common.util.concurrent.Striped;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.failsafe.RetryPolicy;
import io.delta.exceptions.DeltaConcurrentModificationException;
import io.delta.kernel.exceptions.MaxCommitRetryLimitReachedException;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.functions;

/**
 * Commits again that lost against another writer's, where the work is safe to begin anew.
 *
 * <p>The pause between two tries grows and is spread at random, so that writers who collided do not
 * collide again in step. Safe for use by several threads.
 */
public final class Conflicts {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);
  private static final double SPREAD = 0.5;
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final String MARK = "strandline: not as it was read";

  private static final RetryPolicy<Object> POLICY =
      RetryPolicy.builder()
          .handleIf(Conflicts::isConflict)
          .withBackoff(FIRST_PAUSE, LONGEST_PAUSE)
          .withJitter(SPREAD)
          .withMaxDuration(PATIENCE)
          .withMaxRetries(-1)
          .build();

  /** One lock per table, for as long as somebody holds it. */
  private static final Striped<Lock> QUEUES = Striped.lazyWeakLock(Integer.MAX_VALUE);

  private Conflicts() {}

  /**
   * Does some work while nobody else in this process works on a table.
   *
   * <p>For commits that conflict with each other for certain: waiting costs less than colliding.
   *
   * @param table the table
   * @param work the work
   * @param <T> what the work gives
   * @return what the work gave
   */
  public static <T> T oneAtATime(DeltaRef table, Supplier<T> work) {
    Lock queue = QUEUES.get(table.sqlIdentifier());
    queue.lock();

    try {
      return work.get();
    } finally {
      queue.unlock();
    }
  }

  /**
   * Does some work while nobody else in this process works on a table; see above.
   *
   * @param table the table
   * @param work the work
   */
  public static void oneAtATime(DeltaRef table, Runnable work) {
    Lock queue = QUEUES.get(table.sqlIdentifier());
    queue.lock();

    try {
      work.run();
    } finally {
      queue.unlock();
    }
  }

  /**
   * Returns a column that fails the statement when it is evaluated, so that nothing is committed;
   * the work is then begun anew.
   */
  public static Column missed() {
    return functions.raise_error(functions.lit(MARK));
  }

  /**
   * Tells whether a statement failed because {@link #missed} was evaluated.
   *
   * @param thrown what the statement threw
   * @return whether it did
   */
  public static boolean isMissed(Throwable thrown) {
    return getCausalChain(thrown).stream()
        .anyMatch(e -> String.valueOf(e.getMessage()).contains(MARK));
  }

  /**
   * Does some work, and again for as long as other writers come first.
   *
   * @param task what the work is, as it follows "Cannot"
   * @param work reads the table, checks what it finds, and commits once; a try that does not commit
   *     leaves nothing behind
   * @param <T> what the work gives
   * @return what the work gave
   * @throws Problem if other writers came first for minutes
   */
  public static <T> T outlasting(String task, Supplier<T> work) {
    try {
      return Failsafe.with(POLICY).get(work::get);
    } catch (RuntimeException e) {
      throw explained(task, e);
    }
  }

  /**
   * Does some work, and again for as long as other writers come first; see above.
   *
   * @param task what the work is, as it follows "Cannot"
   * @param work reads the table, checks what it finds, and commits once
   * @throws Problem if other writers came first for minutes
   */
  public static void outlasting(String task, Runnable work) {
    try {
      Failsafe.with(POLICY).run(work::run);
    } catch (RuntimeException e) {
      throw explained(task, e);
    }
  }

  private static RuntimeException explained(String task, RuntimeException e) {
    if (isConflict(e)) {
      return new Problem(
          ProblemKind.FAILED,
          task,
          "other writers changed the table each time, for " + PATIENCE.toMinutes() + " minutes",
          "Run it again when fewer are at work.",
          e);
    }

    // Spark throws checked exceptions that it does not declare, and Failsafe wraps them.
    Throwable cause = e.getCause();
    return e instanceof FailsafeException && cause != null
        ? new Problem(ProblemKind.FAILED, task, firstLine(cause), "", cause)
        : e;
  }

  private static String firstLine(Throwable cause) {
    String line = cause.toString().lines().findFirst().orElse("");
    return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
  }

  private static boolean isConflict(Throwable thrown) {
    return getCausalChain(thrown).stream()
        .anyMatch(
            e ->
                e instanceof DeltaConcurrentModificationException
                    || e instanceof MaxCommitRetryLimitReachedException
                    || isMissed(e));
  }
}
