package io.strandline.samples.benchmark;

import java.nio.file.Path;
import java.util.List;

/**
 * An increment is merged into a target that holds the orders before it, or nothing is new.
 *
 * @param name the name
 * @param story what is measured
 * @param shape what the orders look like
 * @param increment what has landed since the last run
 * @param keys where the keys of the increment lie
 * @param lookedBack how many increments below the watermark are read again
 * @param contenders who takes part
 */
record MergeCase(
    String name,
    String story,
    OrderShape shape,
    Increment increment,
    Scene.KeyPlaces keys,
    long lookedBack,
    List<Contender> contenders)
    implements BenchmarkCase {

  @Override
  public List<Long> sizes(Quantities quantities) {
    return quantities.targetRows();
  }

  @Override
  public List<Contestant> contestants(Workshop workshop, long size) {
    Scene.Landed landed = landed(workshop, size);
    Scene.Range range = range(workshop, size);
    workshop.target(shape, size);
    return contenders.stream()
        .<Contestant>map(
            contender ->
                Loading.readyEachTime(
                    contender.name(),
                    () -> LoadTrial.once(begun(workshop, contender, landed, range), contender)))
        .toList();
  }

  /** Returns what has landed. */
  Scene.Landed landed(Workshop workshop, long size) {
    return new Scene.Landed(shape, workshop.landed(shape, size, increment));
  }

  /** Returns what is new. */
  Scene.Range range(Workshop workshop, long size) {
    long rows = workshop.quantities().incrementRows();
    long again = Math.min(size, lookedBack * rows);
    return new Scene.Range(
        // The last order of the target has landed last.
        OrderShape.loadedAt(size - 1),
        workshop.landingsBefore(size),
        OrderShape.between(again),
        increment == Increment.NONE ? again : rows + again,
        size,
        keys);
  }

  /** Returns a scene whose next load finds the increment. */
  static Scene begun(
      Workshop workshop, Contender contender, Scene.Landed landed, Scene.Range range) {
    Path folder = workshop.newFolder(contender.name());
    LandedCopy copy = LandedCopy.of(landed.table(), folder.resolve("landed"), range.version());
    Scene scene = workshop.scene(folder, new Scene.Landed(landed.shape(), copy.folder()), range);
    workshop.cloneTarget(scene, contender.layout());
    contender.begin(scene);
    copy.land();
    // Somebody looks at the target during the day, on a cluster that stays up.
    scene.outcome();
    return scene;
  }
}
