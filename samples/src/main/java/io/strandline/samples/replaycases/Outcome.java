package io.strandline.samples.replaycases;

import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import java.util.List;

/** How one run of a load ended. */
sealed interface Outcome {

  /**
   * Returns the words of a case for it: several where a case may call it either.
   *
   * @return some of ok, noop, failed and crashed
   */
  List<String> statuses();

  /** Returns how many rows of the target were inserted, updated or deleted. */
  default long merged() {
    return 0;
  }

  /**
   * The run returned a result.
   *
   * @param result the result
   * @param merged how many rows of the target were inserted, updated or deleted
   */
  record Ended(LoadResult result, long merged) implements Outcome {
    /**
     * A run that read rows again which the target holds already, or that only finished an earlier
     * one, has done its work and changed no row: a case may call that ok as well as noop.
     */
    @Override
    public List<String> statuses() {
      if (!(result instanceof LoadResult.NothingNew)) {
        return List.of("ok");
      }

      return result.counts().read() > 0 || result.notes().recovered().isPresent()
          ? List.of("noop", "ok")
          : List.of("noop");
    }

    @Override
    public String toString() {
      return statuses().get(0) + " (" + result.counts() + ")";
    }
  }

  /**
   * The run failed, or could not even be composed.
   *
   * @param error why
   */
  record Failed(RuntimeException error) implements Outcome {
    @Override
    public List<String> statuses() {
      return List.of("failed");
    }

    ProblemKind kind() {
      if (error instanceof LoadException told) {
        return told.kind();
      }

      if (error instanceof Problem told) {
        return told.kind();
      }

      return error instanceof IllegalArgumentException || error instanceof IllegalStateException
          ? ProblemKind.BAD_CONFIGURATION
          : ProblemKind.FAILED;
    }

    String message() {
      return String.valueOf(error.getMessage());
    }

    @Override
    public String toString() {
      return "failed (" + kind() + ": " + message() + ")";
    }
  }

  /** The process died. */
  record Crashed() implements Outcome {
    @Override
    public List<String> statuses() {
      return List.of("crashed");
    }

    @Override
    public String toString() {
      return "crashed";
    }
  }
}
