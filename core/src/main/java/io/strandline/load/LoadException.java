package io.strandline.load;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.watermark.LoadName;
import java.util.Optional;

/**
 * Thrown by a load when a run fails; tells what is true now.
 *
 * <table>
 * <caption>What is true after a failed run</caption>
 * <tr><th>aftermath</th><th>rows merged</th><th>watermark moved</th><th>next run</th></tr>
 * <tr><td>{@link Aftermath#NOTHING_WRITTEN}</td><td>no</td><td>no</td>
 *     <td>reads the same rows again</td></tr>
 * <tr><td>{@link Aftermath#ROWS_MERGED}</td><td>yes</td><td>no</td>
 *     <td>finds the receipt, moves the watermark, merges nothing twice</td></tr>
 * <tr><td>{@link Aftermath#UNKNOWN}</td><td>perhaps</td><td>no</td>
 *     <td>finds out from the receipt which it was</td></tr>
 * </table>
 *
 * <p>A wrong declaration that can be seen without reading anything is an {@link
 * IllegalArgumentException} or {@link IllegalStateException} when the load is built, never one of
 * these.
 */
public abstract sealed class LoadException extends RuntimeException
    permits SourceException,
        CleanException,
        MergeException,
        WatermarkException,
        OutcomeUnknownException {
  private static final long serialVersionUID = 1L;

  private final String load;
  private final LoadStep step;
  private final ProblemKind kind;
  private final String watermark;
  private final Aftermath aftermath;

  LoadException(Failure failure, String message) {
    super(message, failure.cause());
    this.load = failure.load().value();
    this.step = failure.step();
    this.kind = failure.kind();
    this.watermark = failure.watermark();
    this.aftermath = failure.aftermath();
  }

  /** Returns the load that failed. */
  public LoadName load() {
    return new LoadName(load);
  }

  /** Returns the step that failed. */
  public LoadStep step() {
    return step;
  }

  /** Returns the kind of trouble, so that no caller has to read the message. */
  public ProblemKind kind() {
    return kind;
  }

  /** Returns the watermark that is stored now, as text; empty if it could not be read. */
  public String watermark() {
    return watermark;
  }

  /** Returns what is true now. */
  public Aftermath aftermath() {
    return aftermath;
  }

  /**
   * Returns the token that lets exactly what was refused pass, if a person approves of it: see
   * {@link IncrementalLoad#approving}.
   *
   * @return the token; empty if there is nothing to approve
   */
  public Optional<String> approval() {
    return getCause() instanceof Problem problem ? problem.approval() : Optional.empty();
  }

  /**
   * Tells whether running the load again, with nothing changed, may succeed.
   *
   * <p>Running it again is always safe; this tells whether it is useful.
   */
  public boolean isRerunUseful() {
    return switch (kind) {
      case CONCURRENT_RUN, TARGET_CONFLICT, FAILED -> true;
      default -> false;
    };
  }
}
