package io.strandline.target;

import io.strandline.watermark.TableSnapshot;
import java.util.List;

/** What a merge did. */
public sealed interface MergeOutcome {

  /** Returns what became of the rows. */
  MergeCounts counts();

  /** Returns what the target is now. */
  TableSnapshot snapshot();

  /**
   * Returns how the columns of the rows differed from those of the target, and what was done about
   * it; sentences, none if they did not differ.
   */
  List<String> schemaChanges();

  /**
   * Returns the same outcome with what was done about columns.
   *
   * @param changes sentences such as {@code Column 'email' (string) was added to the table.}
   * @return the outcome
   */
  MergeOutcome withSchemaChanges(List<String> changes);

  /**
   * Rows and receipt were committed, in one commit.
   *
   * @param counts what became of the rows
   * @param snapshot what the target was after the commit
   * @param schemaChanges how columns differed, and what was done about it
   */
  record Committed(MergeCounts counts, TableSnapshot snapshot, List<String> schemaChanges)
      implements MergeOutcome {
    /** Copies the list. */
    public Committed {
      schemaChanges = List.copyOf(schemaChanges);
    }

    /**
     * Makes the outcome of rows whose columns were those of the target.
     *
     * @param counts what became of the rows
     * @param snapshot what the target was after the commit
     */
    public Committed(MergeCounts counts, TableSnapshot snapshot) {
      this(counts, snapshot, List.of());
    }

    @Override
    public Committed withSchemaChanges(List<String> changes) {
      return new Committed(counts, snapshot, changes);
    }
  }

  /**
   * No row would have changed and the watermark does not move, so nothing was committed.
   *
   * @param counts what became of the rows
   * @param snapshot what the target is
   * @param schemaChanges how columns differed; nothing was done to the target
   */
  record NothingToDo(MergeCounts counts, TableSnapshot snapshot, List<String> schemaChanges)
      implements MergeOutcome {
    /** Copies the list. */
    public NothingToDo {
      schemaChanges = List.copyOf(schemaChanges);
    }

    /**
     * Makes the outcome of rows whose columns were those of the target.
     *
     * @param counts what became of the rows
     * @param snapshot what the target is
     */
    public NothingToDo(MergeCounts counts, TableSnapshot snapshot) {
      this(counts, snapshot, List.of());
    }

    @Override
    public NothingToDo withSchemaChanges(List<String> changes) {
      return new NothingToDo(counts, snapshot, changes);
    }
  }
}
