package io.strandline.samples.benchmark;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Many loads run one after the other, each from a table of its own, and none finds anything. */
final class IdleLoadsCase implements BenchmarkCase {
  private static final OrderShape SHAPE = OrderShape.RISING;
  private static final long ROWS = 100;

  @Override
  public String name() {
    return "idle-loads";
  }

  @Override
  public String story() {
    return "runs 40 small loads, or --idle-loads, one after the other; none finds anything";
  }

  /** Its targets have as many rows as has landed, whatever was asked for. */
  @Override
  public List<Long> sizes(Quantities quantities) {
    return List.of(ROWS);
  }

  @Override
  public List<Contestant> contestants(Workshop workshop, long size) {
    return Cases.ALL_CONTENDERS.stream()
        .<Contestant>map(
            contender ->
                Loading.readyOnce(contender.name(), () -> ready(workshop, contender, size)))
        .toList();
  }

  private static Trial ready(Workshop workshop, Contender contender, long size) {
    Path watermarks = workshop.newFolder(contender.name() + "-watermarks").resolve("etl_watermark");
    List<Scene> scenes = new ArrayList<>();

    for (int i = 0; i < workshop.quantities().idleLoads(); i++) {
      Scene scene =
          new Scene(
              workshop.spark(),
              "orders_" + i,
              new Scene.Landed(SHAPE, workshop.landedOf(i, SHAPE, size)),
              new Scene.Range(
                  Scene.LONG_AGO, 0, Duration.ZERO, size, size, Scene.KeyPlaces.EVERYWHERE),
              workshop.newFolder(contender.name()),
              watermarks);
      workshop.emptyTarget(scene, contender.layout());
      contender.begin(scene);
      contender.load(scene);
      scenes.add(scene);
    }

    return LoadTrial.idle(scenes, contender);
  }
}
