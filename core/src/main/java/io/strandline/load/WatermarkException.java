package io.strandline.load;

/**
 * Thrown when the watermark cannot be read or moved.
 *
 * <p>After a failed read nothing was written; after a failed move the rows are merged.
 */
public sealed class WatermarkException extends LoadException permits WatermarkConflictException {
  private static final long serialVersionUID = 1L;

  WatermarkException(Failure failure, String message) {
    super(failure, message);
  }
}
