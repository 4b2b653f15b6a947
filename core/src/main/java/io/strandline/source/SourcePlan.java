package io.strandline.source;

import io.strandline.watermark.Remainder;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What a source would read next.
 *
 * @param <D> how the engine holds rows
 */
public sealed interface SourcePlan<D> {

  /**
   * Returns what a person should know of the plan: window, pruned files, bound query; no secrets.
   */
  String explanation();

  /**
   * Returns how many rows the source shows but holds back, because they have not settled yet; of a
   * source of files, which does not look into a file that has not settled, each counts as one.
   */
  long waiting();

  /**
   * Returns what may be wrong with how the source is declared, whole sentences; the result of the
   * run repeats it.
   */
  List<String> warnings();

  /**
   * Adds warnings.
   *
   * @param more whole sentences
   * @return the same plan with them
   */
  SourcePlan<D> warning(List<String> more);

  /**
   * There is nothing to read.
   *
   * @param explanation why
   * @param waiting how many rows are held back
   * @param warnings what may be wrong with how the source is declared
   * @param <D> how the engine holds rows
   */
  record NothingNew<D>(String explanation, long waiting, List<String> warnings)
      implements SourcePlan<D> {
    /** Copies the warnings. */
    public NothingNew {
      warnings = List.copyOf(warnings);
    }

    /**
     * Makes a plan without warnings.
     *
     * @param explanation why there is nothing to read
     * @param waiting how many rows are held back
     */
    public NothingNew(String explanation, long waiting) {
      this(explanation, waiting, List.of());
    }

    @Override
    public SourcePlan<D> warning(List<String> more) {
      return new NothingNew<>(explanation, waiting, both(warnings, more));
    }
  }

  /**
   * There is a range to read, and it is fixed.
   *
   * @param ranges what is read and stored, one per stream of the source
   * @param snapshots what each stream's source was when it was planned; a stream may be missing
   * @param remainder whether rows are left behind that the source shows already
   * @param waiting how many rows are held back
   * @param explanation what a person should know of the plan
   * @param warnings what may be wrong with how the source is declared
   * @param reader reads the range; each call reads the same rows
   * @param <D> how the engine holds rows
   */
  record Planned<D>(
      List<StreamRange> ranges,
      Map<StreamName, TableSnapshot> snapshots,
      Remainder remainder,
      long waiting,
      String explanation,
      List<String> warnings,
      Supplier<Reading<D>> reader)
      implements SourcePlan<D> {
    /** Copies the collections. */
    public Planned {
      ranges = List.copyOf(ranges);
      snapshots = Map.copyOf(snapshots);
      warnings = List.copyOf(warnings);
    }

    /**
     * Makes a plan without warnings.
     *
     * @param ranges what is read and stored, one per stream of the source
     * @param snapshots what each stream's source was when it was planned; a stream may be missing
     * @param remainder whether rows are left behind that the source shows already
     * @param waiting how many rows are held back
     * @param explanation what a person should know of the plan
     * @param reader reads the range; each call reads the same rows
     */
    public Planned(
        List<StreamRange> ranges,
        Map<StreamName, TableSnapshot> snapshots,
        Remainder remainder,
        long waiting,
        String explanation,
        Supplier<Reading<D>> reader) {
      this(ranges, snapshots, remainder, waiting, explanation, List.of(), reader);
    }

    @Override
    public SourcePlan<D> warning(List<String> more) {
      return new Planned<>(
          ranges, snapshots, remainder, waiting, explanation, both(warnings, more), reader);
    }

    /**
     * Reads the range.
     *
     * @return the rows of exactly this range
     * @throws io.strandline.problem.Problem if the source cannot be read
     */
    public Reading<D> read() {
      return reader.get();
    }

    /** Tells whether the run moves the watermark of any stream. */
    public boolean moves() {
      return ranges.stream().anyMatch(StreamRange::moves);
    }

    /**
     * Returns what a stream's source was when it was planned.
     *
     * @param stream the stream
     * @return its snapshot; {@link TableSnapshot#unknown()} if the source knows no versions
     */
    public TableSnapshot snapshot(StreamName stream) {
      return snapshots.getOrDefault(stream, TableSnapshot.unknown());
    }
  }

  private static List<String> both(List<String> some, List<String> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }
}
