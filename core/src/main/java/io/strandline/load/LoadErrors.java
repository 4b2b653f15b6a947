package io.strandline.load;

import static java.util.stream.Collectors.joining;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.target.CheckFinding;
import io.strandline.target.Verb;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.WatermarkRange;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes every exception that a run throws: what and why, what is true now, what to do. */
final class LoadErrors {
  private static final int SHARE_DIGITS = 3;

  private LoadErrors() {}

  /** Makes the exception of a failed step of a run. */
  static LoadException of(
      LoadName load,
      LoadStep step,
      String task,
      String watermark,
      Aftermath aftermath,
      Exception cause) {
    return of(load, Verb.RUN, step, task, watermark, aftermath, cause);
  }

  /**
   * Makes the exception of a failed step.
   *
   * @param load the load
   * @param verb what was asked
   * @param step the step
   * @param task what could not be done, unless the cause is a problem and tells it
   * @param watermark the stored watermark as text; empty if it was not read
   * @param aftermath what is true now
   * @param cause what the part threw
   */
  static LoadException of(
      LoadName load,
      Verb verb,
      LoadStep step,
      String task,
      String watermark,
      Aftermath aftermath,
      Exception cause) {
    Problem problem =
        cause instanceof Problem told
            ? told
            : new Problem(ProblemKind.FAILED, task, reason(cause), "", cause);
    Failure failure = new Failure(load, step, problem.kind(), watermark, aftermath, cause);
    String message =
        "Cannot "
            + problem.task()
            + " for load '"
            + load
            + "': "
            + problem.reason()
            + ". "
            + truth(verb, aftermath, problem.kind(), watermark)
            + (problem.remedy().isEmpty() ? "" : " " + problem.remedy());

    if (aftermath == Aftermath.UNKNOWN) {
      return new OutcomeUnknownException(failure, message);
    }

    return switch (step) {
      case READ, ADVANCE, LOG -> {
        if (verb == Verb.REDRIVE && step == LoadStep.ADVANCE) {
          yield new MergeException(failure, message);
        }

        yield problem.kind() == ProblemKind.CONCURRENT_RUN
            ? new WatermarkConflictException(failure, message)
            : new WatermarkException(failure, message);
      }
      case PLAN -> new SourceException(failure, message);
      case CLEAN ->
          switch (problem.kind()) {
            case FAILED -> new CleanException(failure, message);
            case SOURCE_RECREATED, SOURCE_HISTORY_LOST, NULL_CURSOR ->
                new SourceException(failure, message);
            default -> new MergeException(failure, message);
          };
      case REJECT ->
          switch (problem.kind()) {
            case CHECK_FAILED, TOO_MANY_REJECTED -> new CleanException(failure, message);
            default -> new MergeException(failure, message);
          };
      case RECOVER, MERGE -> new MergeException(failure, message);
    };
  }

  private static String truth(Verb verb, Aftermath aftermath, ProblemKind kind, String watermark) {
    String stays =
        switch (watermark) {
          case "" -> "the watermark has not moved";
          case "the start" -> "no watermark is stored";
          default -> "the watermark stays at " + watermark;
        };

    if (verb == Verb.REDRIVE) {
      return switch (aftermath) {
        case NOTHING_WRITTEN ->
            "Nothing was merged and " + stays + "; the entries wait for the next redrive().";
        case ROWS_MERGED ->
            "The rows are merged and "
                + stays
                + "; the next redrive() finds the receipt, marks their entries, and merges nothing"
                + " twice.";
        case UNKNOWN ->
            "Whether the rows were merged is not known, and "
                + stays
                + "; the next redrive() finds out from the receipt.";
      };
    }

    return switch (aftermath) {
      case NOTHING_WRITTEN ->
          "Nothing was merged and " + stays + "; the next run reads the same rows.";
      case ROWS_MERGED ->
          "The rows are merged and "
              + switch (kind) {
                case CONCURRENT_RUN ->
                    stays + "; the next run goes on from there, and merges nothing twice.";
                case CONTRADICTION ->
                    "the store is another one; the next run begins with what it holds then.";
                default ->
                    stays
                        + "; the next run finds the receipt, moves the watermark, and merges"
                        + " nothing twice.";
              };
      case UNKNOWN ->
          "Whether the rows were merged is not known, and "
              + stays
              + "; the next run finds out from the receipt.";
    };
  }

  /** Says what a foreign exception says: its type, and the first line of its message. */
  private static String reason(Exception cause) {
    String message = firstLine(cause.getMessage());
    return cause.getClass().getSimpleName() + (message.isEmpty() ? "" : ": " + message);
  }

  private static String firstLine(@Nullable String message) {
    String line = message == null ? "" : message.strip().lines().findFirst().orElse("");
    return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
  }

