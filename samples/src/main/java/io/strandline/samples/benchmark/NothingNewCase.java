package io.strandline.samples.benchmark;

import java.util.List;

/**
 * A load whose last run has loaded everything runs again.
 *
 * @param last what the last run has loaded
 */
record NothingNewCase(MergeCase last) implements BenchmarkCase {
  @Override
  public String name() {
    return "nothing-new";
  }

  @Override
  public String story() {
    return "runs again after everything was loaded";
  }

  @Override
  public List<Long> sizes(Quantities quantities) {
    return last.sizes(quantities);
  }

  @Override
  public List<Contestant> contestants(Workshop workshop, long size) {
    Scene.Landed landed = last.landed(workshop, size);
    Scene.Range range = last.range(workshop, size);
    return last.contenders().stream()
        .<Contestant>map(
            contender ->
                Loading.readyOnce(
                    contender.name(), () -> ready(workshop, contender, landed, range)))
        .toList();
  }

  private static Trial ready(
      Workshop workshop, Contender contender, Scene.Landed landed, Scene.Range range) {
    Scene scene = MergeCase.begun(workshop, contender, landed, range);
    contender.load(scene);
    return LoadTrial.idle(List.of(scene), contender);
  }
}
