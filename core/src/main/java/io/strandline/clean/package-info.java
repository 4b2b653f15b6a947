/**
 * Turns raw rows into what the target expects, and keeps those apart that cannot be used.
 *
 * <p>Start with {@link io.strandline.clean.Cleaner}.
 */
@NullMarked
package io.strandline.clean;

import org.jspecify.annotations.NullMarked;
