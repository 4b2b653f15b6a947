package io.strandline.problem;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a part of a load when it cannot do its work.
 *
 * <p>A part knows what it could not do, why, and what to do about it. It does not know whether rows
 * were merged or the watermark moved; the load catches the problem and adds that.
 */
public final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ProblemKind kind;
  private final String task;
  private final String reason;
  private final String remedy;
  private final String approval;

  /**
   * Makes a problem without a cause.
   *
   * @param kind the kind of trouble
   * @param task what could not be done, as it follows "Cannot", such as {@code read bronze_orders
   *     newer by '_loadedat'}
   * @param reason why, with values, as it follows a colon, without the final period
   * @param remedy what to do, whole sentences; empty if there is nothing to say
   */
  public Problem(ProblemKind kind, String task, String reason, String remedy) {
    this(kind, task, reason, remedy, null);
  }

  /**
   * Makes a problem with a cause.
   *
   * @param kind the kind of trouble
   * @param task what could not be done, as it follows "Cannot"
   * @param reason why, with values, as it follows a colon, without the final period
   * @param remedy what to do, whole sentences; empty if there is nothing to say
   * @param cause what the engine threw
   */
  public Problem(
      ProblemKind kind, String task, String reason, String remedy, @Nullable Throwable cause) {
    this(kind, task, reason, remedy, "", cause);
  }

  private Problem(
      ProblemKind kind,
      String task,
      String reason,
      String remedy,
      String approval,
      @Nullable Throwable cause) {
    super("Cannot " + task + ": " + reason + "." + (remedy.isEmpty() ? "" : " " + remedy), cause);
    this.kind = requireNonNull(kind, "kind");
    this.task = requireNonNull(task, "task");
    this.reason = requireNonNull(reason, "reason");
    this.remedy = requireNonNull(remedy, "remedy");
    this.approval = requireNonNull(approval, "approval");
  }

  /**
   * Makes a problem that a person can overrule.
   *
   * @param token what the person gives to let exactly this pass
   * @return the same problem with that token
   */
  public Problem approvableBy(String token) {
    return new Problem(kind, task, reason, remedy, token, getCause());
  }

  /** Returns the kind of trouble. */
  public ProblemKind kind() {
    return kind;
  }

  /** Returns what could not be done, as it follows "Cannot". */
  public String task() {
    return task;
  }

  /** Returns why, with values, without the final period. */
  public String reason() {
    return reason;
  }

  /** Returns what to do, whole sentences; empty if there is nothing to say. */
  public String remedy() {
    return remedy;
  }

  /** Returns what a person gives to let exactly this pass; empty if nothing does. */
  public Optional<String> approval() {
    return Optional.of(approval).filter(token -> !token.isEmpty());
  }
}
