package io.strandline.spark.source;

import java.time.Instant;
import java.util.Comparator;

/**
 * A file as a folder shows it. Another size or time means that it was written again.
 *
 * @param path where it lies, qualified
 * @param modifiedAt when it was written last, by the file system's clock
 * @param size its bytes
 */
record FoundFile(String path, Instant modifiedAt, long size) {
  /** In the order in which files arrived; those of one moment by path. */
  static final Comparator<FoundFile> BY_ARRIVAL =
      Comparator.comparing(FoundFile::modifiedAt).thenComparing(FoundFile::path);
}
