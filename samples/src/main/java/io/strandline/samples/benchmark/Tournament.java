package io.strandline.samples.benchmark;

import io.strandline.samples.ProgressDisplay;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Lets the contestants of a case do their work by turns, round after round, so that what the
 * machine does beside falls upon all of them.
 */
final class Tournament {
  private final Workshop workshop;
  private final Meter meter;
  private final ProgressDisplay progress;
  private final int warmUps;
  private final int rounds;

  /**
   * Makes a tournament.
   *
   * @param warmUps how many rounds are not told of, in which code is compiled
   * @param rounds how many are
   */
  Tournament(Workshop workshop, ProgressDisplay progress, int warmUps, int rounds) {
    this.workshop = workshop;
    this.meter = new Meter(workshop.spark());
    this.progress = progress;
    this.warmUps = warmUps;
    this.rounds = rounds;
  }

  /**
   * Plays a case in every size.
   *
   * @param played the case
   * @param told is told of every score at once, so that none is lost if the program ends early
   * @throws IllegalStateException if two contestants come to different results
   */
  void play(BenchmarkCase played, Consumer<Score> told) {
    for (long size : played.sizes(workshop.quantities())) {
      progress.begin("Making the tables of " + played.name() + ", size " + size);
      List<Contestant> contestants = new ArrayList<>(played.contestants(workshop, size));

      for (int round = 1 - warmUps; round <= rounds; round++) {
        progress.begin(played.name() + ", size " + size + ", round " + Math.max(0, round));

        for (Score score : round(played, contestants, size, round)) {
          if (round > 0) {
            told.accept(score);
          }
        }

        // Whoever was first is last in the next round.
        Collections.rotate(contestants, -1);
      }
    }

    progress.close();
  }

  private List<Score> round(
      BenchmarkCase played, List<Contestant> contestants, long size, int round) {
    List<Score> scores = new ArrayList<>();
    String outcome = "";

    for (Contestant contestant : contestants) {
      try (Trial trial = contestant.trial()) {
        Measurement measured = meter.measure(trial);
        scores.add(new Score(played.name(), contestant.name(), size, round, measured));
        outcome = same(outcome, trial.outcome(), played, contestant);
      }
    }

    return scores;
  }

  private static String same(
      String before, String outcome, BenchmarkCase played, Contestant contestant) {
    if (!before.isEmpty() && !before.equals(outcome)) {
      throw new IllegalStateException(
          "Cannot compare times of "
              + played.name()
              + ": the target of "
              + contestant.name()
              + " has "
              + outcome
              + ", that of the contender before it "
              + before
              + ".");
    }

    return outcome;
  }
}
