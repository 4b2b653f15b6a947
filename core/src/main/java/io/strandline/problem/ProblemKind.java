package io.strandline.problem;

/**
 * The kinds of trouble that a load tells apart, so that no caller has to read a message.
 *
 * <p>Constants may be added in any release; treat an unknown one like {@link #FAILED}.
 */
public enum ProblemKind {
  /** The declaration of a part cannot work: a missing column, an unknown table, a wrong type. */
  BAD_CONFIGURATION,
  /** The columns of the cleaned rows and of the target do not fit together. */
  SCHEMA_MISMATCH,
  /** The watermark store holds two rows or more for one stream of a load. */
  MULTIPLE_WATERMARK_ROWS,
  /** Another run of the same load has used the run's number or moved its watermark. */
  CONCURRENT_RUN,
  /** Another writer has changed the target during the merge; a new attempt can succeed. */
  TARGET_CONFLICT,
  /** The store and the target contradict each other in a way that no crash explains. */
  CONTRADICTION,
  /** The source table is another one than the stored watermark was measured on. */
  SOURCE_RECREATED,
  /** The source can no longer tell what happened since the stored watermark. */
  SOURCE_HISTORY_LOST,
  /** The target was restored, replaced, truncated or overwritten by others since the last run. */
  TARGET_DISTURBED,
  /** Keys, sequence, mode or watermark column were declared differently before. */
  DECLARATION_CHANGED,
  /** A sweep found a source without rows and would delete the whole target. */
  EMPTY_SOURCE_SWEEP,
  /** A sweep would delete more than its limit. */
  SWEEP_TOO_LARGE,
  /** More rows were rejected than the limit allows. */
  TOO_MANY_REJECTED,
  /** Rows do not pass a check that stops the run. */
  CHECK_FAILED,
  /** Rows have no value in the watermark column, and the load refuses such rows. */
  NULL_CURSOR,
  /** Loading the range could apply rows twice, so a person has to decide. */
  DECISION_NEEDED,
  /** Anything else; the cause tells. */
  FAILED
}
