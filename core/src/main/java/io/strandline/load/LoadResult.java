package io.strandline.load;

import io.strandline.target.Receipt;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.Watermark;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a run did; returned only if it did not fail. Immutable. */
public sealed interface LoadResult {

  /** Returns the load. */
  LoadName load();

  /** Returns what became of every row that was read. */
  RowCounts counts();

  /** Returns the stored watermark of each stream after the run. */
  Map<StreamName, Watermark> watermarks();

  /** Returns what else a person should know; empty if all is well. */
  Notes notes();

  /**
   * Returns the same result with other notes.
   *
   * @param notes what else a person should know
   * @return the result with those notes
   */
  LoadResult withNotes(Notes notes);

  /**
   * Returns how many inserts, updates and deletes were made in the target, those of a sweep among
   * them. To a history a change is one update, though it closes one row and opens another.
   */
  default long rowsMerged() {
    return counts().merged();
  }

  /**
   * Returns the stored watermark after the run, for a load with one stream.
   *
   * @return the watermark; {@link Watermark#start()} if none is stored
   * @throws IllegalStateException if the load has several streams
   */
  default Watermark watermark() {
    if (watermarks().size() != 1) {
      throw new IllegalStateException(
          "Cannot tell the one watermark of load '"
              + load()
              + "': it has "
              + watermarks().size()
              + " streams. Call watermarks().");
    }

    return watermarks().values().iterator().next();
  }

  /**
   * Rows, or at least a receipt, were committed, and the watermark stands where the range ended.
   *
   * @param load the load
   * @param number the number of the run
   * @param attempt the random id of the attempt
   * @param ranges for each stream where the run started from, what it read and what it stored
   * @param counts what became of the rows
   * @param watermarks the stored watermark of each stream
   * @param notes what else a person should know
   */
  record Committed(
      LoadName load,
      long number,
      String attempt,
      List<StreamRange> ranges,
      RowCounts counts,
      Map<StreamName, Watermark> watermarks,
      Notes notes)
      implements LoadResult {
    /** Copies the collections. */
    public Committed {
      ranges = List.copyOf(ranges);
      watermarks = Map.copyOf(watermarks);
    }

    @Override
    public Committed withNotes(Notes newNotes) {
      return new Committed(load, number, attempt, ranges, counts, watermarks, newNotes);
    }
  }

  /**
   * Nothing was new; target, store and quarantine are as they were, unless an earlier run was
   * finished first.
   *
   * @param load the load
   * @param attempt the random id of the attempt
   * @param explanation why nothing was new
   * @param counts what became of rows that had to be read to find out
   * @param watermarks the stored watermark of each stream
   * @param notes what else a person should know
   */
  record NothingNew(
      LoadName load,
      String attempt,
      String explanation,
      RowCounts counts,
      Map<StreamName, Watermark> watermarks,
      Notes notes)
      implements LoadResult {
    /** Copies the watermarks. */
    public NothingNew {
      watermarks = Map.copyOf(watermarks);
    }

    @Override
    public NothingNew withNotes(Notes newNotes) {
      return new NothingNew(load, attempt, explanation, counts, watermarks, newNotes);
    }
  }

  /**
   * The watermark was moved on purpose; no rows were read or written.
   *
   * @param load the load
   * @param attempt the random id of the attempt
   * @param watermarks the stored watermark of each stream
   * @param notes what else a person should know
   */
  record Rewound(LoadName load, String attempt, Map<StreamName, Watermark> watermarks, Notes notes)
      implements LoadResult {
    /** Copies the watermarks. */
    public Rewound {
      watermarks = Map.copyOf(watermarks);
    }

    @Override
    public RowCounts counts() {
      return RowCounts.none();
    }

    @Override
    public Rewound withNotes(Notes newNotes) {
      return new Rewound(load, attempt, watermarks, newNotes);
    }
  }

  /** What else a person should know of a run. */
  final class Notes {
    private final List<Receipt> recovered;
    private final long waiting;
    private final long late;
    private final Watermark earliest;
    private final List<String> schemaChanges;
    private final List<String> warnings;

    Notes(
        List<Receipt> recovered,
        long waiting,
        long late,
        Watermark earliest,
        List<String> schemaChanges,
        List<String> warnings) {
      this.recovered = List.copyOf(recovered);
      this.waiting = waiting;
      this.late = late;
      this.earliest = earliest;
      this.schemaChanges = List.copyOf(schemaChanges);
      this.warnings = List.copyOf(warnings);
    }

    /** Returns the receipt of the run that died and was finished by this one; empty if none. */
    public Optional<Receipt> recovered() {
      return recovered.stream().findFirst();
    }

    /** Returns how many rows the source showed but held back, because they had not settled. */
    public long waiting() {
      return waiting;
    }

    /**
     * Returns how many rows were read below the stored watermark, which a lookback reaches. Those
     * that an earlier run has read are among them, and are counted as unchanged too.
     */
    public long late() {
      return late;
    }

    /** Returns the lowest watermark among the late rows; the start if there were none. */
    public Watermark earliest() {
      return earliest;
    }

    /**
     * Returns how the columns of the rows differed from those of the target, and what was done
     * about it; sentences such as {@code Column 'email' (string) was added to the table.}
     */
    public List<String> schemaChanges() {
      return schemaChanges;
    }

    /** Returns what is not as it should be but did not stop the run; sentences without secrets. */
    public List<String> warnings() {
      return warnings;
    }

    @Override
    public String toString() {
      return "recovered="
          + recovered.stream().map(Receipt::number).toList()
          + ", waiting="
          + waiting
          + ", late="
          + late
          + ", earliest="
          + earliest
          + ", schemaChanges="
          + schemaChanges
          + ", warnings="
          + warnings;
    }
  }
}
