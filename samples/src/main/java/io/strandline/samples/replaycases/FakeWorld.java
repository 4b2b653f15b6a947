package io.strandline.samples.replaycases;

import io.strandline.clean.Cleaned;
import io.strandline.clean.Cleaner;
import io.strandline.load.LoadResult;
import io.strandline.problem.Problem;
import io.strandline.source.Reading;
import io.strandline.target.Deletes;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.fake.FakeHistoryTarget;
import io.strandline.testkit.fake.FakeMergeTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;

/** A world of the testkit's fakes, in memory. */
final class FakeWorld implements World {
  private final Map<String, FakeSource> sources = new ConcurrentHashMap<>();
  private final Map<String, FakeMergeTarget> targets = new ConcurrentHashMap<>();
  private final Map<String, FakeHistoryTarget> histories = new ConcurrentHashMap<>();
  private final FakeWatermarkStore store = FakeWatermarkStore.empty();

  /** What stood in a row before it was doubled, by load: after that the store refuses to tell. */
  private final Map<String, Watermark> doubled = new ConcurrentHashMap<>();

  @Override
  public void make(CaseTable table, SourceRows source) {
    sources.put(table.name(), FakeSource.named("bronze_" + table.name()));
    targets.put(table.name(), FakeMergeTarget.named("silver_" + table.name()));
    histories.put(table.name(), FakeHistoryTarget.named("silver_" + table.name()));
  }

  private FakeSource source(CaseTable table) {
    return Objects.requireNonNull(sources.get(table.name()), table.name());
  }

  private FakeMergeTarget silver(CaseTable table) {
    return Objects.requireNonNull(targets.get(table.name()), table.name());
  }

  private FakeHistoryTarget dimension(CaseTable table) {
    return Objects.requireNonNull(histories.get(table.name()), table.name());
  }

  private static Rows rows(SourceRows rows) {
    return Rows.columns(rows.types().keySet().toArray(String[]::new)).concat(Rows.of(rows.rows()));
  }

  @Override
  public void append(CaseTable table, SourceRows rows) {
    source(table).land(rows(rows));
  }

  @Override
  public void landFile(CaseTable table, String name, String content) {
    throw new IllegalArgumentException("A fake source has no files.");
  }

  @Override
  public void rewrite(CaseTable table, SourceRows all) {
    source(table).delete(row -> true);
    source(table).land(rows(all));
  }

  @Override
  public void loseHistory(CaseTable table, String loss, SourceRows all) {
    source(table).recreate(rows(all));
  }

  @Override
  public LoadResult run(CaseTable table, Settings settings) {
    List<String> keys = table.load().keys();

    if (keys.isEmpty()) {
      throw new IllegalArgumentException("Load '" + table.name() + "' declares no key.");
    }

    MergeTarget<Rows> target =
        Composition.isHistory(table) ? history(table, keys) : merged(table, keys);

    return Composition.run(
        table,
        settings,
        source(table)
            .newerBy(Composition.cursor(table, settings.session()))
            .timedBy(settings.asClock()),
        new CaseCleaner(table),
        target,
        store);
  }

  private FakeMergeTarget merged(CaseTable table, List<String> keys) {
    FakeMergeTarget target = silver(table).matchedOn(keys.get(0), Composition.more(keys));
    List<String> sequence = Composition.sequence(table);

    if (!sequence.isEmpty()) {
      target = target.sequencedBy(sequence.get(0), Composition.more(sequence));
    }

    Optional<Deletes> deletes = Composition.deletes(table);
    return deletes.isEmpty() ? target : target.deletedWhen(deletes.get());
  }

  private FakeHistoryTarget history(CaseTable table, List<String> keys) {
    FakeHistoryTarget target =
        dimension(table)
            .matchedOn(keys.get(0), Composition.more(keys))
            .effectiveFrom(Composition.effective(table))
            .named(
                Composition.historyName(table, "from"),
                Composition.historyName(table, "to"),
                Composition.historyName(table, "current"));
    List<String> tracked = Composition.tracked(table);
    List<String> sequence = Composition.sequence(table);

    if (!tracked.isEmpty()) {
      target = target.tracking(tracked.get(0), Composition.more(tracked));
    }

    if (!sequence.isEmpty()) {
      target = target.sequencedBy(sequence.get(0), Composition.more(sequence));
    }

    Optional<Deletes> deletes = Composition.closing(table);
    return deletes.isEmpty() ? target : target.deletedWhen(deletes.get());
  }

  @Override
  public Rows target(CaseTable table) {
    return Composition.isHistory(table) ? dimension(table).rows() : silver(table).rows();
  }

