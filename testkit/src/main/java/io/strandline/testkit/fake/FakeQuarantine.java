package io.strandline.testkit.fake;

import io.strandline.clean.Cleaned;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Reading;
import io.strandline.target.RedrivableQuarantine;
import io.strandline.target.Redrive;
import io.strandline.target.RejectedRows;
import io.strandline.watermark.LoadName;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A quarantine in memory, which tells rows by load, content and reason.
 *
 * <p>Strict by default: a row without a reason is refused. Safe for use by several threads.
 */
public final class FakeQuarantine implements RedrivableQuarantine<Rows> {
  private final String name;
  private final Map<Entry, Held> entries = new LinkedHashMap<>();
  private int commits;

  /** What makes a row the same row. */
  private record Entry(LoadName load, Map<String, @Nullable Object> row) {}

  private enum State {
    WAITING,
    BEGUN,
    REDRIVEN
  }

  /**
   * What is held of an entry now.
   *
   * @param id a number that no other entry has
   * @param row the row, as it came or as a person has corrected it
   * @param reason why it was rejected the last time
   * @param origin who rejected it the first time; blank if a cleaner did
   * @param state what has become of it
   * @param redrive the id of the redrive that has begun with it; blank if none has
   */
  private record Held(
      long id,
      Map<String, @Nullable Object> row,
      Object reason,
      String origin,
      State state,
      String redrive) {
    Held in(State newState, String newRedrive) {
      return new Held(id, row, reason, origin, newState, newRedrive);
    }

    Held corrected(Map<String, @Nullable Object> newRow) {
      String by = origin.equals(RejectedRows.BY_SOURCE) ? "" : origin;
      return newRow.equals(row) ? this : new Held(id, newRow, reason, by, state, redrive);
    }

    Held rejectedAgain(Object newReason) {
      return new Held(id, row, newReason, origin, State.WAITING, "");
    }
  }

  private FakeQuarantine(String name) {
    this.name = name;
  }

  /**
   * Makes an empty quarantine.
   *
   * @param name its name
   * @return the quarantine
   */
  public static FakeQuarantine named(String name) {
    return new FakeQuarantine(name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized long put(RejectedRows<Rows> rejected) {
    long before = entries.size();

    for (Rows rows : rejected.rows()) {
      for (Map<String, @Nullable Object> given : rows.maps()) {
        Object reason = reason(given);
        String origin = String.valueOf(given.getOrDefault(RejectedRows.ORIGIN_COLUMN, ""));
        Map<String, @Nullable Object> told = new LinkedHashMap<>(given);
        told.remove(RejectedRows.ORIGIN_COLUMN);
        Map<String, @Nullable Object> row = new LinkedHashMap<>(told);
        row.remove(Reading.REASON_COLUMN);
        entries.putIfAbsent(
            new Entry(rejected.load(), told),
            new Held(entries.size() + 1L, row, reason, origin, State.WAITING, ""));
      }
    }

    long added = entries.size() - before;
    commits += added == 0 ? 0 : 1;
    return added;
  }

  private Object reason(Map<String, @Nullable Object> row) {
    Object reason = row.get(Reading.REASON_COLUMN);

    if (reason == null) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "put a row into " + name,
          "it does not say why it was rejected, in column '" + Reading.REASON_COLUMN + "'",
          "Give each rejected row its reason.");
    }

    return reason;
  }

  /**
   * Returns what is kept of a load and was not redriven.
   *
   * @param load the load
   * @return its rows, oldest first, each with its reason in the last column
   */
  public synchronized Rows rows(LoadName load) {
    return rows(load, held -> held.state() != State.REDRIVEN);
  }

  /**
   * Returns what was redriven of a load.
   *
   * @param load the load
   * @return its rows, oldest first, each with its last reason in the last column
   */
  public synchronized Rows redriven(LoadName load) {
    return rows(load, held -> held.state() == State.REDRIVEN);
  }

  private Rows rows(LoadName load, Predicate<Held> condition) {
    return Rows.of(
        entries.entrySet().stream()
            .filter(entry -> entry.getKey().load().equals(load))
            .map(Map.Entry::getValue)
            .filter(condition)
            .map(
                held -> {
                  Map<String, @Nullable Object> row = new LinkedHashMap<>(held.row());
                  row.put(Reading.REASON_COLUMN, held.reason());
                  return row;
                })
            .toList());
  }

  /**
   * Corrects the rows of a load that were not redriven, as a person does.
   *
   * @param load the load
   * @param correction makes the right row from the wrong one, which it cannot change in place
   */
  public synchronized void correct(
      LoadName load, UnaryOperator<Map<String, @Nullable Object>> correction) {
    entries.replaceAll(
        (entry, held) ->
            entry.load().equals(load) && held.state() != State.REDRIVEN
                ? held.corrected(
                    Rows.of(List.of(correction.apply(Rows.of(List.of(held.row())).maps().get(0))))
                        .maps()
                        .get(0))
                : held);
  }

