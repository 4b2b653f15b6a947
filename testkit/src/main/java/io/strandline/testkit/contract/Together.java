package io.strandline.testkit.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Does several things at once. */
final class Together {
  private Together() {}

  /**
   * Starts all actions at the same moment and waits for all of them.
   *
   * @param actions what to do
   * @return what each of them threw, in their order; empty for one that ended well
   */
  static List<Optional<RuntimeException>> run(List<? extends Runnable> actions) {
    CyclicBarrier start = new CyclicBarrier(actions.size());
    ExecutorService threads = Executors.newFixedThreadPool(actions.size());

    try {
      List<CompletableFuture<Optional<RuntimeException>>> running = new ArrayList<>();

      for (Runnable action : actions) {
        running.add(CompletableFuture.supplyAsync(() -> outcome(start, action), threads));
      }

      return running.stream().map(CompletableFuture::join).toList();
    } finally {
      threads.shutdown();
    }
  }

  private static Optional<RuntimeException> outcome(CyclicBarrier start, Runnable action) {
    try {
      start.await();
    } catch (Exception e) {
      throw new IllegalStateException("Cannot start all actions at once.", e);
    }

    try {
      action.run();
      return Optional.empty();
    } catch (RuntimeException e) {
      return Optional.of(e);
    }
  }
}
