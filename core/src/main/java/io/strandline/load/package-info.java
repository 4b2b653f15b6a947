/**
 * Composes source, cleaner, target and watermark store into a load, and runs it.
 *
 * <p>Start with {@link io.strandline.load.IncrementalLoad}. Nothing in the other packages uses this
 * one.
 */
@NullMarked
package io.strandline.load;

import org.jspecify.annotations.NullMarked;
