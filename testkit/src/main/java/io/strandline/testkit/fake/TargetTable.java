package io.strandline.testkit.fake;

import io.strandline.target.Receipt;
import io.strandline.target.TargetStanding;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The versions of a target, its receipts, and what others did to it as a whole. */
final class TargetTable {
  private final List<Version> versions = new ArrayList<>();
  private final Map<LoadIdentity, TargetStanding> lastRuns = new HashMap<>();
  private String id = "";
  private Rows tombstones = Rows.none();

  /** The rows after a commit. */
  private record Version(FakeCommit commit, Rows rows, List<String> disturbances) {}

  boolean exists() {
    return !versions.isEmpty();
  }

  Rows rows() {
    return exists() ? versions.get(versions.size() - 1).rows() : Rows.none();
  }

  Rows rowsAt(long version) {
    return versions.get((int) version).rows();
  }

  TableSnapshot snapshot() {
    return exists() ? new TableSnapshot(id, versions.size() - 1L) : TableSnapshot.unknown();
  }

  /** Returns what remains of deleted rows, which lies beside the table. */
  Rows tombstones() {
    return tombstones;
  }

  void bury(Rows newTombstones) {
    tombstones = newTombstones;
  }

  List<FakeCommit> commits() {
    return versions.stream().map(Version::commit).toList();
  }

  /** Returns the number of the last run, and its receipt as long as it can be read. */
  TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen) {
    TargetStanding run = lastRuns.get(identity);
    TargetStanding standing =
        run == null
            ? TargetStanding.withoutReceipt(snapshot())
            : run.receipt()
                .map(receipt -> TargetStanding.of(receipt, snapshot()))
                .orElseGet(() -> TargetStanding.ofNumber(run.number(), snapshot()));
    return standing
        .holdingRowsIf(() -> !rows().isEmpty())
        .disturbedBy(
            lastSeen.isKnown() && !lastSeen.isOfAnotherTable(snapshot())
                ? versions.stream()
                    .filter(version -> version.commit().version() > lastSeen.version())
                    .flatMap(version -> version.disturbances().stream())
                    .toList()
                : List.of());
  }

  /** Tells whether another load has ever committed a run here; a backfill is no other load. */
  boolean hasRunsOfOthers(LoadIdentity identity) {
    return lastRuns.keySet().stream()
        .anyMatch(
            other ->
                !other.store().equals(identity.store()) || !other.load().equals(identity.load()));
  }

  void commitRun(String operation, Rows rows, Receipt receipt) {
    commit(operation, rows, List.of(receipt), List.of());
    lastRuns.put(receipt.identity(), TargetStanding.of(receipt, snapshot()));
  }

  /** Commits what somebody else wrote into single rows, which disturbs nobody. */
  void commit(String operation, Rows rows) {
    commit(operation, rows, List.of(), List.of());
  }

  /** Commits what somebody else did to the table as a whole. */
  void disturb(String operation, Rows rows, String clause) {
    commit(operation, rows, List.of(), List.of("version " + nextVersion() + " " + clause));
  }

  private void commit(
      String operation, Rows rows, List<Receipt> receipts, List<String> disturbances) {
    if (!exists()) {
      id = UUID.randomUUID().toString();
    }

    versions.add(
        new Version(new FakeCommit(nextVersion(), operation, receipts), rows, disturbances));
  }

  private long nextVersion() {
    return versions.size();
  }

  /** Makes the table anew under its name; as in Delta, numbers stay and the id changes. */
  void replace(Rows rows) {
    commit("CREATE OR REPLACE TABLE", rows);
    id = UUID.randomUUID().toString();
  }

  void drop() {
    versions.clear();
    lastRuns.clear();
  }

  void forgetReceipts() {
    lastRuns.replaceAll((identity, run) -> TargetStanding.ofNumber(run.number(), run.snapshot()));
  }
}
