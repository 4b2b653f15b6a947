package io.strandline.spark.source;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many days back dated folders are listed again, by their names.
 *
 * <p>A folder is left out only if its name says that all days in it are too old; one whose name
 * does not say a date is always listed.
 *
 * @param days how many days
 * @param levels the names of the folder levels, outermost first; empty if there is no limit
 */
record AgeLimit(int days, List<String> levels) {
  private static final int MOST_LEVELS = 3;

  AgeLimit {
    levels = List.copyOf(levels);
  }

  static AgeLimit none() {
    return new AgeLimit(0, List.of());
  }

  static AgeLimit of(int days, String level, String... more) {
    List<String> levels = new ArrayList<>(List.of(level));
    levels.addAll(List.of(more));

    if (days < 0) {
      throw new IllegalArgumentException("Cannot list " + days + " days back: it is negative.");
    }

    if (levels.size() > MOST_LEVELS) {
      throw new IllegalArgumentException(
          "Cannot read days from folders " + levels + ": year, month and day are all there is.");
    }

    return new AgeLimit(days, levels);
  }

  boolean isNone() {
    return levels.isEmpty();
  }

  /**
   * Finds the first day that is listed.
   *
   * @param paths the paths of the files that are known
   * @param today days after this one do not count
   * @return the first day; empty if everything is listed
   */
  Optional<LocalDate> firstDay(List<String> paths, LocalDate today) {
    return paths.stream()
        .map(this::lastDay)
        .flatMap(Optional::stream)
        .filter(day -> !begin(day).isAfter(today))
        .map(day -> day.isAfter(today) ? today : day)
        .max(LocalDate::compareTo)
        .map(newest -> newest.minusDays(days));
  }

  /** Returns the first day of the folder whose last day is given. */
  private LocalDate begin(LocalDate lastDay) {
    return levels.size() == 2 ? lastDay.withDayOfMonth(1) : lastDay;
  }

  /** Tells which folders are not listed if a given day is the first. */
  Predicate<String> skipping(LocalDate firstDay) {
    return folder -> lastDay(folder + "/").filter(day -> day.isBefore(firstDay)).isPresent();
  }

  /** Returns the last day that a folder of that path can hold; empty if its name does not say. */
  private Optional<LocalDate> lastDay(String path) {
    List<String> values = new ArrayList<>();

    for (String level : levels) {
      Matcher matcher = Pattern.compile("/" + Pattern.quote(level) + "=([^/]*)/").matcher(path);

      if (!matcher.find()) {
        break;
      }

      values.add(matcher.group(1));
    }

    try {
      return levels.size() == 1
          ? values.stream().findFirst().map(LocalDate::parse)
          : lastDay(values.stream().map(Integer::parseInt).toList());
    } catch (DateTimeException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static Optional<LocalDate> lastDay(List<Integer> values) {
    return switch (values.size()) {
      case 0 -> Optional.empty();
      case 1 -> Optional.of(LocalDate.of(values.get(0), 12, 31));
      case 2 -> Optional.of(YearMonth.of(values.get(0), values.get(1)).atEndOfMonth());
      default -> Optional.of(LocalDate.of(values.get(0), values.get(1), values.get(2)));
    };
  }
}
