package io.strandline.spark.proof;

import java.util.stream.IntStream;

/** How often the tests of what happens by chance run: {@code -Dstrandline.repeats=N}. */
final class Repeats {
  private Repeats() {}

  /** For {@code @MethodSource}. */
  static IntStream all() {
    return IntStream.rangeClosed(1, Integer.getInteger("strandline.repeats", 1));
  }
}
