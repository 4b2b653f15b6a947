/**
 * What became of every attempt of a load, kept in a Delta table.
 *
 * <p>Start with {@link io.strandline.spark.load.DeltaLoadLog}. Everyone may use this package.
 */
@NullMarked
package io.strandline.spark.load;

import org.jspecify.annotations.NullMarked;
