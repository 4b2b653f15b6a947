package io.strandline.testkit.fake;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.target.MergeCounts;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one key, recomputed from what is stored of them and from what has come: the
 * reference for every target that keeps history.
 *
 * <p>What is stored tells every event that ever came and counted. The row of a version is its last
 * event; those before it, which changed nothing that is tracked, are kept beside it; an end without
 * a successor is a delete; deletes that closed nothing are tombstones.
 *
 * @param versions the versions, oldest first
 * @param counts what became of the events that came
 */
record KeyHistory(List<Map<String, @Nullable Object>> versions, MergeCounts counts) {
  /** The column in which a version keeps its events but the last. */
  static final String EVENTS = "_strandline_events";

  /** The column that marks a delete on its way. */
  static final String MARK = Deletion.MARK;

  /**
   * How a history is declared.
   *
   * @param keys the key columns
   * @param effective the column that says from when on a row holds
   * @param tracked the columns whose change opens a version
   * @param order which of two rows of one instant is newer
   * @param stamped columns that are never compared
   * @param from the name of the column of the beginning
   * @param to the name of the column of the end
   * @param current the name of the column of the flag
   */
  record Shape(
      List<String> keys,
      String effective,
      List<String> tracked,
      VersionOrder order,
      List<String> stamped,
      String from,
      String to,
      String current) {

    List<String> versionColumns() {
      Set<String> columns = new LinkedHashSet<>(order.sequence());
      columns.addAll(order.cursor());
      return List.copyOf(columns);
    }

    boolean isOfHistory(String column) {
      return column.equals(from)
          || column.equals(to)
          || column.equals(current)
          || column.equals(EVENTS);
    }
  }

  /** Where an event is known from. */
  private enum Origin {
    COME,
    STORED,
    IMPLIED
  }

  /** Something that happened to a key. */
  private record Event(Map<String, @Nullable Object> row, boolean isDelete, Origin origin) {}

  static KeyHistory of(
      List<? extends Map<String, @Nullable Object>> stored,
      List<? extends Map<String, @Nullable Object>> tombstones,
      List<? extends Map<String, @Nullable Object>> come,
      Shape shape) {
    return new Computation(shape).of(stored, tombstones, come);
  }

  /**
   * Closes an open version of a key that is gone; it ends after all that is known of it.
   *
   * @param at when the key was found gone
   */
  static Map<String, @Nullable Object> closed(
      Map<String, @Nullable Object> version, Instant at, Shape shape) {
    Object known = version.get(shape.effective());
    Object last = Objects.requireNonNull(known == null ? version.get(shape.from()) : known);
    Map<String, @Nullable Object> closed = new LinkedHashMap<>(version);
    closed.put(shape.to(), end(last, at.truncatedTo(ChronoUnit.MICROS)));
    closed.put(shape.current(), false);
    return Collections.unmodifiableMap(closed);
  }

  private static Object end(Object last, Instant at) {
    LocalDateTime utc = LocalDateTime.ofInstant(at, ZoneOffset.UTC);

    if (last instanceof Instant instant) {
      return at.isAfter(instant) ? at : instant.plus(1, ChronoUnit.MICROS);
    }

    if (last instanceof LocalDateTime time) {
      return utc.isAfter(time) ? utc : time.plus(1, ChronoUnit.MICROS);
    }

    if (last instanceof LocalDate day) {
      return utc.toLocalDate().isAfter(day) ? utc.toLocalDate() : day.plusDays(1);
    }

    throw new Problem(
        ProblemKind.BAD_CONFIGURATION,
        "sweep a history",
        "its versions hold from " + last + " on, and all that a sweep knows is a time",
        "Call effectiveFrom(..) with a time.");
  }

  /** The work, with its declaration at hand. */
  private static final class Computation {
    private final Shape shape;
    private final TreeMap<Object, List<Event>> events = new TreeMap<>(Computation::compare);
    private long inserted;
    private long updated;
    private long deleted;
    private long unchanged;
    private long stale;

    private Computation(Shape shape) {
      this.shape = shape;
    }

    private KeyHistory of(
        List<? extends Map<String, @Nullable Object>> stored,
        List<? extends Map<String, @Nullable Object>> tombstones,
        List<? extends Map<String, @Nullable Object>> come) {
      stored.forEach(this::addStored);
      tombstones.forEach(row -> add(row, true, Origin.STORED));
      come.forEach(
          row -> {
            Map<String, @Nullable Object> unmarked = new LinkedHashMap<>(row);
            unmarked.remove(MARK);
            add(unmarked, Boolean.TRUE.equals(row.get(MARK)), Origin.COME);
          });
      List<Map<String, @Nullable Object>> versions = versions();
      return new KeyHistory(
          versions, new MergeCounts(inserted, updated, deleted, unchanged, 0, stale));
    }

    private void addStored(Map<String, @Nullable Object> version) {
      Map<String, @Nullable Object> row = new LinkedHashMap<>(version);
      row.keySet().removeIf(shape::isOfHistory);
      row.putIfAbsent(shape.effective(), version.get(shape.from()));
      add(row, false, Origin.STORED);

      if (version.get(EVENTS) instanceof List<?> earlier) {
        for (Object one : earlier) {
          Map<String, @Nullable Object> whole = new LinkedHashMap<>(row);
          ((Map<?, ?>) one).forEach((column, value) -> whole.put((String) column, value));
          add(whole, false, Origin.STORED);
        }
      }

      if (version.get(shape.to()) != null) {
        Map<String, @Nullable Object> end = new LinkedHashMap<>();
        end.put(shape.effective(), version.get(shape.to()));
        add(end, true, Origin.IMPLIED);
      }
    }

