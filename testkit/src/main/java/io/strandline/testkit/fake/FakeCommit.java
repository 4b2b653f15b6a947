package io.strandline.testkit.fake;

import io.strandline.target.Receipt;
import java.util.List;

/**
 * One commit in the history of a fake target.
 *
 * @param version the version that it made, from 0
 * @param operation what was done, such as {@code MERGE} or {@code RESTORE}
 * @param receipts the receipt of the run that made it; empty if somebody else did
 */
public record FakeCommit(long version, String operation, List<Receipt> receipts) {
  /** Copies the list. */
  public FakeCommit {
    receipts = List.copyOf(receipts);
  }
}
