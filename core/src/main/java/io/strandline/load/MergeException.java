package io.strandline.load;

/**
 * Thrown when the target refuses the rows, or what it holds forbids to load on top of it.
 *
 * <p>Nothing was written, but for {@link Aftermath#ROWS_MERGED}: the engine reported a failure
 * after its commit.
 */
public final class MergeException extends LoadException {
  private static final long serialVersionUID = 1L;

  MergeException(Failure failure, String message) {
    super(failure, message);
  }
}
