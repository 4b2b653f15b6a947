package io.strandline.load;

/**
 * Thrown when the source cannot be planned or read.
 *
 * <p>Nothing was written.
 */
public final class SourceException extends LoadException {
  private static final long serialVersionUID = 1L;

  SourceException(Failure failure, String message) {
    super(failure, message);
  }
}
