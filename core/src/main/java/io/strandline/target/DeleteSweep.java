package io.strandline.target;

import static java.util.Objects.requireNonNull;

import com.google.common.hash.Hashing;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.watermark.LoadIdentity;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Compares all keys of the source with those of the target, and deletes what the source no longer
 * has; for sources whose rows go without a word.
 *
 * <p>A sweep goes into the same commit as the rows of its run, and is made also if there is nothing
 * new. It deletes as the target deletes: hard, unless the target declares soft deletes; a history
 * closes the open version. It leaves no tombstones, since a row that the source has again belongs
 * into the target, however old it is.
 *
 * <h2>Brakes</h2>
 *
 * <p>A sweep fails, before anything is written, if the source has no row at all and the target has
 * some, if it would delete more than a share of the target's rows, or more than a number. The
 * failure carries a token; a load that is {@linkplain #approvedBy approved} by it makes exactly
 * that sweep, and no other one. By default a sweep may delete half of the rows.
 *
 * <p>Immutable: every method returns another sweep.
 *
 * <pre>{@code
 * DeleteSweep.everyRun().atMostShare(0.05).within("region", "EU")
 * }</pre>
 */
public final class DeleteSweep {
  private static final double HALF = 0.5;
  private static final int DIGITS = 16;
  private static final double PERCENT = 100;

  private final int every;
  private final double share;
  private final long rows;
  private final Deletes.@Nullable Condition scope;
  private final String approval;

  private DeleteSweep(
      int every, double share, long rows, Deletes.@Nullable Condition scope, String approval) {
    this.every = every;
    this.share = share;
    this.rows = rows;
    this.scope = scope;
    this.approval = approval;
  }

  /** Sweeps with every run. */
  public static DeleteSweep everyRun() {
    return every(1);
  }

  /**
   * Sweeps with every n-th run: those whose number is a multiple of it. A run that finds nothing to
   * do has no number, so the next one sweeps in its place.
   *
   * @param runs the number of runs, from 1
   * @return the sweep
   * @throws IllegalArgumentException if it is less than 1
   */
  public static DeleteSweep every(int runs) {
    if (runs < 1) {
      throw new IllegalArgumentException(
          "Cannot sweep with every " + runs + "-th run: runs are numbered from 1.");
    }

    return new DeleteSweep(runs, HALF, Long.MAX_VALUE, null, "");
  }

  /**
   * Stops a sweep that would delete more than a share of the target's rows, of those in its scope.
   *
   * @param newShare the share, from 0 to 1, which is allowed still; half unless said otherwise
   * @return the sweep
   * @throws IllegalArgumentException if it is less than 0 or more than 1
   */
  public DeleteSweep atMostShare(double newShare) {
    if (!(newShare >= 0 && newShare <= 1)) {
      throw new IllegalArgumentException(
          "Cannot sweep at most a share of " + newShare + ": give one from 0 to 1.");
    }

    return new DeleteSweep(every, newShare, rows, scope, approval);
  }

  /**
   * Stops a sweep that would delete more than a number of rows.
   *
   * @param newRows the number, which is allowed still; not limited unless said otherwise
   * @return the sweep
   * @throws IllegalArgumentException if it is negative
   */
  public DeleteSweep atMostRows(long newRows) {
    if (newRows < 0) {
      throw new IllegalArgumentException("Cannot sweep at most " + newRows + " rows.");
    }

    return new DeleteSweep(every, share, newRows, scope, approval);
  }

  /**
   * Sweeps only rows of the target with a certain value in a column. A target that other loads
   * write to as well needs a scope, or their rows would be swept.
   *
   * @param column the column of the target
   * @param value the value: a boolean, a whole number, a decimal or a text
   * @return the sweep
   * @throws IllegalArgumentException if the name is blank or the value is of another type
   */
  public DeleteSweep within(String column, Object value) {
    return within(new Deletes.ColumnEquals(column, value));
  }

  /**
   * Sweeps only rows of the target that fulfill a condition.
   *
   * @param sqlCondition the condition over the columns of the target, in the engine's SQL; null
   *     counts as false
   * @return the sweep
   * @throws IllegalArgumentException if it is blank
   */
  public DeleteSweep within(String sqlCondition) {
    return within(new Deletes.SqlCondition(sqlCondition));
  }

  private DeleteSweep within(Deletes.Condition condition) {
    return new DeleteSweep(every, share, rows, condition, approval);
  }

  /**
   * Lets the sweep pass that a person was asked about.
   *
   * @param token the token that the failure carried
   * @return the sweep; any other one is stopped as before
   */
  public DeleteSweep approvedBy(String token) {
    return new DeleteSweep(every, share, rows, scope, requireNonNull(token, "token"));
  }

  /** Returns which rows of the target are swept; empty if all are. */
  public Optional<Deletes.Condition> scope() {
    return Optional.ofNullable(scope);
  }

  /**
   * Tells whether a run sweeps.
   *
   * @param number the number that the run has if it commits
   */
  public boolean isDue(long number) {
    return number % every == 0;
  }

  /**
   * What a sweep found, before it deletes anything.
   *
   * @param target the name of the target
   * @param identity what the load's receipts are filed under
   * @param isSourceEmpty whether the source has no row with a key, or none at all
   * @param held rows of the target that could be swept
   * @param swept rows of the target that would be swept
   * @param content a text that differs wherever the keys of those rows differ
   */
  public record Findings(
      String target,
      LoadIdentity identity,
      boolean isSourceEmpty,
      long held,
      long swept,
      String content) {

    /** Returns the token that approves of exactly this sweep. */
    public String token() {
      return Hashing.sha256()
          .hashString(
              String.join("\n", target, identity.toString(), Long.toString(swept), content),
              StandardCharsets.UTF_8)
          .toString()
          .substring(0, DIGITS);
    }
  }

  /**
   * Stops the sweep if it goes too far.
   *
   * @param findings what it found
   * @throws Problem of kind {@code EMPTY_SOURCE_SWEEP} or {@code SWEEP_TOO_LARGE}, with the figures
   *     and the token, if it is not approved
   */
  public void brake(Findings findings) {
    if (findings.swept() == 0 || findings.token().equals(approval)) {
      return;
    }

    if (findings.isSourceEmpty()) {
      throw stopped(
          ProblemKind.EMPTY_SOURCE_SWEEP,
          findings,
          "the source is empty, or no row of it has a key, and the sweep would delete all "
              + findings.swept()
              + " rows");
    }

    if (findings.swept() > rows) {
      throw stopped(
          ProblemKind.SWEEP_TOO_LARGE,
          findings,
          "it would delete "
              + findings.swept()
              + " of "
              + findings.held()
              + " rows, and at most "
              + rows
              + " are allowed");
    }

    if (findings.swept() > share * findings.held()) {
      throw stopped(
          ProblemKind.SWEEP_TOO_LARGE,
          findings,
          String.format(
              Locale.ROOT,
              "it would delete %d of %d rows, which is %.1f %%, and at most %.1f %% are allowed",
              findings.swept(),
              findings.held(),
              PERCENT * findings.swept() / findings.held(),
              PERCENT * share));
    }
  }

  private static Problem stopped(ProblemKind kind, Findings findings, String reason) {
    return new Problem(
            kind,
            "sweep " + findings.target(),
            reason,
            "Look at the source first. If these rows are really gone, run the load"
                + " approving(\""
                + findings.token()
                + "\"), which lets exactly this sweep pass.")
        .approvableBy(findings.token());
  }

  @Override
  public String toString() {
    return "swept with every "
        + (every == 1 ? "run" : every + " runs")
        + (scope == null ? "" : " within " + scope);
  }
}
