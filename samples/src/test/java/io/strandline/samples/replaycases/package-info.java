/** Tests of the case replay, and the replay of the project's own cases. */
@NullMarked
package io.strandline.samples.replaycases;

import org.jspecify.annotations.NullMarked;
