/**
 * Case replay: failures that people really met, written down as data, are played through a load,
 * and what comes out is compared with what should.
 *
 * <p>Start with {@link io.strandline.samples.replaycases.ReplayCases}, the program. A case is a
 * file of tables, steps and expectations; a world is where it is played, on Spark and Delta or on
 * the testkit's fakes.
 */
@NullMarked
package io.strandline.samples.replaycases;

import org.jspecify.annotations.NullMarked;
