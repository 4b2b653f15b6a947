package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableSortedMap;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.IncrementalSource;
import io.strandline.source.ReadCounts;
import io.strandline.source.Reading;
import io.strandline.source.Rereads;
import io.strandline.source.SourcePlan;
import io.strandline.watermark.Bound;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Reads several streams into one target, such as the active and the archived rows of a table, each
 * with a watermark of its own.
 *
 * <p>Every run plans all streams, reads those that have something new, and moves their watermarks
 * in one commit. So a stream that lags, or brings nothing for days, loses nothing: its watermark
 * stands where its own rows ended, however far the others are. A stream that is added later starts
 * from its beginning.
 *
 * <p>All streams must have the same columns, of the same types, in any order; they are matched by
 * name. The sequence is the watermark columns, if all streams have the same ones; name another with
 * {@code sequencedBy(..)} where values of two streams do not compare, such as numbers that each
 * table counts by itself.
 *
 * <p>Immutable and safe for use by several threads, if the streams are.
 *
 * <pre>{@code
 * UnionSource.of("LOOKUP", DeltaTableSource.forName(spark, "landing.lookup").newerBy("synced"))
 *     .and("LOOKUP_PP", DeltaTableSource.forName(spark, "landing_pp.lookup").newerBy("synced"))
 * }</pre>
 */
public final class UnionSource implements IncrementalSource<Dataset<Row>> {
  private final SortedMap<StreamName, IncrementalSource<Dataset<Row>>> sources;

  private UnionSource(Map<StreamName, IncrementalSource<Dataset<Row>>> sources) {
    this.sources = ImmutableSortedMap.copyOf(sources);
  }

  /**
   * Begins a union with its first stream.
   *
   * @param stream the stream's name, which is part of the key of its watermark; not blank
   * @param source reads the stream; has one stream itself
   * @return a union of one stream
   * @throws IllegalArgumentException if the name is blank, or the source has several streams
   */
  public static UnionSource of(String stream, IncrementalSource<Dataset<Row>> source) {
    return new UnionSource(Map.of()).and(stream, source);
  }

  /**
   * Adds a stream.
   *
   * @param stream the stream's name, which is part of the key of its watermark; not blank
   * @param source reads the stream; has one stream itself
   * @return a union that has this stream too
   * @throws IllegalArgumentException if the name is blank or stands twice, or the source has
   *     several streams
   */
  public UnionSource and(String stream, IncrementalSource<Dataset<Row>> source) {
    requireNonNull(source, "source");
    StreamName name = new StreamName(stream);

    if (stream.isBlank()) {
      throw new IllegalArgumentException("Cannot name a stream '" + stream + "': no name.");
    }

    if (sources.containsKey(name)) {
      throw new IllegalArgumentException("Cannot name two streams '" + stream + "'.");
    }

    if (!source.streams().equals(Set.of(StreamName.only()))) {
      throw new IllegalArgumentException(
          "Cannot read "
              + source.name()
              + " as stream '"
              + stream
              + "': it has streams of its own. Add each of them to this union.");
    }

    Map<StreamName, IncrementalSource<Dataset<Row>>> more = new HashMap<>(sources);
    more.put(name, source);
    return new UnionSource(more);
  }

  @Override
  public String name() {
    return "the union of "
        + sources.values().stream().map(IncrementalSource::name).collect(joining(", "));
  }

  @Override
  public Set<StreamName> streams() {
    return sources.keySet();
  }

  @Override
  public List<String> watermarkColumns() {
    List<List<String>> columns =
        sources.values().stream().map(IncrementalSource::watermarkColumns).distinct().toList();
    return columns.size() == 1 ? columns.get(0) : List.of();
  }

  @Override
  public List<String> advice() {
    return sources.values().stream().flatMap(source -> source.advice().stream()).toList();
  }

  @Override
  public Rereads rereads() {
    return sources.values().stream().anyMatch(source -> source.rereads() == Rereads.SOMETIMES)
        ? Rereads.SOMETIMES
        : Rereads.NEVER;
  }

