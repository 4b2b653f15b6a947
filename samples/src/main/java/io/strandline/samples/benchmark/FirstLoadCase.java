package io.strandline.samples.benchmark;

import java.time.Duration;
import java.util.List;

/** Everything that has landed is loaded into a target without rows. */
final class FirstLoadCase implements BenchmarkCase {
  private static final OrderShape SHAPE = OrderShape.RISING;
  private static final List<Contender> CONTENDERS =
      List.of(
          new Notebook(), new Streaming(), new HandWritten(), new Strandline(), new PlainAppend());

  @Override
  public String name() {
    return "first-load";
  }

  @Override
  public String story() {
    return "loads as many rows as are asked for into a target without rows";
  }

  @Override
  public List<Long> sizes(Quantities quantities) {
    return quantities.targetRows();
  }

  @Override
  public List<Contestant> contestants(Workshop workshop, long size) {
    Scene.Landed landed = new Scene.Landed(SHAPE, workshop.landedAll(SHAPE, size));
    Scene.Range range =
        new Scene.Range(Scene.LONG_AGO, 0, Duration.ZERO, size, size, Scene.KeyPlaces.EVERYWHERE);
    return CONTENDERS.stream()
        .<Contestant>map(
            contender ->
                Loading.readyEachTime(
                    contender.name(), () -> ready(workshop, contender, landed, range)))
        .toList();
  }

  private static Trial ready(
      Workshop workshop, Contender contender, Scene.Landed landed, Scene.Range range) {
    Scene scene = workshop.scene(workshop.newFolder(contender.name()), landed, range);
    workshop.emptyTarget(scene, contender.layout());
    contender.begin(scene);
    return LoadTrial.once(scene, contender);
  }
}
