package io.strandline.load;

/**
 * Thrown when there is no telling whether the rows were merged.
 *
 * <p>The next run finds out from the receipt.
 */
public final class OutcomeUnknownException extends LoadException {
  private static final long serialVersionUID = 1L;

  OutcomeUnknownException(Failure failure, String message) {
    super(failure, message);
  }
}
