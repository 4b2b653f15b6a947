package io.strandline.samples.replaycases;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.types.DataType;

/**
 * What a case can ask of the library, and where it is there: the one table to change when the
 * library gains a feature.
 */
enum Feature {
  // Sources.
  DELTA_SOURCE("source kind delta", Place.SPARK, Place.FAKES),
  CDF_SOURCE("source kind cdf", Place.SPARK),
  CSV_SOURCE("source kind csv", Place.SPARK),
  JDBC_SOURCE("source kind jdbc", Place.SPARK),
  PARQUET_SOURCE("source kind parquet", Place.SPARK),
  PARTITIONED_SOURCE("partitioned source", Place.SPARK, Place.FAKES),
  NANOSECONDS("type timestamp_nanos", Place.SPARK),
  NESTED_TYPES("nested and binary types", Place.SPARK),
  JDBC_NANOS("jdbc_nanos", Place.SPARK),
  JDBC_ANCIENT_DATES("jdbc_ancient_dates", Place.SPARK),
  SOURCE_LOSES_FILES("source_history vacuum", Place.SPARK),
  SOURCE_LOSES_LOG("source_history truncate_log", Place.SPARK),
  SOURCE_RECREATED("source_history drop_recreate", Place.SPARK, Place.FAKES),

  // Which rows are new.
  NO_WATERMARK("load without a watermark", Place.SPARK),
  EXPRESSION("watermark expression", Place.SPARK),
  LOOKBACK("watermark lag", Place.SPARK, Place.FAKES),
  NULL_CURSORS_LOADED("null_cursor load", Place.SPARK, Place.FAKES),
  FUTURE_CAPPED("future cap", Place.SPARK, Place.FAKES),
  SENTINELS("watermark sentinels", Place.SPARK, Place.FAKES),
  ROW_LIMIT("row_limit", Place.SPARK, Place.FAKES),
  FEED_LIMITED("max_rows_per_run of a change feed"),
  FEED_BY_COLUMN("change feed told by other than its versions"),

  // How rows are cleaned and merged.
  HISTORY("mode scd2", Place.SPARK, Place.FAKES),
  CLEANING("clean", Place.SPARK, Place.FAKES),
  CASTS("casts", Place.SPARK),
  NULL_KEYS_MATCH("null_key match", Place.SPARK),
  ORDER_ASCENDING("order_by ascending", Place.SPARK),
  ORDER_OF_NESTED_ASCENDING("order_by ascending of nested and binary types"),
  ORDER_NULLS_FIRST("order_by nulls first", Place.SPARK),
  HARD_DELETES("delete hard", Place.SPARK, Place.FAKES),
  SOFT_DELETES("delete soft", Place.SPARK, Place.FAKES),
  HARD_SWEEP("sweep hard", Place.SPARK, Place.FAKES),
  SOFT_SWEEP("sweep soft", Place.SPARK, Place.FAKES),
  CLOSING_SWEEP("sweep close", Place.SPARK, Place.FAKES),
  SWEEP_LIMIT("sweep max_fraction", Place.SPARK, Place.FAKES),
  SWEEP_APPROVAL("approve_sweep", Place.SPARK, Place.FAKES),
  NEW_COLUMN_ADD("schema new_column add", Place.SPARK),
  NEW_COLUMN_IGNORE("schema new_column ignore", Place.SPARK),
  NEW_COLUMN_FAIL("schema new_column fail", Place.SPARK),
  MISSING_COLUMN_KEEP("schema missing_column keep", Place.SPARK),
  TYPE_CHANGE_FAIL("schema type_change fail", Place.SPARK),
  TYPE_CHANGE_WIDEN("schema type_change widen", Place.SPARK),
  EXISTING_TARGET("target that exists before", Place.SPARK),
  TARGET_PROPERTIES("target properties", Place.SPARK, Place.FAKES),

  // What happens.
  ALTERED_SOURCE("alter", Place.SPARK),
  PARALLEL_RUNS("run_parallel", Place.SPARK, Place.FAKES),
  CASE_SENSITIVE_SESSION("session case_sensitive", Place.SPARK);

  /** Where cases are played. */
  enum Place {
    SPARK,
    FAKES
  }

