package io.strandline.samples.replaycases;

import java.util.List;

/** How the replay of a case ended. */
sealed interface Verdict {

  /** Returns the line that tells it. */
  String line();

  /**
   * Everything came out as expected.
   *
   * @param id the case
   */
  record Passed(String id) implements Verdict {
    @Override
    public String line() {
      return "PASS " + id;
    }
  }

  /**
   * Something came out differently.
   *
   * @param id the case
   * @param difference what was expected and what it was
   * @param cause what was thrown
   */
  record Failed(String id, String difference, Throwable cause) implements Verdict {
    @Override
    public String line() {
      return "FAIL " + id + ": " + difference.replaceAll("\\s*\\R\\s*", " ");
    }
  }

  /**
   * The case asks for something that is not there.
   *
   * @param id the case
   * @param missing what is not there
   */
  record Unsupported(String id, List<String> missing) implements Verdict {
    @Override
    public String line() {
      return "UNSUPPORTED " + id + ": " + String.join(", ", missing);
    }
  }
}
