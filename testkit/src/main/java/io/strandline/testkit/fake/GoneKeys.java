package io.strandline.testkit.fake;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.target.DeleteSweep;
import io.strandline.target.Deletes;
import io.strandline.target.SweepRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds the keys that a sweep deletes: the reference for every keyed target. */
record GoneKeys(String name, List<String> keys) {

  /**
   * Finds the keys that the source no longer has, and stops if they are too many.
   *
   * @param isHeld true for the rows of the table that say what there is now
   * @param accepted the rows that are merged with the sweep, whose keys the source surely has
   */
  Set<Map<String, @Nullable Object>> in(
      TargetTable table,
      Predicate<Map<String, @Nullable Object>> isHeld,
      SweepRequest<Rows> request,
      Rows accepted) {
    DeleteSweep sweep = request.sweep();

    if (sweep.scope().isEmpty() && table.hasRunsOfOthers(request.identity())) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "sweep " + name,
          "other loads write into it, and their rows would be swept too",
          "Say which rows are this load's: within(..) on the sweep.");
    }

    Set<Map<String, @Nullable Object>> there = of(request.source());
    Rows held = table.rows().filter(row -> isInScope(sweep, row) && isHeld.test(row));
    Set<Map<String, @Nullable Object>> gone = new LinkedHashSet<>(of(held));
    gone.removeAll(there);
    gone.removeAll(of(accepted));
    sweep.brake(
        new DeleteSweep.Findings(
            name,
            request.identity(),
            there.stream().noneMatch(GoneKeys::isWhole),
            held.size(),
            gone.size(),
            gone.stream().map(Object::toString).sorted().toList().toString()));
    return gone;
  }

  private static boolean isWhole(Map<String, @Nullable Object> key) {
    return key.values().stream().noneMatch(part -> part == null || part.toString().isBlank());
  }

  private boolean isInScope(DeleteSweep sweep, Map<String, @Nullable Object> row) {
    if (sweep.scope().isEmpty()) {
      return true;
    }

    if (sweep.scope().get() instanceof Deletes.ColumnEquals equals) {
      return equals.value().equals(row.get(equals.column()));
    }

    throw new IllegalArgumentException(
        "Cannot sweep " + name + " within " + sweep.scope().get() + ": a fake target has no SQL.");
  }

  private Set<Map<String, @Nullable Object>> of(Rows rows) {
    return new LinkedHashSet<>(rows.select(keyArray()).maps());
  }

  /** Returns the key of a row. */
  Map<String, @Nullable Object> of(Map<String, @Nullable Object> row) {
    return Rows.of(List.of(row)).select(keyArray()).maps().get(0);
  }

  private String[] keyArray() {
    return keys.toArray(String[]::new);
  }
}
