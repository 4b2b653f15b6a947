package io.strandline.load;

import io.strandline.target.Verb;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.Watermark;
import java.time.Instant;
import java.util.List;

/**
 * One attempt of a load, for the load log.
 *
 * @param load the load
 * @param attempt the random id of the attempt
 * @param verb what was asked
 * @param number the number that the run committed under; zero if it did not
 * @param outcome how the attempt ended
 * @param source the name of the source
 * @param target the name of the target
 * @param ranges for each stream where the run started from, what it read and what it stores; empty
 *     if no range was planned
 * @param counts what became of the rows; none if the run failed
 * @param late how many rows lookback found below the stored watermark
 * @param earliest the lowest watermark among those rows, which with the stored one tells how late
 *     it was; {@link Watermark#start()} if there were none
 * @param waiting how many rows were held back
 * @param message the error, or why nothing was new, or the warnings; empty if there is nothing to
 *     say; no secrets
 * @param startedAt when the attempt began, by the load's clock
 * @param finishedAt when it ended, by the load's clock
 */
public record LoadLogEntry(
    LoadName load,
    String attempt,
    Verb verb,
    long number,
    Outcome outcome,
    String source,
    String target,
    List<StreamRange> ranges,
    RowCounts counts,
    long late,
    Watermark earliest,
    long waiting,
    String message,
    Instant startedAt,
    Instant finishedAt) {
  /** How an attempt ended. */
  public enum Outcome {
    /** It committed. */
    COMMITTED,
    /** It found nothing new. */
    NOTHING_NEW,
    /** It moved the watermark on purpose. */
    REWOUND,
    /** It failed. */
    FAILED
  }

  /** Copies the ranges. */
  public LoadLogEntry {
    ranges = List.copyOf(ranges);
  }
}
