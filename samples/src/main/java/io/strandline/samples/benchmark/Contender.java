package io.strandline.samples.benchmark;

/** One way to load what is new. */
interface Contender {
  /** Returns the name. */
  String name();

  /** Returns how the target is laid out that a person would make for this way. */
  TargetLayout layout();

  /**
   * Makes everything ready, so that the next load starts from the watermark of the scene; the
   * target is there. Not measured.
   *
   * @param scene the scene
   */
  void begin(Scene scene);

  /**
   * Loads what is new, from reading the watermark to moving it on.
   *
   * @param scene the scene
   */
  void load(Scene scene);
}
