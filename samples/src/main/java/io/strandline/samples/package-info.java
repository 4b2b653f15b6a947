/**
 * Stories that show how loads are composed, each runnable with one command.
 *
 * <p>Start with {@link io.strandline.samples.Samples}, which lists them. What several stories need
 * to be pleasant on a console is here too.
 */
@NullMarked
package io.strandline.samples;

import org.jspecify.annotations.NullMarked;
