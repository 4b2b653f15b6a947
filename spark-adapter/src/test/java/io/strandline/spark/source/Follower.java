package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;

import io.strandline.source.IncrementalSource;
import io.strandline.source.Reading;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StoreState;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import java.time.Instant;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Follows a source like a load whose target takes everything: keeps what its store would. */
final class Follower {
  private static final LoadName ORDERS = new LoadName("orders");

  private final Memory memory;
  private StoredStream stored = StoredStream.none();
  private long number;

  private enum Memory {
    VERSIONS,
    WATERMARKS
  }

  private Follower(Memory memory) {
    this.memory = memory;
  }

  /** Begins with nothing. */
  Follower() {
    this(Memory.VERSIONS);
  }

  /** Begins with nothing, in a store without a column for versions: bounds alone tell new rows. */
  static Follower byWatermark() {
    return new Follower(Memory.WATERMARKS);
  }

  /** Begins with a watermark that a person wrote by hand. */
  static Follower at(Watermark watermark) {
    Follower follower = new Follower();
    follower.stored = new StoredStream(watermark, Instant.EPOCH, StoreState.none());
    return follower;
  }

  Watermark watermark() {
    return stored.value();
  }

  StoredStream stored() {
    return stored;
  }

  SourcePlan<Dataset<Row>> plan(IncrementalSource<Dataset<Row>> source) {
    return source.plan(StoredWatermarks.of(ORDERS, number, stored));
  }

  SourcePlan.Planned<Dataset<Row>> planned(IncrementalSource<Dataset<Row>> source) {
    return (SourcePlan.Planned<Dataset<Row>>) plan(source);
  }

  /** Runs once; returns the ids that were accepted, in order; none if nothing was new. */
  List<Object> run(IncrementalSource<Dataset<Row>> source) {
    if (!(plan(source) instanceof SourcePlan.Planned<Dataset<Row>> planned)) {
      return List.of();
    }

    List<Object> ids = ids(planned.read().rows());
    finish(planned);
    return ids;
  }

  /** Stores what a run of a plan would have stored. */
  void finish(SourcePlan.Planned<Dataset<Row>> planned) {
    StreamRange range = planned.ranges().get(0);
    number++;
    stored =
        new StoredStream(
            range.next(),
            Instant.EPOCH,
            new StoreState(
                number,
                range.next(),
                memory == Memory.VERSIONS
                    ? planned.snapshot(StreamName.only())
                    : TableSnapshot.unknown(),
                planned.remainder(),
                TableSnapshot.unknown(),
                ""));
  }

  static List<Object> ids(Dataset<Row> rows) {
    return Lakehouse.collect(rows.select("id").orderBy("id")).stream()
        .<Object>map(row -> requireNonNull(row.get("id")))
        .toList();
  }

  static Rows rejected(Reading<Dataset<Row>> reading) {
    return reading.rejected().stream()
        .map(Lakehouse::collect)
        .reduce(Rows::concat)
        .orElse(Rows.none());
  }
}
