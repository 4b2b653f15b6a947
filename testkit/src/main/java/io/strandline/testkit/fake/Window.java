package io.strandline.testkit.fake;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.NullCursors;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which rows a cursor takes out of a table: the reference for every source with watermark columns.
 */
final class Window {
  private final Cursor cursor;
  private final Watermark stored;
  private final Instant now;
  private final List<Measured> above = new ArrayList<>();
  private final List<Map<String, @Nullable Object>> unmeasured = new ArrayList<>();
  private long waiting;
  private Remainder remainder = Remainder.NONE;

  /** A row and its watermark. */
  private record Measured(Map<String, @Nullable Object> row, Watermark watermark) {}

  private Window(Cursor cursor, Watermark stored, Instant now) {
    this.cursor = cursor;
    this.stored = stored;
    this.now = now;
  }

  /** Finds the rows after a stored watermark that have settled, up to the row limit. */
  static Window after(Watermark stored, Cursor cursor, Instant now, Rows table) {
    Window window = new Window(cursor, stored, now);
    window.measure(
        table,
        new WatermarkRange(cursor.lowerEnd(stored), cursor.lowerBound(stored), Watermark.start()));
    window.holdBackUnsettled();
    window.cutToRowLimit();
    return window;
  }

  /** Finds the rows of a given range; rows without a watermark are in no range. */
  static Window of(WatermarkRange range, Cursor cursor, Rows table) {
    Window window = new Window(cursor, range.after(), Instant.MAX);
    window.measure(table, range);
    window.above.removeIf(row -> row.watermark().isAfter(range.upTo()));
    window.unmeasured.clear();
    return window;
  }

  private void measure(Rows table, WatermarkRange lower) {
    for (Map<String, @Nullable Object> row : table.maps()) {
      Optional<Watermark> watermark =
          RowValues.watermark(row, cursor.columns()).filter(value -> !isSentinel(value));

      if (watermark.isEmpty()) {
        unmeasured.add(row);
      } else if (new WatermarkRange(lower.after(), lower.bound(), watermark.get())
          .contains(watermark.get())) {
        above.add(new Measured(row, watermark.get()));
      }
    }
  }

  private boolean isSentinel(Watermark value) {
    return cursor.sentinels().contains(value)
        || value.values().stream().anyMatch(cursor.sentinels()::contains);
  }

  private void holdBackUnsettled() {
    Duration settleTime = cursor.settleTime().orElse(Duration.ZERO);

    if (settleTime.isZero()) {
      return;
    }

    Instant ceiling = now.minus(settleTime);
    long before = above.size();
    above.removeIf(row -> instant(row.watermark(), "settledFor").isAfter(ceiling));
    waiting = before - above.size();
    remainder = waiting > 0 ? Remainder.WAITING : Remainder.NONE;
  }

  /** Only rows above the stored watermark count, or a run could make no headway. */
  private void cutToRowLimit() {
    List<Watermark> fresh =
        above.stream()
            .map(Measured::watermark)
            .filter(value -> value.isAfter(stored))
            .sorted()
            .toList();

    if (fresh.size() > cursor.rowLimit()) {
      Watermark last = fresh.get((int) cursor.rowLimit() - 1);

      if (above.removeIf(row -> row.watermark().isAfter(last))) {
        remainder = Remainder.WAITING;
      }
    }
  }

  /** Returns the point in time that a watermark stands for; of a composite one its first value. */
  private Instant instant(Watermark watermark, String option) {
    Watermark first = watermark.values().get(0);

    if (first instanceof Watermark.Timestamp timestamp) {
      return timestamp.value();
    }

    if (first instanceof Watermark.LocalTimestamp timestamp) {
      return timestamp.value().atZone(zone(option)).toInstant();
    }

    if (first instanceof Watermark.Date date) {
      return date.value().atStartOfDay(zone(option)).toInstant();
    }

    throw new Problem(
        ProblemKind.BAD_CONFIGURATION,
        "use " + option + "(..) with watermark column " + cursor,
        "it holds " + watermark.typed() + ", which is no time",
        "Leave " + option + "(..) away, or measure by a column of time.");
  }

  private ZoneId zone(String option) {
    return cursor
        .zone()
        .orElseThrow(
            () ->
                new Problem(
                    ProblemKind.BAD_CONFIGURATION,
                    "use " + option + "(..) with watermark column " + cursor,
                    "it has no zone, so it cannot be compared with a clock",
                    "Declare the zone: inZone(..)."));
  }

  /** Tells whether no row is to be read, loaded or quarantined. */
  boolean isEmpty() {
    return above.isEmpty() && unmeasured.isEmpty();
  }

  StreamRange range(StreamName stream) {
    Watermark upTo =
        above.stream().map(Measured::watermark).max(Watermark::compareTo).orElse(stored);
    Watermark reached =
        cursor.future() == FutureCursors.ALLOW
            ? upTo
            : above.stream()
                .map(Measured::watermark)
                .filter(value -> !instant(value, "future").isAfter(now))
                .max(Watermark::compareTo)
                .orElse(stored);
    return new StreamRange(
        stream,
        stored,
        new WatermarkRange(cursor.lowerEnd(stored), cursor.lowerBound(stored), upTo),
        Watermark.max(stored, reached));
  }

  Rows rows(Rows table) {
    Set<Map<String, @Nullable Object>> kept = new LinkedHashSet<>();
    above.forEach(row -> kept.add(row.row()));

    if (cursor.nulls() == NullCursors.LOAD) {
      kept.addAll(unmeasured);
    }

    return table.filter(kept::contains);
  }

  Rows unmeasured(Rows table) {
    Set<Map<String, @Nullable Object>> kept = new LinkedHashSet<>(unmeasured);
    return table.filter(kept::contains);
  }

  long waiting() {
    return waiting;
  }

  Remainder remainder() {
    return remainder;
  }

  /** Returns how many rows to read lie below the stored watermark. */
  long late() {
    return stored.isStart()
        ? 0
        : above.stream().filter(row -> stored.isAfter(row.watermark())).count();
  }

  Watermark earliest() {
    return late() == 0
        ? Watermark.start()
        : above.stream().map(Measured::watermark).min(Watermark::compareTo).orElseThrow();
  }
}
