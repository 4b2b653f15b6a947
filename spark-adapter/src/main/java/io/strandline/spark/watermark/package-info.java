/**
 * How far the last good run got, kept in a Delta table that a person can read and change.
 *
 * <p>Start with {@link io.strandline.spark.watermark.DeltaWatermarkStore}. Everyone may use this
 * package.
 */
@NullMarked
package io.strandline.spark.watermark;

import org.jspecify.annotations.NullMarked;
