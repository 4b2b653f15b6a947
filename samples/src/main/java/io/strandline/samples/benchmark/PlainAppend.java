package io.strandline.samples.benchmark;

/** What a first load costs at least: every row as it is, without a look at the others. */
final class PlainAppend implements Contender {
  @Override
  public String name() {
    return "append";
  }

  @Override
  public TargetLayout layout() {
    return TargetLayout.PLAIN;
  }

  @Override
  public void begin(Scene scene) {
    // It remembers nothing.
  }

  @Override
  public void load(Scene scene) {
    scene
        .shape()
        .typed(scene.landedRows())
        .write()
        .format("delta")
        .mode("append")
        .save(scene.targetPath());
  }
}