    private void add(Map<String, @Nullable Object> row, boolean isDelete, Origin origin) {
      events
          .computeIfAbsent(
              Objects.requireNonNull(row.get(shape.effective())), at -> new ArrayList<>())
          .add(new Event(row, isDelete, origin));
    }

    /** Walks through the instants, each with the newest event of it. */
    private List<Map<String, @Nullable Object>> versions() {
      List<Map<String, @Nullable Object>> versions = new ArrayList<>();
      Optional<Event> before = Optional.empty();

      for (Map.Entry<Object, List<Event>> instant : events.entrySet()) {
        List<Event> counting = counting(instant.getValue());
        Event winner = counting.stream().min(newestFirst()).orElseThrow();
        boolean opens =
            !winner.isDelete()
                && before.filter(last -> !last.isDelete() && isSame(last, winner)).isEmpty();

        if (winner.origin() == Origin.COME) {
          boolean replaces =
              counting.stream()
                  .anyMatch(other -> other.origin() == Origin.STORED && !other.isDelete());
          boolean isEnd = counting.stream().anyMatch(other -> other.origin() == Origin.IMPLIED);
          count(winner, before, opens, replaces, isEnd);
        } else if (counting.stream().anyMatch(event -> event.origin() == Origin.COME)) {
          stale++;
        }

        if ((opens || winner.isDelete()) && before.filter(last -> !last.isDelete()).isPresent()) {
          close(versions.get(versions.size() - 1), instant.getKey());
        }

        if (opens) {
          versions.add(opened(winner, instant.getKey()));
        } else if (!winner.isDelete()) {
          confirm(versions.get(versions.size() - 1), winner);
        }

        before = Optional.of(winner);
      }

      return versions;
    }

    /** Leaves out a row that is stored already, whatever is stamped on it. */
    private List<Event> counting(List<Event> instant) {
      List<Event> counting = new ArrayList<>(instant);

      for (Event event : instant) {
        if (event.origin() == Origin.COME
            && instant.stream()
                .anyMatch(other -> other.origin() == Origin.STORED && isKnown(event, other))) {
          counting.remove(event);
          unchanged++;
        }
      }

      return counting;
    }

    private boolean isKnown(Event come, Event stored) {
      return !come.isDelete() && !stored.isDelete() && compared(come).equals(compared(stored));
    }

    private Map<String, @Nullable Object> compared(Event event) {
      Map<String, @Nullable Object> compared = new TreeMap<>(event.row());
      compared.keySet().removeAll(shape.stamped());
      return compared;
    }

    private boolean isSame(Event one, Event other) {
      return shape.tracked().stream()
          .allMatch(column -> Objects.equals(one.row().get(column), other.row().get(column)));
    }

    private void count(
        Event come, Optional<Event> before, boolean opens, boolean replaces, boolean isEnd) {
      if (come.isDelete()) {
        boolean closes = !isEnd && before.filter(last -> !last.isDelete()).isPresent();

        if (replaces || closes) {
          deleted++;
        } else {
          unchanged++;
        }
      } else if (opens) {
        if (replaces) {
          updated++;
        } else {
          inserted++;
        }
      } else if (before.filter(last -> shows(last).equals(shows(come))).isPresent()) {
        unchanged++;
      } else {
        updated++;
      }
    }

    /** Returns what a person sees of an event that is not tracked. */
    private Map<String, @Nullable Object> shows(Event event) {
      Map<String, @Nullable Object> shown = compared(event);
      shown.keySet().removeAll(shape.versionColumns());
      shown.remove(shape.effective());
      shown.keySet().removeAll(shape.order().ties());
      return shown;
    }

    private Map<String, @Nullable Object> opened(Event event, Object at) {
      Map<String, @Nullable Object> version = new LinkedHashMap<>(event.row());
      version.put(shape.from(), at);
      version.put(shape.to(), null);
      version.put(shape.current(), true);
      version.put(EVENTS, null);
      return version;
    }

    private void close(Map<String, @Nullable Object> version, Object at) {
      version.put(shape.to(), at);
      version.put(shape.current(), false);
    }

    /** Puts an event in the place of the version's row, which is kept as one before it. */
    private void confirm(Map<String, @Nullable Object> version, Event event) {
      Map<String, @Nullable Object> earlier = new LinkedHashMap<>(version);
      earlier
          .keySet()
          .removeIf(
              column ->
                  shape.isOfHistory(column)
                      || shape.keys().contains(column)
                      || shape.tracked().contains(column));
      List<Object> all = new ArrayList<>();

      if (version.get(EVENTS) instanceof List<?> some) {
        all.addAll(some);
      }

      all.add(earlier);
      version.putAll(event.row());
      version.put(EVENTS, all);
    }

    private Comparator<Event> newestFirst() {
      Comparator<Event> impliedLast =
          Comparator.comparing(event -> event.origin() == Origin.IMPLIED);
      return impliedLast
          .thenComparing(Event::row, RowValues.newestFirst(shape.versionColumns()))
          .thenComparing(event -> !event.isDelete())
          .thenComparing(Event::row, RowValues.newestFirst(shape.order().ties()))
          .thenComparing(event -> event.origin() != Origin.COME);
    }

    @SuppressWarnings("unchecked") // What an effective column holds can be compared.
    private static int compare(Object one, Object other) {
      return ((Comparable<Object>) one).compareTo(other);
    }
  }
}