  static Problem contradiction(String store, String target, long storeNumber, long targetNumber) {
    return new Problem(
        ProblemKind.CONTRADICTION,
        "tell how far the last run got",
        store
            + " says that run "
            + storeNumber
            + " was the last, and "
            + target
            + " holds the receipt of run "
            + targetNumber
            + (targetNumber == 0 ? " (none at all)" : "")
            + "; a run that died explains only a target that is one ahead",
        "If the target was replaced by a copy, or the store restored from a backup, call rewind(..)"
            + " with the watermark to go on from, or reload().");
  }

  static Problem disturbed(String target, String disturbances) {
    return new Problem(
        ProblemKind.TARGET_DISTURBED,
        "load on top of " + target,
        "since the last run " + disturbances,
        "Call rewind(..) with the watermark that the target's rows now reach, or reload(); each"
            + " accepts the target as it is.");
  }

  static Problem redeclared(String then, String now) {
    return new Problem(
        ProblemKind.DECLARATION_CHANGED,
        "go on with another declaration",
        "the last run was declared as " + then + ", this one as " + now,
        "Declare it as before, or call redeclared() on the builder if the change is meant.");
  }

  static Problem usedByAnother(String target, long number, String attempt) {
    return new Problem(
        ProblemKind.CONCURRENT_RUN,
        "merge rows into " + target,
        "attempt " + attempt + " has committed run " + number + " meanwhile",
        "Run the load again, and let only one run at a time be scheduled.");
  }

  static Problem wouldAppendTwice(String target) {
    return new Problem(
        ProblemKind.DECISION_NEEDED,
        "load a range again into " + target,
        "it appends, so the rows of the range would stand there twice",
        "Delete the rows of the range first and append them by a load of their own, or reload().");
  }

  static Problem holdsRowsOfUnknownOrigin(String target) {
    return new Problem(
        ProblemKind.DECISION_NEEDED,
        "append everything to " + target,
        "it holds rows already, no watermark is stored, and no receipt of the load tells where the"
            + " rows came from",
        "If the source's rows are not among them, call rewind(..) with Watermark.start(); if they"
            + " are, with the watermark that they reach; or call reload() to overwrite them.");
  }

  static Problem receiptUnreadable(String target, long number) {
    return new Problem(
        ProblemKind.DECISION_NEEDED,
        "append on top of run " + number + " of " + target,
        "its receipt can no longer be read, so nobody can tell which rows are there already",
        "Look at the rows, then call rewind(..) with the watermark that they reach, which may be"
            + " the stored one; or call reload().");
  }

  static Problem wouldRepeat(String target, WatermarkRange next, long number, WatermarkRange last) {
    return new Problem(
        ProblemKind.DECISION_NEEDED,
        "append the range " + next + " to " + target,
        "run "
            + number
            + " has appended "
            + last
            + ", and the rows that both have would stand there"
            + " twice",
        "If the watermark was taken back by mistake, call rewind(..) with "
            + last.upTo()
            + "; if the rows of that run were deleted, call rewind(..) with the watermark to go on"
            + " from; or call reload().");
  }

  static Problem checkFailed(List<CheckFinding> findings, String quarantine) {
    return new Problem(
        ProblemKind.CHECK_FAILED,
        "go on with rows that do not pass a check",
        findings.stream()
            .map(
                finding ->
                    finding
                        + finding.sample().stream()
                            .collect(
                                joining(", ", finding.sample().isEmpty() ? "" : ", such as ", "")))
            .collect(joining("; ")),
        "They are in " + quarantine + ". Correct them at the source, or change the check.");
  }

  static Problem tooManyRejected(long rejected, long read, double limit, String quarantine) {
    return new Problem(
        ProblemKind.TOO_MANY_REJECTED,
        "go on without the rejected rows",
        rejected
            + " of "
            + read
            + " rows were rejected, a share of "
            + share((double) rejected / read)
            + ", and rejectingAtMost(..) allows "
            + share(limit),
        "They are in "
            + quarantine
            + ", with their reasons. Look at the commonest ones; then correct the source or the"
            + " cleaner, or raise the limit.");
  }

  private static String share(double share) {
    return BigDecimal.valueOf(share)
        .round(new MathContext(SHARE_DIGITS))
        .stripTrailingZeros()
        .toPlainString();
  }

  static Problem unknownStream(Set<StreamName> asked, Set<StreamName> streams) {
    return new Problem(
        ProblemKind.BAD_CONFIGURATION,
        "rewind streams " + names(asked),
        "the source has the streams " + names(streams),
        "Name streams of the source.");
  }

  private static String names(Set<StreamName> streams) {
    return streams.stream().sorted().map(name -> "'" + name + "'").collect(joining(", "));
  }

  static Problem movedMeanwhile(String store, String expected, String found) {
    return new Problem(
        ProblemKind.CONCURRENT_RUN,
        "move the watermark in " + store + " on from " + expected,
        "it now holds " + found + ", so another run or a person has moved it meanwhile",
        "Run the load again, and let only one run at a time be scheduled.");
  }
}
