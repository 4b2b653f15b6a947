package io.strandline.target;

import java.util.List;

/**
 * Entries of a quarantine on their way through their load once more.
 *
 * <p>The quarantine remembers which entries are about to be merged before they are, under an id
 * that the target's commit carries too. So a redrive that dies anywhere is finished by the next
 * one, and no row is merged twice.
 *
 * <p>Its rows carry {@code _strandline_raw}, a structure that names the entry that they come from.
 * A rejected row that carries neither that column nor the entry cannot be told from others.
 *
 * @param <D> how the engine holds rows
 */
public interface Redrive<D> {
  /**
   * The column that tells which entry a row comes from: a field of {@code _strandline_raw}, and so
   * a column of a row that is rejected as it came.
   */
  String ENTRY_COLUMN = "_strandline_entry";

  /** Returns what the target's commit is filed under; an unfinished redrive keeps its own. */
  String id();

  /** Tells whether an earlier redrive has begun with these entries and never finished. */
  boolean isBegun();

  /** Returns how many entries there are. */
  long rows();

  /** Returns the rows as they came from the source, those of equal columns together. */
  List<D> raw();

  /** Returns rows that a cleaner has cleaned already and the target has rejected. */
  List<D> cleaned();

  /**
   * Puts rows together.
   *
   * @param parts sets of cleaned rows, at least one; columns are matched by name
   * @return all rows
   * @throws io.strandline.problem.Problem if their columns do not go together
   */
  D union(List<D> parts);

  /**
   * Marks the entries as about to be merged, in one commit or none, but for those that were
   * rejected again: these go on to wait, with their new reason.
   *
   * @param rejected the rows that were rejected again, each with its reason
   * @throws io.strandline.problem.Problem if the entries have changed since they were taken up, or
   *     if a rejected row does not tell which entry it comes from
   */
  void begin(List<D> rejected);

  /**
   * Marks the entries as redriven that are marked as about to be merged; done twice, it changes
   * nothing more.
   *
   * @param attempt the random id of the attempt
   */
  void finish(String attempt);
}
