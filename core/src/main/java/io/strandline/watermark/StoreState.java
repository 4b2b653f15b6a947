package io.strandline.watermark;

/**
 * What a store keeps of a stream beside its watermark, written in the same commit.
 *
 * @param number the run that wrote it; zero if none did
 * @param value the watermark that the rest belongs to; if the stored one differs, a person has
 *     changed it and the rest says nothing
 * @param source what the source showed when the run read it
 * @param remainder whether the run left rows behind
 * @param target what the target was after the run's commit
 * @param declaration keys, sequence, mode and watermark column as declared then; empty if unknown
 */
public record StoreState(
    long number,
    Watermark value,
    TableSnapshot source,
    Remainder remainder,
    TableSnapshot target,
    String declaration) {
  private static final StoreState NONE =
      new StoreState(
          0,
          Watermark.start(),
          TableSnapshot.unknown(),
          Remainder.WAITING,
          TableSnapshot.unknown(),
          "");

  /** Returns the state of a row that no run wrote, or of a table without room for a state. */
  public static StoreState none() {
    return NONE;
  }
}
