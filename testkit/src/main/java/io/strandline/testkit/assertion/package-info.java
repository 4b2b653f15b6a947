/**
 * Assertions that speak of loads: what a run did, what a store holds, where rows differ.
 *
 * <p>Start with {@link io.strandline.testkit.assertion.LoadAssertions}.
 */
@NullMarked
package io.strandline.testkit.assertion;

import org.jspecify.annotations.NullMarked;