  @Override
  public Map<String, DataType> targetColumns(CaseTable table) {
    Map<String, DataType> types = table.cleanedTypes();
    Map<String, DataType> columns = new LinkedHashMap<>();

    if (Composition.isHistory(table)) {
      DataType instant =
          types.getOrDefault(Composition.effective(table), CaseValues.type("timestamp"));
      types.put(Composition.historyName(table, "from"), instant);
      types.put(Composition.historyName(table, "to"), instant);
      types.put(Composition.historyName(table, "current"), CaseValues.type("boolean"));
    }

    Composition.deletes(table)
        .map(Deletes::manner)
        .filter(Deletes.Soft.class::isInstance)
        .map(Deletes.Soft.class::cast)
        .ifPresent(soft -> types.putIfAbsent(soft.flag(), CaseValues.type("boolean")));

    target(table)
        .columns()
        .forEach(
            column -> columns.put(column, types.getOrDefault(column, CaseValues.type("string"))));
    return columns;
  }

  @Override
  public Rows quarantine(CaseTable table, Map<String, DataType> types) {
    return (Composition.isHistory(table)
            ? dimension(table).quarantine()
            : silver(table).quarantine())
        .rows(load(table));
  }

  private static LoadName load(CaseTable table) {
    return new LoadName(table.name());
  }

  private StoredStream stored(CaseTable table) {
    return store.last(load(table), Set.of(StreamName.only())).stream(StreamName.only());
  }

  @Override
  public Set<Watermark> watermarks(CaseTable table) {
    Watermark before = doubled.get(table.name());
    return Set.of(before == null ? stored(table).value() : before);
  }

  @Override
  public long watermarkRows(CaseTable table) {
    try {
      return stored(table).equals(StoredStream.none()) ? 0 : 1;
    } catch (Problem e) {
      return 2;
    }
  }

  @Override
  public void deleteWatermark(CaseTable table) {
    doubled.remove(table.name());
    store.delete(load(table));
  }

  @Override
  public void duplicateWatermark(CaseTable table) {
    doubled.put(table.name(), stored(table).value());
    store.duplicate(load(table));
  }

  @Override
  public void setWatermark(CaseTable table, Watermark value) {
    store.edit(load(table), value);
  }

  @Override
  public void close() {
    // Nothing of it is anywhere but in memory.
  }

  /** Cleans as a case says; see the cleaner of {@link SparkWorld}. */
  private static final class CaseCleaner implements Cleaner<Rows> {
    private final CaseTable table;

    CaseCleaner(CaseTable table) {
      this.table = table;
    }

    @Override
    public Rows clean(Rows rows) {
      Rows cleaned = rows;

      for (String column : table.load().clean().keySet()) {
        cleaned = cleaned.with(column, row -> cleaned(column, row));
      }

      return Composition.isSequenceMade(table)
          ? cleaned.with(Composition.SEQUENCE, this::sequence)
          : cleaned;
    }

    @Override
    public Cleaned<Rows> separate(Rows rows) {
      if (table.load().clean().isEmpty()) {
        return Cleaned.accepting(clean(rows));
      }

      Rows rejected = rows.filter(this::lacksKey).with(Reading.REASON_COLUMN, row -> "no key");
      return new Cleaned<>(
          clean(rows.filter(row -> !lacksKey(row))),
          rejected.isEmpty() ? List.of() : List.of(rejected));
    }

    private boolean lacksKey(Map<String, @Nullable Object> row) {
      return table.load().keys().stream()
          .map(key -> cleaned(key, row))
          .anyMatch(key -> key == null || key.toString().isBlank());
    }

    private @Nullable Object cleaned(String column, Map<String, @Nullable Object> row) {
      if (!(row.get(column) instanceof String text)) {
        return row.get(column);
      }

      String cleaned = text;

      for (String rule : table.load().clean().getOrDefault(column, List.of())) {
        cleaned =
            switch (rule) {
              case "upper" -> cleaned.toUpperCase(Locale.ROOT);
              case "lower" -> cleaned.toLowerCase(Locale.ROOT);
              default -> cleaned.replaceAll("(?U)^\\s+|\\s+$", "");
            };
      }

      return cleaned;
    }

    private @Nullable Object sequence(Map<String, @Nullable Object> row) {
      Object measured = row.get(Composition.newer(table).columns().get(0));
      return Composition.sentinelValues(table).stream()
              .anyMatch(sentinel -> sentinel.equals(measured))
          ? null
          : measured;
    }
  }
}
