/**
 * Defines the parts of an incremental load, and the load that composes them; knows no engine.
 *
 * <p>Start with {@link io.strandline.load.IncrementalLoad}.
 */
module io.strandline.core {
  requires static transitive org.jspecify;
  requires com.google.common;
  requires dev.failsafe.core;

  exports io.strandline.clean;
  exports io.strandline.load;
  exports io.strandline.problem;
  exports io.strandline.source;
  exports io.strandline.target;
  exports io.strandline.watermark;
}
