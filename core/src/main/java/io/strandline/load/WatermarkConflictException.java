package io.strandline.load;

/** Thrown when another run, or a person, has moved the watermark meanwhile. */
public final class WatermarkConflictException extends WatermarkException {
  private static final long serialVersionUID = 1L;

  WatermarkConflictException(Failure failure, String message) {
    super(failure, message);
  }
}
