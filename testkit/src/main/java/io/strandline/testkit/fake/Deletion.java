package io.strandline.testkit.fake;

import io.strandline.target.Deletes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which rows of a merge are deletes, and what a delete does; the rows carry a mark for it. */
record Deletion(Optional<Deletes> declared) {
  /** The column that marks a delete on its way into the target. */
  static final String MARK = "_strandline_deleted";

  static Deletion none() {
    return new Deletion(Optional.empty());
  }

  /** Marks the deletes among cleaned rows, makes the flag, and drops what is not stored. */
  Rows marked(Rows cleaned) {
    if (declared.isEmpty()) {
      return cleaned;
    }

    Deletes deletes = declared.get();
    Rows marked = cleaned.with(MARK, row -> isDelete(deletes, row));

    if (deletes.manner() instanceof Deletes.Soft soft && !cleaned.columns().contains(soft.flag())) {
      marked = marked.with(soft.flag(), row -> row.get(MARK));
    }

    List<String> stored =
        marked.columns().stream().filter(column -> !deletes.unstored().contains(column)).toList();
    return marked.select(stored.toArray(String[]::new));
  }

  private static boolean isDelete(Deletes deletes, Map<String, @Nullable Object> row) {
    return deletes.condition() instanceof Deletes.ColumnEquals equals
        && equals.value().equals(row.get(equals.column()));
  }

  /** Drops the mark. */
  Rows unmarked(Rows rows) {
    return rows.select(
        rows.columns().stream().filter(column -> !column.equals(MARK)).toArray(String[]::new));
  }

  boolean isHard() {
    return declared.filter(deletes -> deletes.manner() instanceof Deletes.Hard).isPresent();
  }

  boolean isSoft() {
    return declared.filter(deletes -> deletes.manner() instanceof Deletes.Soft).isPresent();
  }

  /** Tells whether a row of the target is deleted softly. */
  boolean isFlagged(Map<String, @Nullable Object> row) {
    return isSoft() && declared.orElseThrow().flagged().equals(row.get(flag()));
  }

  /** Deletes some rows of a target without rows that say so. */
  Rows sweep(Rows held, Predicate<Map<String, @Nullable Object>> isGone) {
    return isSoft()
        ? held.with(
            flag(), row -> isGone.test(row) ? declared.orElseThrow().flagged() : row.get(flag()))
        : held.filter(isGone.negate());
  }

  private String flag() {
    return declared
        .map(Deletes::manner)
        .filter(Deletes.Soft.class::isInstance)
        .map(manner -> ((Deletes.Soft) manner).flag())
        .orElse("");
  }

  static boolean isDelete(Map<String, @Nullable Object> row) {
    return Boolean.TRUE.equals(row.get(MARK));
  }

  /** Tells whether a row is a soft delete that says nothing but who is deleted, and when. */
  boolean isBare(Map<String, @Nullable Object> row, List<String> keys, VersionOrder order) {
    Set<String> data = data(row, keys, order);
    return isSoft()
        && isDelete(row)
        && !data.isEmpty()
        && data.stream().allMatch(column -> row.get(column) == null);
  }

  /** Returns the columns that a bare delete leaves as they are. */
  Set<String> data(Map<String, @Nullable Object> row, List<String> keys, VersionOrder order) {
    return row.keySet().stream()
        .filter(
            column ->
                !keys.contains(column)
                    && !order.sequence().contains(column)
                    && !order.cursor().contains(column)
                    && !column.equals(flag())
                    && !column.equals(MARK))
        .collect(Collectors.toSet());
  }
}
