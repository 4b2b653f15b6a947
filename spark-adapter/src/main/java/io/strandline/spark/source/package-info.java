/**
 * Sources that Spark reads: which rows of a table came after the stored watermark.
 *
 * <p>Start with {@link io.strandline.spark.source.DeltaTableSource}. What all sources with
 * watermark columns share is written once, in the package-private types whose names begin with
 * {@code Cursor}.
 */
@NullMarked
package io.strandline.spark.source;

import org.jspecify.annotations.NullMarked;
