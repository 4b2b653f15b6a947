package io.strandline.samples.replaycases;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableListMultimap;
import io.strandline.load.LoadException;
import io.strandline.problem.ProblemKind;
import io.strandline.testkit.assertion.RowDifference;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.Watermark;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;

/** Compares what a case expects with what a world holds. */
final class Expectations {
  private static final ImmutableListMultimap<String, Cause> CAUSES =
      ImmutableListMultimap.<String, Cause>builder()
          .put("EMPTY_SOURCE_SWEEP", cause("empty|no rows|without rows", "EMPTY_SOURCE_SWEEP"))
          .put("SWEEP_TOO_LARGE", cause("sweep|delete", "SWEEP_TOO_LARGE"))
          .put(
              "SCHEMA_TYPE_CHANGE",
              cause("column '.+' .+(int|string|date|time|de|boo|double|f)", "SCHEMA_MISMATCH"))
          // Of the columns that tell new rows it is seen before the rows are compared.
          .put(
              "SCHEMA_TYPE_CHANGE",
              cause("stored watermark is .+ measured by is", "BAD_CONFIGURATION"))
          .put(
              "SOURCE_RECREATED",
              cause("recreated|made anew|is now|another table", "SOURCE_RECREATED"))
          .put("SOURCE_HISTORY_LOST", cause("version|history|log|vacuum", "SOURCE_HISTORY_LOST"))
          .put("MULTIPLE_WATERMARK_ROWS", cause("(two|\\d+) rows", "MULTIPLE_WATERMARK_ROWS"))
          .put(
              "CONCURRENT_RUN",
              cause("another run|meanwhile|attempt", "CONCURRENT_RUN", "TARGET_CONFLICT"))
          .put("BAD_CONFIG", cause(".", "BAD_CONFIGURATION"))
          .build();

  private final World world;
  private final String when;

  /** The columns that the source has now, by table. */
  private final Map<String, SourceRows> sources;

  /** What an error must say, and the kinds that it may be of. */
  private record Cause(Pattern words, Set<ProblemKind> kinds) {
    boolean isNamedBy(Outcome.Failed failed) {
      return kinds.contains(failed.kind()) && words.matcher(failed.message()).find();
    }
  }

  Expectations(World world, String when, Map<String, SourceRows> sources) {
    this.world = world;
    this.when = when;
    this.sources = sources;
  }

  private static Cause cause(String words, String... kinds) {
    Set<ProblemKind> allowed = new TreeSet<>();

    for (String kind : kinds) {
      allowed.add(ProblemKind.valueOf(kind));
    }

    return new Cause(Pattern.compile(words, Pattern.CASE_INSENSITIVE), allowed);
  }

  /**
   * Compares the facts of a table.
   *
   * @param table the table
   * @param facts what must be true
   * @param outcomes how the runs of the table ended; empty if there was none
   * @throws Mismatch if something is not as it must be
   */
  void check(CaseTable table, Facts facts, List<Outcome> outcomes) {
    for (Outcome outcome : outcomes) {
      checkStatus(table, facts, outcome);
    }

    if (!facts.error().isEmpty()) {
      checkError(table, facts, outcomes);
    }

    if (facts.rowsMerged().isPresent() && !outcomes.isEmpty()) {
      checkRowsMerged(table, facts.rowsMerged().get(), outcomes);
    }

    String ended = outcomes.isEmpty() ? "" : ", the run was " + join(outcomes);

    if (facts.target().isPresent()) {
      checkTarget(table, facts.target().get(), ended);
    }

    if (facts.watermark().isPresent()) {
      checkWatermark(table, facts.watermark().get(), ended);
    }

    if (facts.watermarkRows().isPresent()) {
      require(
          table, "watermark_rows", facts.watermarkRows().get(), world.watermarkRows(table), ended);
    }

    if (facts.quarantine().isPresent()) {
      checkQuarantine(table, facts.quarantine().get(), ended);
    }

    if (facts.quarantineCount().isPresent()) {
      long count = world.quarantine(table, types(table)).size();
      require(table, "quarantine_count", facts.quarantineCount().get(), count, ended);
    }

    if (facts.targetColumns().isPresent()) {
      Set<String> expected = new TreeSet<>(facts.targetColumns().get());
      Set<String> found =
          new TreeSet<>(World.withoutBookkeeping(List.copyOf(world.targetColumns(table).keySet())));
      require(table, "target_columns", expected, found, ended);
    }

    if (!facts.oneOf().isEmpty()) {
      checkOneOf(table, facts.oneOf(), outcomes);
    }
  }

  private void checkStatus(CaseTable table, Facts facts, Outcome outcome) {
    if (!facts.statuses().isEmpty()
        && outcome.statuses().stream().noneMatch(facts.statuses()::contains)) {
      throw mismatch(table, "status", String.join(" or ", facts.statuses()), outcome.toString());
    }
  }

  /** Of several runs side by side it is what all of them merged. */
  private void checkRowsMerged(CaseTable table, Facts.Between allowed, List<Outcome> outcomes) {
    long merged = outcomes.stream().mapToLong(Outcome::merged).sum();

    if (!allowed.contains(merged)) {
      throw mismatch(
          table, "rows_merged", allowed.toString(), merged + ", the run was " + join(outcomes));
    }
  }

