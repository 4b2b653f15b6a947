/**
 * The parts of a load in memory: a store, a source, a target, a quarantine and a log that refuse
 * what the real ones refuse, and run in milliseconds.
 *
 * <p>Start with {@link io.strandline.testkit.fake.FakeSource}; {@link
 * io.strandline.testkit.fake.Rows} is how the fakes hold rows. For tests of loads, of cleaners, and
 * of parts of one's own.
 */
@NullMarked
package io.strandline.testkit.fake;

import org.jspecify.annotations.NullMarked;
