package io.strandline.testkit.fake;

import io.strandline.source.IncrementalSource;
import io.strandline.source.ReadCounts;
import io.strandline.source.Reading;
import io.strandline.source.Rereads;
import io.strandline.source.SourcePlan;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Several fake sources as one, each a stream with a watermark of its own.
 *
 * <p>Immutable, but for what lands in the sources; safe for use by several threads.
 */
public final class FakeUnionSource implements IncrementalSource<Rows> {
  private final SortedMap<StreamName, FakeSource> sources;

  private FakeUnionSource(Map<StreamName, FakeSource> sources) {
    this.sources = Collections.unmodifiableSortedMap(new TreeMap<>(sources));
  }

  /**
   * Makes one source of several.
   *
   * @param sources the sources by the names of their streams, with the same watermark columns
   * @return the union
   */
  public static FakeUnionSource of(Map<StreamName, FakeSource> sources) {
    return new FakeUnionSource(sources);
  }

  @Override
  public String name() {
    return "the union of "
        + String.join(", ", sources.values().stream().map(FakeSource::name).toList());
  }

  @Override
  public Set<StreamName> streams() {
    return sources.keySet();
  }

  @Override
  public List<String> watermarkColumns() {
    return first().watermarkColumns();
  }

  @Override
  public Rereads rereads() {
    return first().rereads();
  }

  @Override
  public String declaration() {
    return first().declaration();
  }

  @Override
  public Rows readAll() {
    return sources.values().stream().map(FakeSource::readAll).reduce(Rows.none(), Rows::concat);
  }

  private FakeSource first() {
    return sources.values().iterator().next();
  }

  @Override
  public SourcePlan<Rows> plan(StoredWatermarks stored) {
    List<SourcePlan.Planned<Rows>> planned = new ArrayList<>();
    List<StreamRange> ranges = new ArrayList<>();
    Map<StreamName, TableSnapshot> snapshots = new HashMap<>();
    long waiting = 0;
    Remainder remainder = Remainder.NONE;

    for (Map.Entry<StreamName, FakeSource> entry : sources.entrySet()) {
      StreamName stream = entry.getKey();
      SourcePlan<Rows> plan = entry.getValue().plan(stream, stored.stream(stream));
      waiting += plan.waiting();

      if (plan instanceof SourcePlan.Planned<Rows> rows) {
        planned.add(rows);
        ranges.addAll(rows.ranges());
        snapshots.putAll(rows.snapshots());
        remainder = rows.remainder() == Remainder.WAITING ? Remainder.WAITING : remainder;
      } else {
        ranges.add(resting(stream, stored.value(stream)));
        snapshots.put(stream, stored.stream(stream).state().source());
        remainder = plan.waiting() > 0 ? Remainder.WAITING : remainder;
      }
    }

    if (planned.isEmpty()) {
      return new SourcePlan.NothingNew<>(name() + " has no new row in any stream", waiting);
    }

    return new SourcePlan.Planned<>(
        ranges, snapshots, remainder, waiting, name() + ", ranges " + ranges, () -> read(planned));
  }

  /** Returns the range of a stream that has nothing new. */
  private static StreamRange resting(StreamName stream, Watermark stored) {
    return new StreamRange(
        stream, stored, new WatermarkRange(stored, Bound.EXCLUSIVE, stored), stored);
  }

  private static Reading<Rows> read(List<SourcePlan.Planned<Rows>> plans) {
    Rows rows = Rows.none();
    List<Rows> rejected = new ArrayList<>();
    long read = 0;
    long late = 0;
    Watermark earliest = Watermark.start();

    for (SourcePlan.Planned<Rows> plan : plans) {
      Reading<Rows> reading = plan.read();
      ReadCounts counts = reading.counts().get();
      rows = rows.concat(reading.rows());
      rejected.addAll(reading.rejected());
      read += counts.rows();
      late += counts.late();
      earliest = earlier(earliest, counts.earliest());
    }

    ReadCounts counts = new ReadCounts(read, late, earliest);
    return new Reading<>(rows, rejected, () -> counts);
  }

  private static Watermark earlier(Watermark one, Watermark other) {
    if (one.isStart() || other.isStart()) {
      return Watermark.max(one, other);
    }

    return one.isAfter(other) ? other : one;
  }

  @Override
  public SourcePlan<Rows> planBackfill(StreamName stream, WatermarkRange range) {
    FakeSource source = sources.get(stream);

    if (source == null) {
      return new SourcePlan.NothingNew<>(name() + " has no stream '" + stream + "'", 0);
    }

    return source.planBackfill(stream, range);
  }

  /** Returns the names of the sources. */
  @Override
  public String toString() {
    return name();
  }
}