  /** Where a run may also end well, or another one has failed, only failed ones have an error. */
  private void checkError(CaseTable table, Facts facts, List<Outcome> outcomes) {
    boolean mayEndWell = facts.statuses().stream().anyMatch(status -> !status.equals("failed"));
    boolean isTold = outcomes.stream().anyMatch(Outcome.Failed.class::isInstance);

    for (Outcome outcome : outcomes) {
      if (outcome instanceof Outcome.Failed || !(mayEndWell || isTold)) {
        checkError(table, facts.error(), outcome);
      }
    }
  }

  /** The kind must be the code's, and the message must name the load and the cause. */
  private void checkError(CaseTable table, String code, Outcome outcome) {
    List<Cause> causes = CAUSES.get(code);

    if (causes.isEmpty()) {
      throw mismatch(table, "error", code, "a replay that does not know this code");
    }

    if (!(outcome instanceof Outcome.Failed failed)
        || causes.stream().noneMatch(cause -> cause.kinds().contains(failed.kind()))) {
      throw mismatch(table, "error", code, outcome.toString());
    }

    // A declaration that is refused when it is made knows of no load yet.
    if (failed.error() instanceof LoadException
        && !failed.message().contains("'" + table.name() + "'")) {
      throw mismatch(table, "error", "a message that names the table", failed.message());
    }

    if (causes.stream().noneMatch(cause -> cause.isNamedBy(failed))) {
      throw mismatch(table, "error", "a message that names the cause " + code, failed.message());
    }
  }

  private void checkTarget(
      CaseTable table, List<Map<String, @Nullable Object>> expected, String ended) {
    checkRows(table, "target", expected, world.target(table), world.targetColumns(table), ended);
  }

  private void checkQuarantine(
      CaseTable table, List<Map<String, @Nullable Object>> expected, String ended) {
    Map<String, DataType> types = types(table);
    checkRows(table, "quarantine", expected, world.quarantine(table, types), types, ended);
  }

  /** A quarantined row is as it came, so its types are those of the source. */
  private Map<String, DataType> types(CaseTable table) {
    SourceRows source = sources.get(table.name());
    return source == null ? table.sourceTypes() : source.types();
  }

  /** Compares the columns that the expected rows show; a target that is not there has no rows. */
  private void checkRows(
      CaseTable table,
      String fact,
      List<Map<String, @Nullable Object>> expected,
      Rows found,
      Map<String, DataType> types,
      String ended) {
    if (expected.isEmpty()) {
      require(table, "rows in " + fact, 0L, (long) found.size(), ended);
      return;
    }

    Map<String, DataType> known = new LinkedHashMap<>(table.cleanedTypes());
    known.putAll(types);
    Rows wanted = Rows.of(stored(CaseValues.rows(expected, known)));
    List<String> missing =
        wanted.columns().stream().filter(column -> !types.containsKey(column)).toList();

    if (!types.isEmpty() && !missing.isEmpty()) {
      throw mismatch(table, fact, "columns " + missing, "only " + types.keySet() + ended);
    }

    Rows shown = inMemory(found.select(wanted.columns().toArray(String[]::new)), types);

    if (!RowDifference.between(wanted, shown).isEmpty()) {
      throw mismatch(
          table,
          fact,
          CaseValues.text(wanted.maps(), wanted.columns()),
          CaseValues.text(shown.maps(), wanted.columns()) + ended);
    }
  }

  /** Inside of structs, arrays and maps the engine has numbers of its own types. */
  private static Rows inMemory(Rows rows, Map<String, DataType> types) {
    Rows read = rows;

    for (String column : rows.columns()) {
      DataType type = types.get(column);

      if (type != null && !CaseValues.isSimple(type)) {
        read = read.with(column, row -> CaseValues.read(row.get(column), type));
      }
    }

    return read;
  }

  private static List<Map<String, @Nullable Object>> stored(
      List<Map<String, @Nullable Object>> rows) {
    List<Map<String, @Nullable Object>> stored = new ArrayList<>();

    for (Map<String, @Nullable Object> row : rows) {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();
      row.forEach((column, value) -> values.put(column, CaseValues.stored(value)));
      stored.add(values);
    }

    return stored;
  }

  private void checkWatermark(CaseTable table, Facts.Stored expected, String ended) {
    List<Watermark> allowed = new ArrayList<>();
    expected.allowed().forEach(json -> allowed.add(Composition.watermark(table, json)));
    Set<Watermark> stored = world.watermarks(table);

    if (stored.isEmpty() ? !allowed.contains(Watermark.start()) : !allowed.containsAll(stored)) {
      throw mismatch(
          table,
          "watermark",
          allowed.stream().map(Watermark::typed).collect(joining(" or ")),
          stored.stream().map(Watermark::typed).collect(joining(" and "))
              + (stored.isEmpty() ? "none" : "")
              + ended);
    }
  }

  private void checkOneOf(CaseTable table, List<Facts> alternatives, List<Outcome> outcomes) {
    List<String> differences = new ArrayList<>();

    for (Facts facts : alternatives) {
      try {
        check(table, facts, outcomes);
        return;
      } catch (Mismatch e) {
        differences.add(e.getMessage());
      }
    }

    throw new Mismatch(
        "one of the alternatives of " + table.name() + " " + when + " to hold",
        String.join("; and ", differences));
  }

  private void require(CaseTable table, String fact, Object expected, Object found, String ended) {
    if (!expected.equals(found)) {
      throw mismatch(table, fact, expected.toString(), found + ended);
    }
  }

  private Mismatch mismatch(CaseTable table, String fact, String expected, String got) {
    return new Mismatch(fact + " of " + table.name() + " " + when + " to be " + expected, got);
  }

  private static String join(List<Outcome> outcomes) {
    return outcomes.stream().map(Outcome::toString).collect(joining(" and "));
  }
}
