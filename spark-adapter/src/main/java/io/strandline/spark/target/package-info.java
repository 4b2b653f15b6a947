/**
 * Takes rows in on Delta: the target that merges by key, the quarantine for rows that cannot be
 * used, and the landing of raw rows.
 *
 * <p>Start with {@link io.strandline.spark.target.DeltaMergeTarget}.
 */
@NullMarked
package io.strandline.spark.target;

import org.jspecify.annotations.NullMarked;