  /** Other names of features, as cases may ask for them. */
  private static final ImmutableMap<String, Feature> SYNONYMS =
      ImmutableMap.<String, Feature>builder()
          .put("cdc", CDF_SOURCE)
          .put("change_data_feed", CDF_SOURCE)
          .put("change_feed", CDF_SOURCE)
          .put("close_sweep", CLOSING_SWEEP)
          .put("delete_sweep", HARD_SWEEP)
          .put("full_load", NO_WATERMARK)
          .put("hard_delete", HARD_DELETES)
          .put("hard_delete_sweep", HARD_SWEEP)
          .put("new_column", NEW_COLUMN_ADD)
          .put("null_cursor", NULL_CURSORS_LOADED)
          .put("null_key", NULL_KEYS_MATCH)
          .put("sentinel", SENTINELS)
          .put("soft_delete", SOFT_DELETES)
          .put("sweep", HARD_SWEEP)
          .put("sweep_guard", SWEEP_LIMIT)
          .put("type_widening", TYPE_CHANGE_WIDEN)
          .put("watermark_expr", EXPRESSION)
          .put("widen", TYPE_CHANGE_WIDEN)
          .buildOrThrow();

  private final String words;
  private final ImmutableSet<Place> places;

  Feature(String words, Place... places) {
    this.words = words;
    this.places = ImmutableSet.copyOf(places);
  }

  /** Returns what a case asks for and a place lacks, in words; empty if the case can be played. */
  static List<String> missing(Case asked, Place place) {
    Set<String> missing = new LinkedHashSet<>(asked.notUnderstood());

    for (String requirement : asked.requires()) {
      if (named(requirement).filter(feature -> feature.places.contains(place)).isEmpty()) {
        missing.add(requirement);
      }
    }

    asked.tables().stream()
        .flatMap(Feature::askedBy)
        .filter(feature -> !feature.places.contains(place))
        .forEach(feature -> missing.add(feature.words));
    asked
        .everyStep()
        .flatMap(Feature::askedBy)
        .filter(feature -> !feature.places.contains(place))
        .forEach(feature -> missing.add(feature.words));

    if (asked.session().caseSensitive() && !CASE_SENSITIVE_SESSION.places.contains(place)) {
      missing.add(CASE_SENSITIVE_SESSION.words);
    }

    return List.copyOf(missing);
  }

  private static Optional<Feature> named(String requirement) {
    Feature synonym = SYNONYMS.get(requirement.toLowerCase(Locale.ROOT));
    return synonym != null ? Optional.of(synonym) : namedByItsWords(requirement);
  }

  private static Optional<Feature> namedByItsWords(String requirement) {
    return Stream.of(values())
        .filter(
            feature ->
                feature.name().toLowerCase(Locale.ROOT).equals(requirement)
                    || feature.isCalled(requirement.toLowerCase(Locale.ROOT).replace(' ', '_')))
        .findFirst();
  }

  /** The last words are enough, such as {@code scd2} or {@code future_cap}. */
  private boolean isCalled(String name) {
    String called = words.replace(' ', '_');
    return called.equals(name) || called.endsWith("_" + name);
  }

  private static Stream<Feature> askedBy(CaseTable table) {
    return Stream.of(
            askedBy(table.source()),
            table.typeNames().flatMap(Feature::ofType),
            // Of files and feeds, what is new can be told without a column.
            when(
                table.load().watermark().isEmpty()
                    && !SourceFiles.areOf(table)
                    && !table.source().kind().equals("cdf"),
                NO_WATERMARK),
            askedByFeed(table),
            askedBy(table.load()),
            table.load().orderBy().stream().flatMap(order -> askedBy(order, table.cleanedTypes())),
            askedBy(table.target()))
        .flatMap(features -> features);
  }

  private static Stream<Feature> askedByFeed(CaseTable table) {
    if (!table.source().kind().equals("cdf")) {
      return Stream.of();
    }

    return Stream.concat(
        when(table.load().maxRows() > 0, FEED_LIMITED),
        when(
            !Composition.newer(table).columns().equals(List.of("_commit_version")),
            FEED_BY_COLUMN));
  }

  private static Stream<Feature> askedBy(CaseTable.Source source) {
    return Stream.concat(
        Stream.of(
            switch (source.kind()) {
              case "cdf" -> CDF_SOURCE;
              case "csv" -> CSV_SOURCE;
              case "jdbc" -> JDBC_SOURCE;
              case "parquet" -> PARQUET_SOURCE;
              default -> DELTA_SOURCE;
            }),
        when(!source.partitionBy().isEmpty(), PARTITIONED_SOURCE));
  }

