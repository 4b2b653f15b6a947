package io.strandline.samples.benchmark;

import com.google.common.math.Quantiles;
import io.strandline.samples.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Lays out scores as one table: medians of the rounds, and what they are to Strandline's. */
final class ScoreBoard {
  private static final String MEASURED_AGAINST = "strandline";
  private static final double BYTES_PER_MB = 1_000_000;

  private static final List<String> HEADER =
      List.of(
          "case",
          "size",
          "contender",
          "ms",
          "from",
          "to",
          "strandline/it",
          "jobs",
          "in range",
          "scanned",
          "scanned/range",
          "files read",
          "MB read",
          "files written",
          "MB written");

  private ScoreBoard() {}

  /** What is compared with each other. */
  private record Heat(String caseName, long size) {}

  /**
   * Lays out scores.
   *
   * @param scores the scores of all rounds
   * @return the lines
   */
  static List<String> of(List<Score> scores) {
    List<List<String>> lines = new ArrayList<>(List.of(HEADER));
    Map<Heat, Map<String, List<Measurement>>> heats = new LinkedHashMap<>();

    for (Score score : scores) {
      heats
          .computeIfAbsent(new Heat(score.caseName(), score.size()), heat -> new LinkedHashMap<>())
          .computeIfAbsent(score.contender(), name -> new ArrayList<>())
          .add(score.measured());
    }

    heats.forEach(
        (heat, contenders) ->
            contenders.forEach(
                (name, rounds) ->
                    lines.add(
                        line(
                            heat,
                            name,
                            rounds,
                            contenders.getOrDefault(MEASURED_AGAINST, List.of())))));
    return TextTable.of(lines);
  }

  private static List<String> line(
      Heat heat, String contender, List<Measurement> rounds, List<Measurement> strandline) {
    double millis = median(rounds, Measurement::millis);
    double inRange = median(rounds, Measurement::rowsInRange);
    double scanned = median(rounds, Measurement::rowsScanned);
    return List.of(
        heat.caseName(),
        Long.toString(heat.size()),
        contender,
        whole(millis),
        Long.toString(rounds.stream().mapToLong(Measurement::millis).min().orElse(0)),
        Long.toString(rounds.stream().mapToLong(Measurement::millis).max().orElse(0)),
        strandline.isEmpty() ? "" : ratio(median(strandline, Measurement::millis), millis),
        whole(median(rounds, Measurement::jobs)),
        whole(inRange),
        whole(scanned),
        ratio(scanned, inRange),
        whole(median(rounds, Measurement::filesRead)),
        megabytes(median(rounds, Measurement::bytesRead)),
        whole(median(rounds, Measurement::filesWritten)),
        megabytes(median(rounds, Measurement::bytesWritten)));
  }

  private static double median(List<Measurement> rounds, ToLongFunction<Measurement> part) {
    return Quantiles.median().compute(rounds.stream().map(part::applyAsLong).toList());
  }

  private static String whole(double number) {
    return String.format(Locale.ROOT, "%.0f", number);
  }

  private static String ratio(double number, double to) {
    return to == 0 ? "" : String.format(Locale.ROOT, "%.2f", number / to);
  }

  private static String megabytes(double bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / BYTES_PER_MB);
  }
}
