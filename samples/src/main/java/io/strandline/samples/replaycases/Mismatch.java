package io.strandline.samples.replaycases;

/** Thrown where a case does not come out as expected. */
final class Mismatch extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Mismatch(String expected, String got) {
    super("expected " + expected + " got " + got);
  }
}
