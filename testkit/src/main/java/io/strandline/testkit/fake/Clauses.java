package io.strandline.testkit.fake;

import io.strandline.target.Deletes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which rows a merge inserts and updates, and in what columns.
 *
 * @param updated the columns of data that an update changes; empty for all
 * @param insert which rows of a new key are inserted; empty for all
 * @param update which rows update their stored row; empty for all
 * @param nulls what a null says
 * @param stamp the column that says when a row was changed last; empty if there is none
 */
record Clauses(
    List<String> updated,
    Optional<Deletes.Condition> insert,
    Optional<Deletes.Condition> update,
    Nulls nulls,
    String stamp) {
  /** What a null in a row says. */
  enum Nulls {
    ARE_VALUES,
    SAY_NOTHING
  }

  static Clauses all() {
    return new Clauses(List.of(), Optional.empty(), Optional.empty(), Nulls.ARE_VALUES, "");
  }

  Clauses updating(List<String> columns) {
    return new Clauses(columns, insert, update, nulls, stamp);
  }

  Clauses insertingWhen(Deletes.Condition condition) {
    return new Clauses(updated, Optional.of(condition), update, nulls, stamp);
  }

  Clauses updatingWhen(Deletes.Condition condition) {
    return new Clauses(updated, insert, Optional.of(condition), nulls, stamp);
  }

  Clauses keepingWhereNull() {
    return new Clauses(updated, insert, update, Nulls.SAY_NOTHING, stamp);
  }

  Clauses stampingChanges(String column) {
    return new Clauses(updated, insert, update, nulls, column);
  }

  boolean keepsWhereNull() {
    return nulls == Nulls.SAY_NOTHING;
  }

  boolean inserts(Map<String, @Nullable Object> row) {
    return insert.filter(condition -> !isFulfilled(condition, row)).isEmpty();
  }

  boolean updates(Map<String, @Nullable Object> row) {
    return update.filter(condition -> !isFulfilled(condition, row)).isEmpty();
  }

  private static boolean isFulfilled(
      Deletes.Condition condition, Map<String, @Nullable Object> row) {
    return condition instanceof Deletes.ColumnEquals equals
        && equals.value().equals(row.get(equals.column()));
  }

  /** Returns a row as it would be stored, with what an update leaves as it is. */
  Map<String, @Nullable Object> updated(
      Map<String, @Nullable Object> row, Map<String, @Nullable Object> stored, Set<String> data) {
    if (updated.isEmpty()) {
      return row;
    }

    Map<String, @Nullable Object> changed = new LinkedHashMap<>(row);
    data.stream()
        .filter(column -> !updated.contains(column))
        .forEach(column -> changed.put(column, stored.get(column)));
    return changed;
  }

  /** Tells whether two rows are equal but for the stamp. */
  boolean areEqual(Map<String, @Nullable Object> one, Map<String, @Nullable Object> other) {
    return unstamped(one).equals(unstamped(other));
  }

  private Map<String, @Nullable Object> unstamped(Map<String, @Nullable Object> row) {
    Map<String, @Nullable Object> unstamped = new LinkedHashMap<>(row);
    unstamped.remove(stamp);
    return unstamped;
  }
}
