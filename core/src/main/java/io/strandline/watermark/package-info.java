/**
 * How far the last good run got: the value, the range of a run, and the store that remembers.
 *
 * <p>Start with {@link io.strandline.watermark.Watermark}. Everyone may use this package; it uses
 * none of the others but the problems.
 *
 * <p>The word has nothing to do with Spark's {@code Dataset.withWatermark}, which bounds the
 * lateness of events in a stream.
 */
@NullMarked
package io.strandline.watermark;

import org.jspecify.annotations.NullMarked;
