package io.strandline.load;

import io.strandline.watermark.LoadName;

/**
 * Something that happened in a run.
 *
 * @param load the load
 * @param attempt the random id of the attempt
 * @param step the step
 * @param phase where in the step the run is
 * @param detail what a person wants to know of it, such as the range; empty if there is nothing to
 *     say; no secrets
 */
public record LoadEvent(
    LoadName load, String attempt, LoadStep step, LoadPhase phase, String detail) {}
