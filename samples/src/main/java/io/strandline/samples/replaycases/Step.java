package io.strandline.samples.replaycases;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Something that happens in a case. */
sealed interface Step {

  /** Returns this step and those that happen during it. */
  default Stream<Step> withInner() {
    return Stream.of(this);
  }

  /**
   * Rows change at the source.
   *
   * @param table the table
   * @param rows the rows, as the case writes them
   * @param how append, upsert, replace or delete
   * @param by the columns that upsert and delete tell rows by; empty for the load's keys
   * @param keyChange a key that changes, from and to; empty if none does
   */
  record Land(
      String table,
      List<Map<String, @Nullable Object>> rows,
      String how,
      List<String> by,
      Map<String, @Nullable Object> keyChange)
      implements Step {}

  /**
   * A file arrives at the source.
   *
   * @param table the table
   * @param name the name of the file
   * @param content its text
   */
  record LandFile(String table, String name, String content) implements Step {}

  /**
   * The columns of the source change.
   *
   * @param table the table
   * @param add types of new columns by name
   * @param drop columns that go
   * @param rename new names by old ones
   * @param retype new types by name
   * @param order the new order of the columns; empty if it stays
   */
  record Alter(
      String table,
      Map<String, String> add,
      List<String> drop,
      Map<String, String> rename,
      Map<String, String> retype,
      List<String> order)
      implements Step {}

  /**
   * Loads run.
   *
   * @param tables which, in their order
   * @param clock what time it is; empty if it does not matter
   * @param session the settings of the session
   * @param crash before_merge or after_merge; empty if the process lives
   * @param during what somebody else does meanwhile
   * @param repeat how many times they run
   * @param shuffle how many orders of rows the whole case is played with
   * @param approval whether a person has approved the sweep
   * @param expect what must be true afterwards, by table
   */
  record Run(
      List<String> tables,
      Optional<Instant> clock,
      SessionSettings session,
      String crash,
      List<During> during,
      long repeat,
      long shuffle,
      boolean approval,
      Map<String, Facts> expect)
      implements Step {
    @Override
    public Stream<Step> withInner() {
      return Stream.concat(
          Stream.of(this),
          during.stream().flatMap(at -> at.steps().stream()).flatMap(Step::withInner));
    }
  }

  /**
   * What somebody else does during a run.
   *
   * @param at after_read or after_merge
   * @param steps what they do
   */
  record During(String at, List<Step> steps) {}

  /**
   * Several runs start together.
   *
   * @param runs the tables of each run
   * @param session the settings of the session
   * @param clock what time it is; empty if it does not matter
   * @param expect what must be true when all have ended, by table
   */
  record RunParallel(
      List<List<String>> runs,
      SessionSettings session,
      Optional<Instant> clock,
      Map<String, Facts> expect)
      implements Step {}

  /**
   * A person edits the watermark table.
   *
   * @param table the table whose row it is
   * @param edit delete, duplicate or set
   * @param value the new value, as the case writes it
   */
  record EditWatermark(String table, String edit, @Nullable Object value) implements Step {}

  /**
   * The source loses its history.
   *
   * @param table the table
   * @param loss vacuum, truncate_log or drop_recreate
   * @param rows the first rows of the source that was made again
   */
  record LoseHistory(String table, String loss, List<Map<String, @Nullable Object>> rows)
      implements Step {}

  /**
   * Nothing happens; it is only looked.
   *
   * @param expect what must be true, by table
   */
  record Check(Map<String, Facts> expect) implements Step {}
}
