package io.strandline.samples.benchmark;

import java.util.List;
import java.util.Optional;

/** The cases that there are. */
final class Cases {
  /** Everybody who loads into a target that has rows. */
  static final List<Contender> ALL_CONTENDERS =
      List.of(new Notebook(), new Streaming(), new HandWritten(), new Strandline());

  /** A checkpoint of Structured Streaming cannot be looked back from. */
  private static final List<Contender> LOOKING_BACK =
      List.of(new Notebook(), new HandWritten(), new Strandline());

  private static final long INCREMENTS_LOOKED_BACK = 4;

  private static final MergeCase RECENT_KEYS =
      new MergeCase(
          "recent-keys",
          "merges rows of which a fifth are updates of recent orders, the rest new orders",
          OrderShape.RISING,
          Increment.RECENT,
          Scene.KeyPlaces.TOGETHER,
          0,
          ALL_CONTENDERS);

  private static final List<BenchmarkCase> ALL =
      List.of(
          new NothingNewCase(RECENT_KEYS),
          RECENT_KEYS,
          new MergeCase(
              "random-keys",
              "the same with keys that are hashes",
              OrderShape.RANDOM,
              Increment.RECENT,
              Scene.KeyPlaces.EVERYWHERE,
              0,
              ALL_CONTENDERS),
          new MergeCase(
              "spread-updates",
              "the same with updates that lie evenly over the whole target",
              OrderShape.RISING,
              Increment.SPREAD,
              Scene.KeyPlaces.EVERYWHERE,
              0,
              ALL_CONTENDERS),
          new MergeCase(
              "inserts",
              "merges rows that are all new",
              OrderShape.RISING,
              Increment.NEW,
              Scene.KeyPlaces.TOGETHER,
              0,
              ALL_CONTENDERS),
          new MergeCase(
              "lookback",
              "reads four increments again that have not changed, and nothing else",
              OrderShape.RISING,
              Increment.NONE,
              Scene.KeyPlaces.TOGETHER,
              INCREMENTS_LOOKED_BACK,
              LOOKING_BACK),
          new MergeCase(
              "wide",
              "as recent-keys, with 120 columns of which the load time is the last",
              OrderShape.WIDE,
              Increment.RECENT,
              Scene.KeyPlaces.TOGETHER,
              0,
              ALL_CONTENDERS),
          new FirstLoadCase(),
          new IdleLoadsCase(),
          new AdvanceCase());

  private Cases() {}

  static List<BenchmarkCase> all() {
    return ALL;
  }

  static Optional<BenchmarkCase> named(String name) {
    return ALL.stream().filter(known -> known.name().equals(name)).findFirst();
  }
}
