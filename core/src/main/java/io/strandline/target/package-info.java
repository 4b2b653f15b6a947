/**
 * Takes rows in: the target, by key and in one commit that also holds the receipt of the run, and
 * the quarantine for the rows that cannot be used.
 *
 * <p>Start with {@link io.strandline.target.MergeTarget}.
 */
@NullMarked
package io.strandline.target;

import org.jspecify.annotations.NullMarked;
