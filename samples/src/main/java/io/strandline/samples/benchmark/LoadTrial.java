package io.strandline.samples.benchmark;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Loads, one after the other. */
final class LoadTrial implements Trial {
  private final List<Scene> scenes;
  private final Contender contender;
  private final Novelty novelty;

  private enum Novelty {
    ROWS,
    NOTHING
  }

  private LoadTrial(List<Scene> scenes, Contender contender, Novelty novelty) {
    this.scenes = List.copyOf(scenes);
    this.contender = contender;
    this.novelty = novelty;
  }

  /** A load that finds rows; its folder is removed afterwards. */
  static LoadTrial once(Scene scene, Contender contender) {
    return new LoadTrial(List.of(scene), contender, Novelty.ROWS);
  }

  /** Loads that find nothing, so that they can be done again. */
  static LoadTrial idle(List<Scene> scenes, Contender contender) {
    return new LoadTrial(scenes, contender, Novelty.NOTHING);
  }

  @Override
  public void run() {
    scenes.forEach(contender::load);
  }

  @Override
  public long rowsInRange() {
    return novelty == Novelty.NOTHING
        ? 0
        : scenes.stream().mapToLong(scene -> scene.range().rows()).sum();
  }

  @Override
  public Set<Path> sources() {
    return scenes.stream().map(scene -> scene.landed().table()).collect(toSet());
  }

  @Override
  public Set<Path> targets() {
    return scenes.stream().map(Scene::target).collect(toSet());
  }

  @Override
  public String outcome() {
    return scenes.stream().map(Scene::outcome).collect(joining("; "));
  }

  @Override
  public void close() {
    if (novelty == Novelty.ROWS) {
      scenes.forEach(scene -> Workshop.delete(scene.folder()));
    }
  }
}
