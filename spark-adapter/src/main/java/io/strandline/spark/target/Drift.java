package io.strandline.spark.target;

import io.strandline.target.MergeOutcome;
import java.util.List;
import java.util.stream.Stream;

/**
 * How the columns of rows differ from those of the table, as far as it is allowed.
 *
 * @param absent what the rows have no values for
 * @param changes what is done to the table, each a sentence
 * @param rest what is different and needs no change of the table, each a sentence
 */
record Drift(Absences absent, List<String> changes, List<String> rest) {
  private static final Drift NONE = new Drift(Absences.none(), List.of(), List.of());

  /** Copies the lists. */
  Drift {
    changes = List.copyOf(changes);
    rest = List.copyOf(rest);
  }

  static Drift none() {
    return NONE;
  }

  /** Tells whether the table must be changed. */
  boolean changesTable() {
    return !changes.isEmpty();
  }

  /** Adds what was different to the outcome of a merge; without a commit nothing was changed. */
  MergeOutcome toldIn(MergeOutcome outcome) {
    return outcome.withSchemaChanges(
        outcome instanceof MergeOutcome.Committed
            ? Stream.concat(changes.stream(), rest.stream()).toList()
            : rest);
  }
}
