package io.strandline.spark.proof;

import static io.strandline.spark.proof.DeltaShop.MONDAY;
import static io.strandline.spark.proof.DeltaShop.TUESDAY;
import static io.strandline.spark.proof.DeltaShop.at;
import static io.strandline.spark.proof.DeltaShop.orders;
import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.delta.exceptions.DeltaConcurrentModificationException;
import io.strandline.load.Aftermath;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadListener;
import io.strandline.load.LoadPhase;
import io.strandline.load.LoadResult;
import io.strandline.load.LoadStep;
import io.strandline.problem.ProblemKind;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.fault.Moment;
import io.strandline.testkit.process.ChildProgram;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Several at work on the same tables at once; {@code -Dstrandline.repeats=N} runs each N times. */
@ExtendWith(LakehouseExtension.class)
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class ConcurrencyTest {
  private static final String REPEATS = "io.strandline.spark.proof.Repeats#all";
  private static final int LOADS = 8;

  @ParameterizedTest
  @MethodSource(REPEATS)
  void run_byTwoThreadsAtOnce_winsOnce(int repeat, Lakehouse lakehouse) throws Exception {
    DeltaShop shop = DeltaShop.in(lakehouse);
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY));
    runTwice(shop, 1);
    shop.land(orders().row(1, "more apples", TUESDAY).row(3, "figs", TUESDAY));
    runTwice(shop, 2);

    assertThat(shop.silver())
        .hasRows(
            orders()
                .row(1, "more apples", TUESDAY)
                .row(2, "pears", MONDAY)
                .row(3, "figs", TUESDAY));
    assertThat(shop.load().run()).foundNothingNew().recoveredNothing().advancedTo(at(TUESDAY));
  }

  private static void runTwice(DeltaShop shop, long number) throws Exception {
    CyclicBarrier planned = new CyclicBarrier(2);
    List<Object> ends =
        atOnce(
            2,
            index ->
                shop.load(Faults.once(LoadStep.MERGE, Moment.BEFORE).runs(() -> await(planned))));

    assertThat(ends).filteredOn(LoadResult.Committed.class::isInstance).hasSize(1);
    LoadException loser =
        (LoadException)
            ends.stream().filter(LoadException.class::isInstance).findFirst().orElseThrow();
    assertThat(loser.kind()).as(loser.getMessage()).isEqualTo(ProblemKind.CONCURRENT_RUN);
    assertThat(loser.aftermath()).isEqualTo(Aftermath.NOTHING_WRITTEN);
    assertThat(loser)
        .hasMessageStartingWith(
            "Cannot merge rows into " + shop.table("silver") + " for load 'orders'")
        .hasMessageContaining("has committed run " + number + " meanwhile")
        .hasMessageEndingWith("Run the load again, and let only one run at a time be scheduled.");
    assertThat(shop.store()).holdsNumber("orders", number);
  }

  @ParameterizedTest
  @MethodSource(REPEATS)
  @Tag(MergeTargetContract.THOROUGH)
  void run_ofEightLoadsOverOneWatermarkTable_movesThemAll(int repeat, Lakehouse lakehouse)
      throws Exception {
    DeltaShop shop = DeltaShop.in(lakehouse);
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY));
    CyclicBarrier merged = new CyclicBarrier(LOADS);

    List<Object> ends =
        atOnce(
            LOADS,
            index -> {
              FaultPlan faults =
                  Faults.once(LoadStep.ADVANCE, Moment.BEFORE).runs(() -> await(merged));
              return shop.from("orders-" + index, faults)
                  .into(shop.target("silver_" + index))
                  .trackedIn(faults.wrap(shop.store()))
                  .build();
            });

    assertThat(ends)
        .allSatisfy(
            end -> assertThat((LoadResult) end).merged(2).advancedTo(at(MONDAY)).warnsOfNothing());

    for (int index = 0; index < LOADS; index++) {
      assertThat(shop.store())
          .holds("orders-" + index, at(MONDAY))
          .holdsNumber("orders-" + index, 1);
    }
  }

  @ParameterizedTest
  @MethodSource(REPEATS)
  @Tag(MergeTargetContract.THOROUGH)
  void run_whileOthersChangeItsTarget_losesNeitherTheirRowsNorItsOwn(
      int repeat, Lakehouse lakehouse) {
    DeltaShop shop = DeltaShop.in(lakehouse);
    shop.land(orders().row(1, "apples", MONDAY).row(2, "pears", MONDAY).row(3, "figs", MONDAY));
    // The row at the watermark is read again each time, and would undo what others do to it.
    shop.land(orders().row(4, "nuts", MONDAY.plusSeconds(1)));
    shop.load().run();

    for (int night = 1; night <= 2; night++) {
      int others = night;
      LoadStep step = night == 1 ? LoadStep.MERGE : LoadStep.ADVANCE;
      shop.land(orders().row(10 + night, "loaded", TUESDAY.plusSeconds(night)));
      FaultPlan faults = Faults.once(step, Moment.BEFORE).runs(() -> change(shop, others));

      assertThat(shop.load(faults).run())
          .as("others at work before " + step)
          .merged(1)
          .addsUp()
          .warnsOfNothing()
          .advancedTo(at(TUESDAY.plusSeconds(night)));
      assertThat(faults.fired()).isEqualTo(1);
    }

    assertThat(shop.load().run()).foundNothingNew();
    assertThat(shop.silver().drop("loaded_at"))
        .hasRows(
            Rows.columns("id", "item")
                .row(1, "apples by hand by hand")
                .row(4, "nuts")
                .row(11, "loaded")
                .row(12, "loaded")
                .row(101, "by another")
                .row(102, "by another"));
  }

  /** What others do to the target of a load: write, correct, delete, and keep it in order. */
  private static void change(DeltaShop shop, int night) {
    shop.sql("UPDATE {silver} SET item = concat(item, ' by hand') WHERE id = 1");
    shop.sql("DELETE FROM {silver} WHERE id = " + (1 + night));
    shop.append("silver", orders().row(100 + night, "by another", MONDAY));
    shop.sql("OPTIMIZE {silver}");
    shop.sql("VACUUM {silver}");
  }

  @ParameterizedTest
  @MethodSource(REPEATS)
  @Tag(MergeTargetContract.THOROUGH)
  void run_whileAnotherWriterNeverRests_getsThroughOrSaysSo(int repeat, Lakehouse lakehouse)
      throws Exception {
    DeltaShop shop = DeltaShop.in(lakehouse);
    // The watermark lies above the row that the other writer changes: read again, it would win.
    shop.land(orders().row(1, "apples", TUESDAY).row(2, "pears", MONDAY));
    shop.load().run();
    CountDownLatch done = new CountDownLatch(1);
    ExecutorService other = Executors.newSingleThreadExecutor();

    try {
      Future<Integer> updates =
          other.submit(
              () -> {
                int times = 0;

                while (done.getCount() > 0) {
                  try {
                    shop.sql("UPDATE {silver} SET item = concat(item, '.') WHERE id = 2");
                    times++;
                  } catch (DeltaConcurrentModificationException e) {
                    // The load came first.
                  }
                }

                return times;
              });
      List<String> conflicts = new ArrayList<>();

      for (int night = 1; night <= 4; night++) {
        // An update of the same file as the other writer's, so that the two do conflict.
        shop.land(orders().row(1, "apples " + night, TUESDAY.plusSeconds(night)));

        try {
          shop.load().run();
        } catch (LoadException e) {
          assertThat(e.kind()).as(e.getMessage()).isEqualTo(ProblemKind.TARGET_CONFLICT);
          assertThat(e.aftermath()).isEqualTo(Aftermath.NOTHING_WRITTEN);
          conflicts.add(String.valueOf(e.getMessage()));
        }
      }

      done.countDown();
      int times = updates.get();
      shop.load().run();

      assertThat(conflicts).allMatch(message -> message.contains("another writer has changed"));
      assertThat(shop.silver())
          .hasRows(
              orders()
                  .row(1, "apples 4", TUESDAY.plusSeconds(4))
                  .row(2, "pears" + ".".repeat(times), MONDAY));
      assertThat(shop.store()).holds("orders", at(TUESDAY.plusSeconds(4)));
    } finally {
      done.countDown();
      other.shutdown();
    }
  }

  @ParameterizedTest
  @MethodSource(REPEATS)
  @Tag(MergeTargetContract.THOROUGH)
  void run_byTwoProcessesAtOnce_winsOnce(int repeat, SparkSession spark, Lakehouse lakehouse) {
    Path folder = Path.of(lakehouse.path("shared"));
    KilledLoad mine = KillScenario.MERGE.open(spark, folder, new OrderHistory(repeat));

    try (ChildProgram other =
        ChildProgram.start(
            KillableLoad.class,
            KillScenario.MERGE.name(),
            folder.toString(),
            Integer.toString(repeat),
            "0",
            KillableLoad.WAITING)) {
      other.awaitLine("ready"::equals);
      other.tell("1 3");

      // It loads after the first day and after the third.
      for (int race = 0; race < 2; race++) {
        other.awaitLine("step MERGE"::equals);
        Object end = end(mine.load().heardBy(atMerge(() -> other.tell("merge"))).build()::run);
        String theirs = other.awaitLine(line -> line.startsWith("loaded"));
        boolean isMine = end instanceof LoadResult.Committed;

        assertThat(theirs.contains("CONCURRENT_RUN")).as(end + " and " + theirs).isEqualTo(isMine);
        assertThat(end)
            .satisfiesAnyOf(
                won -> assertThat(won).isInstanceOf(LoadResult.Committed.class),
                lost ->
                    assertThat(((LoadException) lost).kind())
                        .isEqualTo(ProblemKind.CONCURRENT_RUN));
      }

      other.finish();
    }

    mine.load().build().run();
    mine.verify(3);
  }

  private static LoadListener atMerge(Runnable action) {
    return event -> {
      if (event.step() == LoadStep.MERGE && event.phase() == LoadPhase.STARTED) {
        action.run();
      }
    };
  }

  /** Runs loads at once, and gives for each its result or the exception that it failed with. */
  private static List<Object> atOnce(int number, IntFunction<IncrementalLoad<?>> loads)
      throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(number);

    try {
      List<Callable<Object>> runs = new ArrayList<>();
      IntStream.range(0, number).forEach(i -> runs.add(() -> end(() -> loads.apply(i).run())));
      List<Object> ends = new ArrayList<>();

      for (Future<Object> end : pool.invokeAll(runs)) {
        ends.add(end.get());
      }

      return ends;
    } finally {
      pool.shutdown();
    }
  }

  private static Object end(Supplier<LoadResult> run) {
    try {
      return run.get();
    } catch (LoadException e) {
      return e;
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(5, TimeUnit.MINUTES);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException("The others did not come.", e);
    }
  }
}
