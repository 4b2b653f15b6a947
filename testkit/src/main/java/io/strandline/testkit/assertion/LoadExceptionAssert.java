package io.strandline.testkit.assertion;

import io.strandline.load.Aftermath;
import io.strandline.load.LoadException;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import org.assertj.core.api.AbstractThrowableAssert;

/** Assertions on why a run failed and what it left. */
public final class LoadExceptionAssert
    extends AbstractThrowableAssert<LoadExceptionAssert, LoadException> {
  LoadExceptionAssert(LoadException actual) {
    super(actual, LoadExceptionAssert.class);
  }

  /**
   * Verifies the kind of trouble.
   *
   * @param expected the kind
   * @return this
   */
  public LoadExceptionAssert isOfKind(ProblemKind expected) {
    return verify("kind", expected, actual.kind());
  }

  /**
   * Verifies the step that failed.
   *
   * @param expected the step
   * @return this
   */
  public LoadExceptionAssert isAt(LoadStep expected) {
    return verify("step", expected, actual.step());
  }

  /**
   * Verifies what is true after the failure.
   *
   * @param expected what is true
   * @return this
   */
  public LoadExceptionAssert leaves(Aftermath expected) {
    return verify("aftermath", expected, actual.aftermath());
  }

  private LoadExceptionAssert verify(String fact, Object expected, Object found) {
    if (!found.equals(expected)) {
      throw failure(
          "%nExpecting %s:%n  %s%nbut it was:%n  %s%nwith the message:%n  %s",
          fact, expected, found, actual.getMessage());
    }

    return this;
  }
}
