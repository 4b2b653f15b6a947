package io.strandline.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.clean.Cleaner;
import io.strandline.source.IncrementalSource;
import io.strandline.source.SourcePlan;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.RejectedRows;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.TargetStanding;
import io.strandline.watermark.Advance;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.NumberKeeping;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.WatermarkRange;
import io.strandline.watermark.WatermarkStore;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IncrementalLoadTest {
  @Test
  void named_withABlankName_fails() {
    assertThatThrownBy(() -> IncrementalLoad.named(""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot name a load '': a name needs at least one visible character, since it is the key"
                + " of the watermark.");
  }

  @Test
  void build_withoutAPart_namesTheMissingCall() {
    assertThatThrownBy(() -> builder().trackedIn(new Store(NumberKeeping.NONE)).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot build load 'orders': call into(..) before build().");
    assertThatThrownBy(() -> builder().into(new Target(Repeats.ABSORBED)).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot build load 'orders': call trackedIn(..) before build().");
  }

  @Test
  void builder_givenAPartTwice_fails() {
    IncrementalLoad.Builder<List<String>> builder =
        builder()
            .cleanedBy(Cleaner.none())
            .into(new Target(Repeats.ABSORBED))
            .trackedIn(new Store(NumberKeeping.NONE))
            .quarantinedIn(new Bin());

    assertCalledTwice(() -> builder.cleanedBy(rows -> rows), "cleanedBy");
    assertCalledTwice(() -> builder.into(new Target(Repeats.ABSORBED)), "into");
    assertCalledTwice(() -> builder.trackedIn(new Store(NumberKeeping.NONE)), "trackedIn");
    assertCalledTwice(() -> builder.quarantinedIn(new Bin()), "quarantinedIn");
  }

  @Test
  void build_ofAnAppendTargetInAStoreWithoutNumbers_fails() {
    assertThatThrownBy(
            () ->
                builder()
                    .into(new Target(Repeats.APPENDED))
                    .trackedIn(new Store(NumberKeeping.NONE))
                    .build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "Cannot build load 'orders': after a crash etl_watermark cannot tell whether the last"
                + " range was appended to silver_orders. Track the load in a store that keeps the"
                + " run's number with the row, or merge by key.");
  }

  @Test
  void toString_ofALoad_namesItsParts() {
    IncrementalLoad<List<String>> load =
        builder()
            .into(new Target(Repeats.ABSORBED))
            .trackedIn(new Store(NumberKeeping.WITH_THE_ROW))
            .build();

    assertThat(load)
        .hasToString(
            "load 'orders' from bronze_orders into silver_orders, tracked in etl_watermark");
    assertThat(load.name()).isEqualTo(new LoadName("orders"));
  }

  @Test
  void run_withoutAnythingNew_saysWhy() {
    LoadResult result =
        builder()
            .into(new Target(Repeats.ABSORBED))
            .trackedIn(new Store(NumberKeeping.WITH_THE_ROW))
            .build()
            .run();

    assertThat(result)
        .isInstanceOfSatisfying(
            LoadResult.NothingNew.class,
            nothing -> assertThat(nothing.explanation()).isEqualTo("the table is empty"));
    assertThat(result.rowsMerged()).isZero();
    assertThat(result.watermark().isStart()).isTrue();
  }

  private static IncrementalLoad.Builder<List<String>> builder() {
    return IncrementalLoad.named("orders").from(new Source());
  }

  private static void assertCalledTwice(Runnable call, String name) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot call " + name + "(..) of load 'orders' again: it was called before.");
  }

  /** A source that is always empty. */
  private record Source() implements IncrementalSource<List<String>> {
    @Override
    public String name() {
      return "bronze_orders";
    }

    @Override
    public Set<StreamName> streams() {
      return Set.of(StreamName.only());
    }

    @Override
    public List<String> watermarkColumns() {
      return List.of("loaded_at");
    }

    @Override
    public String declaration() {
      return "newer by loaded_at";
    }

    @Override
    public SourcePlan<List<String>> plan(StoredWatermarks stored) {
      return new SourcePlan.NothingNew<>("the table is empty", 0);
    }

    @Override
    public SourcePlan<List<String>> planBackfill(StreamName stream, WatermarkRange range) {
      return new SourcePlan.NothingNew<>("the table is empty", 0);
    }
  }

  /** A target that takes nothing. */
  private record Target(Repeats repeats) implements MergeTarget<List<String>> {
    @Override
    public String name() {
      return "silver_orders";
    }

    @Override
    public String declaration() {
      return "matched on id";
    }

    @Override
    public Quarantine<List<String>> quarantine() {
      return new Bin();
    }

    @Override
    public TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen) {
      return TargetStanding.withoutReceipt(TableSnapshot.unknown());
    }

    @Override
    public StagedMerge<List<String>> stage(StageRequest<List<String>> request) {
      throw new AssertionError("A load that is only built stages nothing.");
    }
  }

  /** A quarantine that takes nothing. */
  private record Bin() implements Quarantine<List<String>> {
    @Override
    public String name() {
      return "silver_orders_quarantine";
    }

    @Override
    public long put(RejectedRows<List<String>> rows) {
      throw new AssertionError("A load that is only built rejects nothing.");
    }
  }

  /** A store that is always empty. */
  private record Store(NumberKeeping numberKeeping) implements WatermarkStore {
    @Override
    public String name() {
      return "etl_watermark";
    }

    @Override
    public String identity() {
      return "etl_watermark";
    }

    @Override
    public StoredWatermarks last(LoadName load, Set<StreamName> streams) {
      return StoredWatermarks.of(load, 0, StoredStream.none());
    }

    @Override
    public void advance(Advance advance) {
      throw new AssertionError("A load that is only built moves no watermark.");
    }
  }
}
