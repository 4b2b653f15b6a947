/**
 * How a part says what went wrong: a {@link io.strandline.problem.Problem} carries the kind, the
 * reason and the cure; the load adds what is true now.
 *
 * <p>For people who write parts. Users of loads catch {@code LoadException} of the load package.
 */
@NullMarked
package io.strandline.problem;

import org.jspecify.annotations.NullMarked;
