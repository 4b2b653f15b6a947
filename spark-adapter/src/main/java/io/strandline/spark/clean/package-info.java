/**
 * Turns raw rows into what a target expects, from declared columns that give the quarantine its
 * reasons.
 *
 * <p>Start with {@link io.strandline.spark.clean.DeclaredCleaner}.
 */
@NullMarked
package io.strandline.spark.clean;

import org.jspecify.annotations.NullMarked;
