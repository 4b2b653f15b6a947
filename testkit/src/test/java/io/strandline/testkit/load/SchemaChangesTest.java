package io.strandline.testkit.load;

import static io.strandline.testkit.load.Shop.MONDAY;
import static io.strandline.testkit.load.Shop.orders;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.clean.Cleaner;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.target.MergeOutcome;
import io.strandline.target.MergeTarget;
import io.strandline.target.Quarantine;
import io.strandline.target.Receipt;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.TargetStanding;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchemaChangesTest {
  private static final String ADDED = "Column 'note' (string) was added to the table.";

  private final Shop shop = new Shop();

  @Test
  void run_ofRowsWithOtherColumns_tellsInResultAndLogWhatWasDone() {
    shop.land(orders().row(1, "apples", MONDAY));
    IncrementalLoad<Rows> load =
        IncrementalLoad.named("orders")
            .from(shop.bronze.newerBy("loaded_at"))
            .cleanedBy(Cleaner.none())
            .into(new Drifting(shop.silver))
            .trackedIn(shop.store)
            .loggedIn(shop.log)
            .build();

    LoadResult result = load.run();

    assertThat(result.notes().schemaChanges()).containsExactly(ADDED);
    assertThat(result.notes().warnings()).isEmpty();
    assertThat(shop.log.last().message()).isEqualTo(ADDED);
    assertThat(load.run().notes().schemaChanges()).isEmpty();
  }

  /** A target that adds a column to its table whenever it commits. */
  private record Drifting(MergeTarget<Rows> target) implements MergeTarget<Rows> {
    @Override
    public String name() {
      return target.name();
    }

    @Override
    public String declaration() {
      return target.declaration();
    }

    @Override
    public Repeats repeats() {
      return target.repeats();
    }

    @Override
    public Quarantine<Rows> quarantine() {
      return target.quarantine();
    }

    @Override
    public TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen) {
      return target.standing(identity, lastSeen);
    }

    @Override
    public StagedMerge<Rows> stage(StageRequest<Rows> request) {
      return new Changing(target.stage(request));
    }
  }

  private record Changing(StagedMerge<Rows> staged) implements StagedMerge<Rows> {
    @Override
    public long accepted() {
      return staged.accepted();
    }

    @Override
    public long rejectedRows() {
      return staged.rejectedRows();
    }

    @Override
    public List<Rows> rejected() {
      return staged.rejected();
    }

    @Override
    public MergeOutcome merge(Receipt receipt) {
      MergeOutcome outcome = staged.merge(receipt);
      return outcome instanceof MergeOutcome.Committed
          ? outcome.withSchemaChanges(List.of(ADDED))
          : outcome;
    }
  }
}
