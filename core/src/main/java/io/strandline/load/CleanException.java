package io.strandline.load;

/**
 * Thrown when the rows cannot be read and cleaned.
 *
 * <p>Nothing was written.
 */
public final class CleanException extends LoadException {
  private static final long serialVersionUID = 1L;

  CleanException(Failure failure, String message) {
    super(failure, message);
  }
}