  @Override
  public String declaration() {
    List<String> declarations =
        sources.values().stream().map(IncrementalSource::declaration).distinct().toList();
    return declarations.size() == 1
        ? declarations.get(0)
        : sources.entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue().declaration())
            .collect(joining(", "));
  }

  @Override
  public SourcePlan<Dataset<Row>> plan(StoredWatermarks stored) {
    List<Part> parts = new ArrayList<>();
    List<StreamRange> ranges = new ArrayList<>();
    Map<StreamName, TableSnapshot> snapshots = new HashMap<>();
    List<String> explanations = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    long waiting = 0;
    Remainder remainder = Remainder.NONE;

    for (Map.Entry<StreamName, IncrementalSource<Dataset<Row>>> entry : sources.entrySet()) {
      StreamName stream = entry.getKey();
      SourcePlan<Dataset<Row>> plan = entry.getValue().plan(alone(stored, stream));
      waiting += plan.waiting();
      explanations.add(stream + ": " + sentence(plan.explanation()));
      plan.warnings().forEach(warning -> warnings.add(stream + ": " + warning));

      if (plan instanceof SourcePlan.Planned<Dataset<Row>> planned) {
        parts.add(new Part(stream, planned));
        ranges.addAll(named(stream, planned.ranges()));
        snapshots.put(stream, planned.snapshot(StreamName.only()));
        remainder = planned.remainder() == Remainder.WAITING ? Remainder.WAITING : remainder;
      } else {
        ranges.add(resting(stream, stored.value(stream)));
        snapshots.put(stream, stored.stream(stream).state().source());
        remainder = plan.waiting() > 0 ? Remainder.WAITING : remainder;
      }
    }

    String explanation = String.join(" ", explanations);

    if (parts.isEmpty()) {
      return new SourcePlan.NothingNew<>(
          explanation.substring(0, explanation.length() - 1), waiting, warnings);
    }

    return new SourcePlan.Planned<>(
        ranges, snapshots, remainder, waiting, explanation, warnings, () -> read(parts));
  }

  /** Returns what is stored of one stream, as a source that has no others wants it. */
  private static StoredWatermarks alone(StoredWatermarks stored, StreamName stream) {
    return StoredWatermarks.of(
        new LoadName(stored.load() + "[" + stream + "]"), stored.number(), stored.stream(stream));
  }

  private static String sentence(String text) {
    return text.endsWith(".") ? text : text + ".";
  }

  private static List<StreamRange> named(StreamName stream, List<StreamRange> ranges) {
    return ranges.stream()
        .map(range -> new StreamRange(stream, range.stored(), range.range(), range.next()))
        .toList();
  }

  /** Returns the range of a stream that has nothing new. */
  private static StreamRange resting(StreamName stream, Watermark stored) {
    return new StreamRange(
        stream, stored, new WatermarkRange(stored, Bound.EXCLUSIVE, stored), stored);
  }

  @Override
  public SourcePlan<Dataset<Row>> planBackfill(StreamName stream, WatermarkRange range) {
    IncrementalSource<Dataset<Row>> source = sources.get(stream);

    if (source == null) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "read " + name(),
          "it has no stream '" + stream + "'",
          "Its streams are "
              + sources.keySet().stream().map(StreamName::value).collect(joining(", "))
              + ".");
    }

    SourcePlan<Dataset<Row>> plan = source.planBackfill(StreamName.only(), range);

    if (!(plan instanceof SourcePlan.Planned<Dataset<Row>> planned)) {
      return plan;
    }

    return new SourcePlan.Planned<>(
        named(stream, planned.ranges()),
        Map.of(stream, planned.snapshot(StreamName.only())),
        planned.remainder(),
        planned.waiting(),
        planned.explanation(),
        planned.warnings(),
        planned.reader());
  }

  /**
   * Reads every row of every stream.
   *
   * @throws Problem of kind {@code BAD_CONFIGURATION} if one of them cannot tell all its rows, or
   *     has other columns than the first
   */
  @Override
  public Dataset<Row> readAll() {
    SortedMap<StreamName, Dataset<Row>> rows = new TreeMap<>();
    sources.forEach((stream, source) -> rows.put(stream, source.readAll()));
    return united(rows);
  }

  private static Reading<Dataset<Row>> read(List<Part> parts) {
    List<Reading<Dataset<Row>>> readings = new ArrayList<>();
    List<Dataset<Row>> rejected = new ArrayList<>();
    SortedMap<StreamName, Dataset<Row>> rows = new TreeMap<>();

    for (Part part : parts) {
      Reading<Dataset<Row>> reading = part.plan().read();
      readings.add(reading);
      rejected.addAll(reading.rejected());
      rows.put(part.stream(), reading.rows());
    }

    return new Reading<>(united(rows), rejected, () -> counts(readings));
  }

  /** Unites the rows of streams, with the columns in the order of the first. */
  private static Dataset<Row> united(SortedMap<StreamName, Dataset<Row>> rows) {
    StreamName first = rows.firstKey();
    Dataset<Row> all = requireNonNull(rows.get(first));

    for (Map.Entry<StreamName, Dataset<Row>> others : rows.entrySet()) {
      if (!others.getKey().equals(first)) {
        all = StreamColumns.union(first, all, others.getKey(), others.getValue());
      }
    }

    return all;
  }

  private static ReadCounts counts(List<Reading<Dataset<Row>>> readings) {
    long rows = 0;
    long late = 0;
    Watermark earliest = Watermark.start();

    for (Reading<Dataset<Row>> reading : readings) {
      ReadCounts counts = reading.counts().get();
      rows += counts.rows();
      late += counts.late();
      earliest = earlier(earliest, counts.earliest());
    }

    return new ReadCounts(rows, late, earliest);
  }

  /** Watermarks of two kinds have no earlier one; the first stream's stands then. */
  private static Watermark earlier(Watermark one, Watermark other) {
    if (one.isStart()) {
      return other;
    }

    return !other.isStart() && one.isComparableTo(other) && one.isAfter(other) ? other : one;
  }

  /** Returns the streams, each with its source. */
  @Override
  public String toString() {
    return "the union of "
        + sources.entrySet().stream()
            .map(entry -> entry.getKey() + ": " + entry.getValue())
            .collect(joining(", "));
  }

  /** The part of a plan that one stream has. */
  private record Part(StreamName stream, SourcePlan.Planned<Dataset<Row>> plan) {}
}
