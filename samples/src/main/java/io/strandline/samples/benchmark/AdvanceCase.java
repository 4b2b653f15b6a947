package io.strandline.samples.benchmark;

import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.watermark.Advance;
import io.strandline.watermark.Direction;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoreState;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamMove;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.SparkSession;

/** The watermark of one load is moved on, in a table where it was moved many times before. */
final class AdvanceCase implements BenchmarkCase {
  private static final String LOAD = "orders";
  private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration STEP = Duration.ofDays(1);

  @Override
  public String name() {
    return "advance";
  }

  @Override
  public String story() {
    return "moves a watermark on that was moved 0, 1000 and 10000 times before, or --advances";
  }

  /** Its sizes are not those of targets. */
  @Override
  public List<Long> sizes(Quantities quantities) {
    return quantities.advances();
  }

  @Override
  public List<Contestant> contestants(Workshop workshop, long size) {
    SparkSession spark = workshop.spark();
    Path notebook = workshop.newFolder("notebook").resolve("etl_watermark");
    Path handwritten = workshop.newFolder("handwritten").resolve("etl_watermark");
    Path strandline = workshop.newFolder("strandline").resolve("etl_watermark");
    List<Advancing> contestants =
        List.of(
            new Advancing(
                "notebook", notebook, new ByUpdate(WatermarkRows.unpartitioned(spark, notebook))),
            new Advancing(
                "handwritten",
                handwritten,
                new ByUpdate(WatermarkRows.partitioned(spark, handwritten))),
            new Advancing(
                "strandline",
                strandline,
                new ByStore(DeltaWatermarkStore.forPath(spark, strandline.toString()))));
    contestants.forEach(contestant -> contestant.begin(spark, size));
    return List.copyOf(contestants);
  }

  /** A table that holds a watermark. */
  private interface Holder {
    void begin();

    /** Makes a move ready. */
    Runnable moveTo(Instant to);

    String holds();
  }

  private record ByUpdate(WatermarkRows rows) implements Holder {
    @Override
    public void begin() {
      rows.put(LOAD, FIRST);
    }

    @Override
    public Runnable moveTo(Instant to) {
      return () -> rows.update(LOAD, to);
    }

    @Override
    public String holds() {
      return rows.last(LOAD).toString();
    }
  }

  private record ByStore(DeltaWatermarkStore store) implements Holder {
    @Override
    public void begin() {
      moveTo(FIRST).run();
    }

    /** The run that moves a watermark has read it at its beginning. */
    @Override
    public Runnable moveTo(Instant to) {
      StoredWatermarks stored = stored();
      Watermark next = Watermark.at(to);
      long number = stored.highest() + 1;
      StreamMove move =
          new StreamMove(
              StreamName.only(),
              stored.stream(StreamName.only()),
              next,
              new StoreState(
                  number,
                  next,
                  TableSnapshot.unknown(),
                  Remainder.NONE,
                  TableSnapshot.unknown(),
                  "newer by _loaded_at"));
      String identity = stored.store().orElseGet(store::identity);
      return () ->
          store.advance(
              new Advance(
                  LoadIdentity.of(identity, new LoadName(LOAD)),
                  number,
                  Direction.FORWARD,
                  List.of(move)));
    }

    @Override
    public String holds() {
      return stored().value(StreamName.only()).toString();
    }

    private StoredWatermarks stored() {
      return store.last(new LoadName(LOAD), Set.of(StreamName.only()));
    }
  }

  /** A contestant whose trials go on where the last one ended. */
  private static final class Advancing implements Contestant {
    private final String name;
    private final Path table;
    private final Holder holder;
    private Instant next = FIRST;

    Advancing(String name, Path table, Holder holder) {
      this.name = name;
      this.table = table;
      this.holder = holder;
    }

    void begin(SparkSession spark, long advances) {
      holder.begin();
      LongLog.lengthen(spark, table, advances);
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Trial trial() {
      next = next.plus(STEP);
      return new Move(table, holder, holder.moveTo(next));
    }
  }

  private record Move(Path table, Holder holder, Runnable move) implements Trial {
    @Override
    public void run() {
      move.run();
    }

    @Override
    public long rowsInRange() {
      return 0;
    }

    @Override
    public Set<Path> sources() {
      return Set.of();
    }

    @Override
    public Set<Path> targets() {
      return Set.of(table);
    }

    @Override
    public String outcome() {
      return "the watermark " + holder.holds();
    }

    @Override
    public void close() {
      // The next trial goes on with the table.
    }
  }
}
