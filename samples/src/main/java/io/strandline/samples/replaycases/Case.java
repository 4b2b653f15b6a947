package io.strandline.samples.replaycases;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A failure as data: tables, what happens to them, and what must come out.
 *
 * @param id the name of the case
 * @param requires features that a library may lack, in the case's own words
 * @param session the settings of the session
 * @param tables the loads of the case, in their order
 * @param steps what happens, in its order
 * @param notUnderstood fields and words that this replay does not know
 */
record Case(
    String id,
    List<String> requires,
    SessionSettings session,
    List<CaseTable> tables,
    List<Step> steps,
    List<String> notUnderstood) {
  Case {
    requires = List.copyOf(requires);
    tables = List.copyOf(tables);
    steps = List.copyOf(steps);
    notUnderstood = List.copyOf(notUnderstood);
  }

  CaseTable table(String name) {
    return tables.stream()
        .filter(table -> table.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("There is no table '" + name + "'."));
  }

  /** Returns all steps, those that happen during a run included. */
  Stream<Step> everyStep() {
    return steps.stream().flatMap(Step::withInner);
  }

  /** Returns how many times the whole case is played, each time with its rows in another order. */
  int orders() {
    return everyStep()
        .filter(Step.Run.class::isInstance)
        .mapToInt(step -> (int) ((Step.Run) step).shuffle())
        .max()
        .orElse(1);
  }

  /** Returns the case with the rows of each landing in another order. */
  Case shuffled(int seed) {
    Random random = new Random(seed);
    return new Case(
        id,
        requires,
        session,
        tables,
        steps.stream().map(step -> shuffled(step, random)).toList(),
        notUnderstood);
  }

  private static Step shuffled(Step step, Random random) {
    if (!(step instanceof Step.Land land)) {
      return step;
    }

    List<Map<String, @Nullable Object>> rows = new ArrayList<>(land.rows());
    java.util.Collections.shuffle(rows, random);
    return new Step.Land(land.table(), rows, land.how(), land.by(), land.keyChange());
  }

  @Override
  public String toString() {
    return id;
  }
}