  /** Returns how many times rows were added. */
  public synchronized int commits() {
    return commits;
  }

  @Override
  public synchronized Redrive<Rows> redrive(LoadName load) {
    List<Held> begun = held(load, held -> held.state() == State.BEGUN);

    if (!begun.isEmpty()) {
      return new Redriving(load, begun.get(0).redrive(), true, begun);
    }

    // What a source rejects, no cleaner can mend.
    return new Redriving(
        load,
        UUID.randomUUID().toString(),
        false,
        held(
            load,
            held ->
                held.state() == State.WAITING && !held.origin().equals(RejectedRows.BY_SOURCE)));
  }

  private List<Held> held(LoadName load, Predicate<Held> condition) {
    return entries.entrySet().stream()
        .filter(entry -> entry.getKey().load().equals(load))
        .map(Map.Entry::getValue)
        .filter(condition)
        .toList();
  }

  /** Entries as they were when they were taken up. */
  private final class Redriving implements Redrive<Rows> {
    private final LoadName load;
    private final String id;
    private final boolean isBegun;
    private final List<Held> taken;

    private Redriving(LoadName load, String id, boolean isBegun, List<Held> taken) {
      this.load = load;
      this.id = id;
      this.isBegun = isBegun;
      this.taken = taken;
    }

    @Override
    public String id() {
      return id;
    }

    @Override
    public boolean isBegun() {
      return isBegun;
    }

    @Override
    public long rows() {
      return taken.size();
    }

    @Override
    public List<Rows> raw() {
      return alike(held -> !held.origin().equals(RejectedRows.BY_TARGET));
    }

    @Override
    public List<Rows> cleaned() {
      return alike(held -> held.origin().equals(RejectedRows.BY_TARGET));
    }

    private List<Rows> alike(Predicate<Held> condition) {
      Map<Collection<String>, Rows> alike = new LinkedHashMap<>();
      taken.stream()
          .filter(condition)
          .forEach(
              held ->
                  alike.merge(
                      List.copyOf(held.row().keySet()),
                      Rows.of(List.of(given(held))),
                      Rows::concat));
      return List.copyOf(alike.values());
    }

    private Map<String, @Nullable Object> given(Held held) {
      Map<String, @Nullable Object> raw = new LinkedHashMap<>(held.row());
      raw.put(ENTRY_COLUMN, held.id());
      Map<String, @Nullable Object> given = new LinkedHashMap<>(held.row());
      given.put(Cleaned.RAW_COLUMN, raw);
      return given;
    }

    @Override
    public Rows union(List<Rows> parts) {
      return parts.stream()
          .filter(rows -> !rows.isEmpty())
          .reduce(Rows::concat)
          .orElse(Rows.none());
    }

    @Override
    public void begin(List<Rows> rejected) {
      Map<Long, Object> reasons = new LinkedHashMap<>();

      for (Rows rows : rejected) {
        rows.maps().forEach(row -> reasons.put(entry(row), reason(row)));
      }

      synchronized (FakeQuarantine.this) {
        if (!held(load, taken::contains).containsAll(taken)) {
          throw new Problem(
              ProblemKind.TARGET_CONFLICT,
              "redrive the entries of " + name,
              "they have changed since they were taken up",
              "Redrive them again.");
        }

        for (Held held : taken) {
          Object reason = reasons.get(held.id());
          replace(held, reason == null ? held.in(State.BEGUN, id) : held.rejectedAgain(reason));
        }
      }
    }

    private long entry(Map<String, @Nullable Object> row) {
      Object entry =
          row.containsKey(ENTRY_COLUMN)
              ? row.get(ENTRY_COLUMN)
              : CheckedRows.structure(row, Cleaned.RAW_COLUMN).get(ENTRY_COLUMN);

      if (entry == null) {
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            "tell which entries of " + name + " were rejected again",
            "the cleaner does not keep the column '" + Cleaned.RAW_COLUMN + "'",
            "Keep it, or correct the rows by hand until none is rejected.");
      }

      return (Long) entry;
    }

    @Override
    public void finish(String attempt) {
      synchronized (FakeQuarantine.this) {
        held(load, held -> held.state() == State.BEGUN && held.redrive().equals(id))
            .forEach(held -> replace(held, held.in(State.REDRIVEN, id)));
      }
    }
  }

  private void replace(Held old, Held held) {
    entries.replaceAll((entry, other) -> other.id() == old.id() ? held : other);
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