  private static Stream<Feature> ofType(String name) {
    if (name.equals(CaseValues.NANOSECONDS)) {
      return Stream.of(NANOSECONDS);
    }

    return when(!name.equals("null") && !CaseValues.isSimple(CaseValues.type(name)), NESTED_TYPES);
  }

  private static Stream<Feature> askedBy(CaseTable.Load load) {
    return Stream.of(
            load.watermark().stream().flatMap(Feature::askedBy),
            when(load.maxRows() > 0, ROW_LIMIT),
            when(load.mode().equals("scd2"), HISTORY),
            when(!load.clean().isEmpty(), CLEANING),
            when(!load.casts().isEmpty(), CASTS),
            when(load.nullKey().equals("match"), NULL_KEYS_MATCH),
            load.deletes().stream()
                .map(deletes -> deletes.how().equals("hard") ? HARD_DELETES : SOFT_DELETES),
            load.sweep().stream().flatMap(Feature::askedBy),
            load.schema().entrySet().stream().map(Feature::askedBy))
        .flatMap(features -> features);
  }

  private static Stream<Feature> askedBy(CaseTable.Newer newer) {
    return Stream.of(
            when(!newer.expression().isEmpty(), EXPRESSION),
            when(!newer.lag().isEmpty(), LOOKBACK),
            when(newer.nullCursor().equals("load"), NULL_CURSORS_LOADED),
            when(newer.future().equals("cap"), FUTURE_CAPPED),
            when(!newer.sentinels().isEmpty(), SENTINELS))
        .flatMap(features -> features);
  }

  private static Stream<Feature> askedBy(CaseTable.Order order, Map<String, DataType> types) {
    DataType type = types.get(CaseValues.find(order.column(), types.keySet()));
    boolean isNested = type != null && !CaseValues.isSimple(type);
    return Stream.concat(
        when(
            order.direction().equals("asc"),
            isNested ? ORDER_OF_NESTED_ASCENDING : ORDER_ASCENDING),
        when(order.nulls().equals("first"), ORDER_NULLS_FIRST));
  }

  private static Stream<Feature> askedBy(CaseTable.Sweep sweep) {
    return Stream.concat(
        Stream.of(
            switch (sweep.how()) {
              case "soft" -> SOFT_SWEEP;
              case "close" -> CLOSING_SWEEP;
              default -> HARD_SWEEP;
            }),
        when(!sweep.maxFraction().isEmpty(), SWEEP_LIMIT));
  }

  private static Feature askedBy(Map.Entry<String, String> policy) {
    return switch (policy.getKey() + " " + policy.getValue()) {
      case "new_column add" -> NEW_COLUMN_ADD;
      case "new_column ignore" -> NEW_COLUMN_IGNORE;
      case "new_column fail" -> NEW_COLUMN_FAIL;
      case "missing_column keep" -> MISSING_COLUMN_KEEP;
      case "type_change widen" -> TYPE_CHANGE_WIDEN;
      case "type_change fail" -> TYPE_CHANGE_FAIL;
      default -> throw new IllegalArgumentException("There is no schema policy " + policy + ".");
    };
  }

  private static Stream<Feature> askedBy(CaseTable.Target target) {
    return Stream.concat(
        when(target.existsBefore(), EXISTING_TARGET),
        when(!target.properties().isEmpty(), TARGET_PROPERTIES));
  }

  private static Stream<Feature> askedBy(Step step) {
    if (step instanceof Step.Run run) {
      return Stream.concat(
          when(run.approval(), SWEEP_APPROVAL),
          when(run.session().caseSensitive(), CASE_SENSITIVE_SESSION));
    }

    if (step instanceof Step.LoseHistory lost) {
      return Stream.of(
          switch (lost.loss()) {
            case "truncate_log" -> SOURCE_LOSES_LOG;
            case "drop_recreate" -> SOURCE_RECREATED;
            default -> SOURCE_LOSES_FILES;
          });
    }

    if (step instanceof Step.RunParallel) {
      return Stream.of(PARALLEL_RUNS);
    }

    return when(step instanceof Step.Alter, ALTERED_SOURCE);
  }

  private static Stream<Feature> when(boolean asked, Feature feature) {
    return asked ? Stream.of(feature) : Stream.of();
  }
}
