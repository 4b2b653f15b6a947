package io.strandline.target;

import java.util.List;

/**
 * What a check found among the rows of a range.
 *
 * @param message what the check says of rows that do not pass it
 * @param rows how many rows there were, at least one
 * @param sample a few of them as text, for a message; may be empty
 */
public record CheckFinding(String message, long rows, List<String> sample) {
  /** Copies the sample. */
  public CheckFinding {
    sample = List.copyOf(sample);
  }

  /** Returns the number of rows and the message, such as {@code 3 rows: the amount is odd}. */
  @Override
  public String toString() {
    return rows + (rows == 1 ? " row: " : " rows: ") + message;
  }
}
