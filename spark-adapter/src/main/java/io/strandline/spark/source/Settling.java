package io.strandline.spark.source;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** When files are finished, and what plans say of those that are not. */
final class Settling {
  private Settling() {}

  /** Tells whether a file has not been written for a time; without one it is taken as it is. */
  static boolean isSettled(FoundFile file, Instant now, Duration settleTime) {
    return settleTime.isZero() || !file.modifiedAt().isAfter(now.minus(settleTime));
  }

  static String counted(long files) {
    return files == 1 ? "1 file" : files + " files";
  }

  /** Says how many files wait. */
  static String waiting(long files, Duration settleTime) {
    return counted(files)
        + (files == 1
            ? " waits until it has not been written for "
            : " wait until they have not been written for ")
        + settleTime;
  }

  /**
   * Looks at files again after they were read.
   *
   * @throws Problem if one of them was written, or deleted, since it was found
   */
  static void requireUnchanged(FileFolder folder, List<FoundFile> files) {
    for (FoundFile file : files) {
      Optional<FoundFile> now = folder.look(file.path());

      if (!now.equals(Optional.of(file))) {
        throw new Problem(
            ProblemKind.FAILED,
            "read " + file.path(),
            now.isEmpty()
                ? "it was deleted meanwhile"
                : "it was written meanwhile, at " + now.get().modifiedAt(),
            "Let files settle for longer, or rename them into the folder when they are complete.");
      }
    }
  }
}
