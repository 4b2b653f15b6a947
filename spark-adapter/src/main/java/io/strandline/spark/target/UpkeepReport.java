package io.strandline.spark.target;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What upkeep did to a table.
 *
 * @param table the name of the table
 * @param before what it was before
 * @param after what it is now
 * @param warnings what a person should know, each a sentence
 * @param skipped why not all was done, as a sentence; empty if all was
 */
public record UpkeepReport(
    String table, Sizes before, Sizes after, List<String> warnings, Optional<String> skipped) {
  private static final long KIBI = 1024;
  private static final List<String> UNITS = List.of("bytes", "KiB", "MiB", "GiB", "TiB", "PiB");

  /** Copies the list. */
  public UpkeepReport {
    warnings = List.copyOf(warnings);
  }

  /**
   * How large a table is.
   *
   * @param files the files of the newest version
   * @param bytes their size
   * @param storedFiles all files in the folder of the table, those of older versions and the log
   *     among them
   * @param storedBytes their size
   */
  public record Sizes(long files, long bytes, long storedFiles, long storedBytes) {
    @Override
    public String toString() {
      return files
          + (files == 1 ? " file of " : " files of ")
          + words(bytes)
          + " ("
          + storedFiles
          + " of "
          + words(storedBytes)
          + " stored)";
    }
  }

  private static String words(long bytes) {
    double amount = bytes;
    int unit = 0;

    while (amount >= KIBI && unit < UNITS.size() - 1) {
      amount /= KIBI;
      unit++;
    }

    return unit == 0
        ? bytes + " bytes"
        : String.format(Locale.ROOT, "%.1f %s", amount, UNITS.get(unit));
  }

  /** Returns the report in sentences. */
  @Override
  public String toString() {
    return table
        + ": "
        + before
        + " -> "
        + after
        + "."
        + skipped.map(reason -> " " + reason).orElse("")
        + (warnings.isEmpty() ? "" : " " + String.join(" ", warnings));
  }
}
