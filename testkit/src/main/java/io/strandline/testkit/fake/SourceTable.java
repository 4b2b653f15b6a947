package io.strandline.testkit.fake;

import io.strandline.watermark.TableSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The versions of a table that rows land in, and what lands while it is being read. */
final class SourceTable {
  private String id = UUID.randomUUID().toString();
  private final List<Rows> versions = new ArrayList<>(List.of(Rows.none()));
  private final List<Rows> during = new ArrayList<>();
  private Rows restless = Rows.none();

  synchronized TableSnapshot snapshot() {
    return new TableSnapshot(id, versions.size() - 1L);
  }

  synchronized Rows newest() {
    return versions.get(versions.size() - 1);
  }

  synchronized Rows at(long version) {
    return versions.get((int) version);
  }

  synchronized void commit(UnaryOperator<Rows> change) {
    versions.add(change.apply(newest()));
  }

  synchronized void landDuringNextRead(Rows rows) {
    during.add(rows);
  }

  /** Lands what somebody else lands between plan and read. */
  synchronized void landMeanwhile(Rows stranger) {
    during.forEach(rows -> commit(all -> all.concat(rows)));
    during.clear();

    if (!stranger.isEmpty()) {
      restless = stranger;
      commit(all -> all.concat(stranger));
    }
  }

  /** Takes away again what landed only to lead unpinned readers astray. */
  synchronized void settleDown() {
    if (!restless.isEmpty()) {
      // One row for each: an equal one may have landed to stay.
      List<Map<String, @Nullable Object>> left = new ArrayList<>(restless.maps());
      restless = Rows.none();
      commit(all -> all.filter(row -> !left.remove(row)));
    }
  }

  synchronized void recreate(Rows rows) {
    id = UUID.randomUUID().toString();
    versions.clear();
    versions.add(rows);
    restless = Rows.none();
  }
}
