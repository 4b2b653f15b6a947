/**
 * Programs in a JVM of their own, so that a test can kill a load as an operator or a scheduler
 * does.
 *
 * <p>Start with {@link io.strandline.testkit.process.ChildProgram}. What a kill does to a load can
 * be tried at exact moments, and faster, with {@link io.strandline.testkit.fault.Faults}.
 */
@NullMarked
package io.strandline.testkit.process;

import org.jspecify.annotations.NullMarked;
