/**
 * Failures on purpose: any part of a load can be made to fail, or the process to die, before,
 * during or after any step.
 *
 * <p>Start with {@link io.strandline.testkit.fault.Faults}; {@link
 * io.strandline.testkit.fault.CrashVerifier} tries every step for you.
 */
@NullMarked
package io.strandline.testkit.fault;

import org.jspecify.annotations.NullMarked;
