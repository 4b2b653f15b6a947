package io.strandline.load;

import io.strandline.target.Receipt;
import io.strandline.target.TargetStanding;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.WatermarkRange;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a range from being appended twice: a target that only appends cannot tell a row that it
 * holds from a new one, so only its last receipt can.
 */
final class AppendGuard {
  private AppendGuard() {}

  /**
   * Refuses ranges that the target may hold already, unless a person has decided to go on there.
   *
   * @param target the name of the target
   * @param standing what the target knows of the load
   * @param stored what the store holds, after recovery
   * @param ranges what is planned
   * @throws io.strandline.problem.Problem of kind {@code DECISION_NEEDED} if a range may be held
   */
  static void requireNew(
      String target, TargetStanding standing, StoredWatermarks stored, List<StreamRange> ranges) {
    for (StreamRange range : ranges) {
      if (!isDecided(stored.stream(range.stream()), standing)) {
        requireNew(target, standing, range);
      }
    }
  }

  /** Tells whether a rewind, which is a person's word, has put the watermark where it is. */
  private static boolean isDecided(StoredStream row, TargetStanding standing) {
    return row.state().remainder() == Remainder.UNKNOWN
        && row.state().value().equals(row.value())
        && row.state().number() == standing.number();
  }

  private static void requireNew(String target, TargetStanding standing, StreamRange range) {
    if (standing.number() == 0) {
      if (range.stored().isStart() && standing.holdsRows()) {
        throw LoadErrors.holdsRowsOfUnknownOrigin(target);
      }

      return;
    }

    Optional<Receipt> receipt = standing.receipt();

    if (receipt.isEmpty()) {
      throw LoadErrors.receiptUnreadable(target, standing.number());
    }

    for (StreamRange last : receipt.get().ranges()) {
      if (last.stream().equals(range.stream()) && overlap(range.range(), last.range())) {
        throw LoadErrors.wouldRepeat(target, range.range(), standing.number(), last.range());
      }
    }
  }

  private static boolean overlap(WatermarkRange next, WatermarkRange last) {
    if (last.upTo().isStart()) {
      return false;
    }

    if (next.after().isStart() || next.after().kind() != last.upTo().kind()) {
      return true;
    }

    return last.upTo().isAfter(next.after())
        || (next.bound() == Bound.INCLUSIVE && last.upTo().equals(next.after()));
  }
}
