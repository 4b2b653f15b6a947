package io.strandline.testkit.assertion;

import static java.util.stream.Collectors.joining;

import io.strandline.testkit.fake.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What differs between the rows that were expected and the rows that are there, compared as
 * multisets.
 *
 * <p>Immutable.
 */
public final class RowDifference {
  private final List<String> columns;
  private final int equal;
  private final List<Map<String, @Nullable Object>> missing;
  private final List<Map<String, @Nullable Object>> unexpected;

  private RowDifference(
      List<String> columns,
      int equal,
      List<Map<String, @Nullable Object>> missing,
      List<Map<String, @Nullable Object>> unexpected) {
    this.columns = columns;
    this.equal = equal;
    this.missing = missing;
    this.unexpected = unexpected;
  }

  /**
   * Compares two collections of rows; their order does not matter, how often a row occurs does.
   *
   * @param expected the rows that should be there
   * @param actual the rows that are there
   * @return what differs
   */
  public static RowDifference between(Rows expected, Rows actual) {
    List<Map<String, @Nullable Object>> missing = new ArrayList<>(expected.maps());
    List<Map<String, @Nullable Object>> unexpected = new ArrayList<>();

    for (Map<String, @Nullable Object> row : actual.maps()) {
      if (!missing.remove(row)) {
        unexpected.add(row);
      }
    }

    int equal = expected.size() - missing.size();
    return new RowDifference(expected.concat(actual).columns(), equal, missing, unexpected);
  }

  /** Tells whether nothing differs. */
  public boolean isEmpty() {
    return missing.isEmpty() && unexpected.isEmpty();
  }

  /** Returns the rows that were expected and are not there. */
  public Rows missing() {
    return Rows.of(missing);
  }

  /** Returns the rows that are there and were not expected. */
  public Rows unexpected() {
    return Rows.of(unexpected);
  }

  /** Returns the differing rows side by side, each next to the one that is most like it. */
  @Override
  public String toString() {
    if (isEmpty()) {
      return "no difference";
    }

    List<String[]> lines = new ArrayList<>();
    lines.add(new String[] {"expected", "actual"});
    List<Map<String, @Nullable Object>> left = new ArrayList<>(unexpected);

    for (Map<String, @Nullable Object> row : missing) {
      Map<String, @Nullable Object> twin = mostAlike(row, left);

      if (twin == null) {
        lines.add(new String[] {text(row), "(missing)"});
      } else {
        left.remove(twin);
        lines.add(new String[] {text(row), text(twin)});
      }
    }

    left.forEach(row -> lines.add(new String[] {"(not expected)", text(row)}));
    int width = lines.stream().mapToInt(line -> line[0].length()).max().orElse(0);
    return "Of the rows "
        + columns
        + " "
        + equal
        + " are as expected, these are not:\n"
        + lines.stream()
            .map(line -> "  " + line[0] + " ".repeat(width - line[0].length()) + " | " + line[1])
            .collect(joining("\n"));
  }

  private @Nullable Map<String, @Nullable Object> mostAlike(
      Map<String, @Nullable Object> row, List<Map<String, @Nullable Object>> candidates) {
    Map<String, @Nullable Object> best = null;
    long bestLikeness = 0;

    for (Map<String, @Nullable Object> candidate : candidates) {
      long likeness =
          columns.stream()
              .filter(column -> Objects.equals(row.get(column), candidate.get(column)))
              .count();

      if (likeness > bestLikeness) {
        best = candidate;
        bestLikeness = likeness;
      }
    }

    return best;
  }

  private String text(Map<String, @Nullable Object> row) {
    return columns.stream()
        .map(column -> row.containsKey(column) ? String.valueOf(row.get(column)) : "(no column)")
        .collect(joining(", "));
  }
}
