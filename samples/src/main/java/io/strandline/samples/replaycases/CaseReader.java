package io.strandline.samples.replaycases;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads cases.
 *
 * <p>A field or a word that it does not know is noted in the case, so that no case passes for
 * something it never asked for.
 */
final class CaseReader {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private static final Pattern ORDER =
      Pattern.compile(
          "(?<column>.+?)(\\s+(?<direction>asc|desc))?(\\s+nulls\\s+(?<nulls>first|last))?",
          Pattern.CASE_INSENSITIVE);

  private static final long FORMAT = 1;

  private final List<String> notUnderstood = new ArrayList<>();
  private final SessionSettings session;
  private final List<String> tables;

  private CaseReader(SessionSettings session, List<String> tables) {
    this.session = session;
    this.tables = tables;
  }

  /**
   * Reads a case.
   *
   * @throws IllegalArgumentException if the file is no case
   */
  static Case read(Path file) throws IOException {
    try {
      return read(JSON.readValue(Files.readString(file, UTF_8), Object.class));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(file + " is no JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static Case read(Object json) {
    List<String> unknown = new ArrayList<>();
    Fields top = Fields.of(json, unknown);
    SessionSettings session = SessionSettings.DEFAULT.overriddenBy(top.object("session"));
    List<String> names = List.copyOf(top.map("tables").keySet());
    CaseReader reader = new CaseReader(session, names);
    List<CaseTable> tables = new ArrayList<>();
    top.objectsByName("tables").forEach((name, table) -> tables.add(reader.table(name, table)));
    List<Step> steps = reader.steps(top.objects("steps"));
    List<String> requires = top.texts("requires");
    String id = top.text("id");
    top.skip("kind", "sources", "failure", "why");

    if (top.number("format", 0) != FORMAT) {
      unknown.add("format " + top.value("format"));
    }

    top.done();
    unknown.addAll(reader.notUnderstood);
    return new Case(id, requires, session, tables, steps, unknown);
  }

  private CaseTable table(String name, Fields table) {
    CaseTable read =
        new CaseTable(
            name,
            source(table.object("source")),
            load(table.object("load")),
            target(table.object("target")));
    table.done();
    return read;
  }

  private CaseTable.Source source(Fields source) {
    CaseTable.Source read =
        new CaseTable.Source(
            source.word("kind", "delta", "jdbc", "parquet", "csv", "cdf"),
            source.textMap("columns"),
            source.texts("partition_by"),
            source.textMap("csv"));
    source.done();
    return read;
  }

  private CaseTable.Load load(Fields load) {
    Map<String, List<String>> clean = new LinkedHashMap<>();
    Fields rules = load.object("clean");
    load.map("clean").keySet().forEach(column -> clean.put(column, rules.texts(column)));
    Fields schema = load.object("schema");
    Map<String, String> policies = new LinkedHashMap<>();

    if (schema.has("new_column")) {
      policies.put("new_column", schema.word("new_column", "fail", "add", "ignore"));
    }

    if (schema.has("missing_column")) {
      policies.put("missing_column", schema.word("missing_column", "keep"));
    }

    if (schema.has("type_change")) {
      policies.put("type_change", schema.word("type_change", "fail", "widen"));
    }

    schema.done();
    Fields history = load.object("scd2");
    Map<String, String> scd2 = new LinkedHashMap<>();

    for (String column : List.of("from", "to", "current", "effective")) {
      history.textIfThere(column).ifPresent(name -> scd2.put(column, name));
    }

    history.done();
    CaseTable.Load read =
        new CaseTable.Load(
            load.word("mode", "scd1", "scd2"),
            load.texts("keys"),
            newerIfTold(load),
            load.number("max_rows_per_run", 0),
            load.texts("order_by").stream().map(this::order).toList(),
            clean,
            load.textMap("casts"),
            load.word("null_key", "quarantine", "match"),
            load.has("delete") ? Optional.of(deletes(load.object("delete"))) : Optional.empty(),
            load.has("sweep") ? Optional.of(sweep(load.object("sweep"))) : Optional.empty(),
            policies,
            load.texts("track"),
            load.flag("skip_unchanged", false),
            scd2);
    load.done();
    return read;
  }

  /** A watermark of no column and no expression tells no new rows. */
  private Optional<CaseTable.Newer> newerIfTold(Fields load) {
    return load.has("watermark")
        ? Optional.of(newer(load.object("watermark")))
            .filter(told -> !told.columns().isEmpty() || !told.expression().isEmpty())
        : Optional.empty();
  }

  private CaseTable.Newer newer(Fields watermark) {
    Object lag = watermark.value("lag");
    CaseTable.Newer read =
        new CaseTable.Newer(
            watermark.texts("columns"),
            watermark.textIfThere("expr").orElse(""),
            watermark.word("bound", "inclusive", "exclusive"),
            lag == null || String.valueOf(lag).equals("0") ? "" : String.valueOf(lag),
            watermark.word("null_cursor", "quarantine", "load"),
            watermark.word("future", "allow", "cap"),
            watermark.list("sentinels"));
    watermark.done();
    return read;
  }

  /** SQL's own defaults: ascending; nulls are less than all values. */
  private CaseTable.Order order(String text) {
    Matcher matcher = ORDER.matcher(text.strip());

    if (!matcher.matches()) {
      throw new IllegalArgumentException("order_by '" + text + "' cannot be read.");
    }

    String direction = lower(matcher.group("direction"), "asc");
    return new CaseTable.Order(
        matcher.group("column"),
        direction,
        lower(matcher.group("nulls"), direction.equals("desc") ? "last" : "first"));
  }

  private static String lower(@Nullable String word, String otherwise) {
    return word == null ? otherwise : word.toLowerCase(Locale.ROOT);
  }

  private CaseTable.Deletes deletes(Fields delete) {
    Fields when = delete.object("when");
    CaseTable.Deletes read =
        new CaseTable.Deletes(
            when.textIfThere("column").orElse(""),
            when.value("equals"),
            delete.word("how", "hard", "soft"));
    when.done();
    delete.done();
    return read;
  }

  private CaseTable.Sweep sweep(Fields sweep) {
    Object fraction = sweep.value("max_fraction");
    CaseTable.Sweep read =
        new CaseTable.Sweep(
            sweep.word("how", "hard", "soft", "close"),
            sweep.textIfThere("flag").orElse(""),
            sweep.word("on_empty_source", "fail"),
            fraction == null ? "" : String.valueOf(fraction));
    sweep.done();
    return read;
  }

  private CaseTable.Target target(Fields target) {
    Map<String, @Nullable Object> columns = new LinkedHashMap<>();

    if (target.value("columns") instanceof List<?> names) {
      names.forEach(name -> columns.put(String.valueOf(name), null));
    } else {
      columns.putAll(target.map("columns"));
    }

    CaseTable.Target read =
        new CaseTable.Target(columns, target.rows("preload"), target.textMap("properties"));
    target.done();
    return read;
  }

  private List<Step> steps(List<Fields> steps) {
    return steps.stream().map(this::step).toList();
  }

  private Step step(Fields fields) {
    String op =
        fields.word(
            "op",
            "check",
            "land",
            "land_file",
            "alter",
            "run",
            "run_parallel",
            "watermark_row",
            "source_history");
    Step step =
        switch (op) {
          case "land" -> land(fields);
          case "land_file" ->
              new Step.LandFile(fields.text("table"), fields.text("name"), fields.text("content"));
          case "alter" ->
              new Step.Alter(
                  fields.text("table"),
                  fields.textMap("add"),
                  fields.texts("drop"),
                  fields.textMap("rename"),
                  fields.textMap("retype"),
                  fields.texts("order"));
          case "run" -> run(fields);
          case "run_parallel" ->
              new Step.RunParallel(
                  fields.list("runs").stream().map(CaseReader::tables).toList(),
                  session.overriddenBy(fields.object("session")),
                  clock(fields),
                  expect(fields));
          case "watermark_row" ->
              new Step.EditWatermark(
                  fields.text("table"),
                  fields.word("do", "set", "delete", "duplicate"),
                  fields.value("value"));
          case "source_history" ->
              new Step.LoseHistory(
                  fields.text("table"),
                  fields.word("do", "vacuum", "truncate_log", "drop_recreate"),
                  fields.rows("rows"));
          default -> new Step.Check(expect(fields));
        };
    fields.done();
    return step;
  }

  private static List<String> tables(@Nullable Object list) {
    return list instanceof List<?> names
        ? names.stream().map(String::valueOf).toList()
        : List.of(String.valueOf(list));
  }

  private static Step land(Fields fields) {
    return new Step.Land(
        fields.text("table"),
        fields.rows("rows"),
        fields.word("how", "append", "upsert", "replace", "delete"),
        fields.texts("by"),
        fields.map("set_key"));
  }

  private Step run(Fields fields) {
    List<String> asked = fields.texts("tables");
    List<Step.During> during = new ArrayList<>();

    for (Fields at : fields.objects("during")) {
      during.add(
          new Step.During(at.word("at", "after_read", "after_merge"), steps(at.objects("steps"))));
      at.done();
    }

    return new Step.Run(
        asked.isEmpty() ? tables : asked,
        clock(fields),
        session.overriddenBy(fields.object("session")),
        fields.has("crash") ? fields.word("crash", "before_merge", "after_merge") : "",
        during,
        fields.number("repeat", 1),
        fields.number("shuffle", 1),
        approval(fields),
        expect(fields));
  }

  private static boolean approval(Fields fields) {
    Object approval = fields.value("approve_sweep");
    return approval != null && !Boolean.FALSE.equals(approval);
  }

  private static Optional<Instant> clock(Fields fields) {
    return fields.textIfThere("clock").map(Instant::parse);
  }

  private Map<String, Facts> expect(Fields step) {
    Map<String, Facts> facts = new LinkedHashMap<>();
    step.objectsByName("expect")
        .forEach(
            (table, fields) -> {
              if (!tables.contains(table)) {
                notUnderstood.add(fields.toString());
              }

              facts.put(table, facts(fields));
            });
    return facts;
  }

  private Facts facts(Fields fields) {
    Facts facts =
        new Facts(
            fields.texts("status"),
            fields.textIfThere("error").orElse(""),
            rows(fields, "target"),
            fields.has("watermark") ? Optional.of(stored(fields)) : Optional.empty(),
            number(fields, "watermark_rows"),
            fields.has("rows_merged") ? Optional.of(between(fields)) : Optional.empty(),
            rows(fields, "quarantine"),
            number(fields, "quarantine_count"),
            fields.has("target_columns")
                ? Optional.of(fields.texts("target_columns"))
                : Optional.empty(),
            fields.objects("one_of").stream().map(this::facts).toList());
    fields.done();
    return facts;
  }

  private static Optional<List<Map<String, @Nullable Object>>> rows(Fields fields, String name) {
    return fields.has(name) ? Optional.of(fields.rows(name)) : Optional.empty();
  }

  private static Optional<Long> number(Fields fields, String name) {
    return fields.has(name) ? Optional.of(fields.number(name, -1)) : Optional.empty();
  }

  private static Facts.Stored stored(Fields fields) {
    Object value = fields.value("watermark");

    if (value instanceof Map<?, ?> map && map.size() == 1 && map.containsKey("one_of")) {
      return new Facts.Stored(fields.object("watermark").list("one_of"));
    }

    List<@Nullable Object> one = new ArrayList<>();
    one.add(value);
    return new Facts.Stored(one);
  }

  private static Facts.Between between(Fields fields) {
    if (fields.value("rows_merged") instanceof Number number) {
      return new Facts.Between(number.longValue(), number.longValue());
    }

    Fields bounds = fields.object("rows_merged");
    Facts.Between between =
        new Facts.Between(bounds.number("min", 0), bounds.number("max", Long.MAX_VALUE));
    bounds.done();
    return between;
  }
}
