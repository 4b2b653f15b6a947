package io.strandline.samples.replaycases;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.hex;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.translate;
import static org.apache.spark.sql.functions.unix_date;
import static org.apache.spark.sql.functions.unix_micros;
import static org.apache.spark.sql.functions.when;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.delta.tables.DeltaMergeBuilder;
import io.delta.tables.DeltaTable;
import io.strandline.clean.Cleaned;
import io.strandline.clean.Cleaner;
import io.strandline.load.LoadResult;
import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.spark.clean.DeclaredCleaner;
import io.strandline.spark.clean.DeclaredColumn;
import io.strandline.spark.source.DeltaChangeFeedSource;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaHistoryTarget;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.target.SchemaPolicy;
import io.strandline.spark.target.TableLayout;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.Deletes;
import io.strandline.target.MergeTarget;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.watermark.Watermark;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;
import scala.Console;

/** A world of Delta tables: a schema of its own, dropped at the end. */
final class SparkWorld implements World {
  private static final AtomicLong WORLDS = new AtomicLong();
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();
  private static final Pattern NEEDS_MAPPING = Pattern.compile("[ ,;{}()\\n\\t=]");
  private static final String WATERMARKS = "etl_watermark";
  private static final String WATERMARK_COLUMNS =
      " (table_name STRING, last_value TIMESTAMP, updated_at TIMESTAMP, typed_value STRING,"
          + " state STRING) USING delta PARTITIONED BY (table_name)";

  /** The words that Spark itself takes for booleans. */
  private static final List<String> TRUE = List.of("true", "t", "yes", "y", "1");

  private static final List<String> FALSE = List.of("false", "f", "no", "n", "0");

  private final SparkSession root;

  /** Lands and looks; its settings never change, so that what is seen does not depend on a case. */
  private final SparkSession spark;

  private final String schema;
  private final SourceFiles files = new SourceFiles();
  private final JdbcSources database;

  private SparkWorld(SparkSession root, SparkSession spark, String schema) {
    this.root = root;
    this.spark = spark;
    this.schema = schema;
    this.database = JdbcSources.named(schema);
  }

  /** Makes a world with nothing in it. */
  static SparkWorld in(SparkSession root) {
    SparkSession spark = root.newSession();
    new SessionSettings("UTC", true, true).asSparkSettings().forEach(spark.conf()::set);
    spark.conf().set("spark.sql.datetime.java8API.enabled", "true");
    spark.conf().set("spark.databricks.delta.retentionDurationCheck.enabled", "false");
    String schema = "case_" + WORLDS.incrementAndGet();
    spark.sql("CREATE DATABASE " + schema);
    return new SparkWorld(root, spark, schema);
  }

  private String table(String prefix, CaseTable table) {
    // A catalog keeps names in lower case, and this session tells cases apart.
    return schema + "." + prefix + table.name().replaceAll("\\W", "_").toLowerCase(Locale.ROOT);
  }

  private String source(CaseTable table) {
    return table("bronze_", table);
  }

  private String silver(CaseTable table) {
    return table("silver_", table);
  }

  private String watermarks() {
    return schema + "." + WATERMARKS;
  }

  /** Blanks and some other characters are only allowed in names that are mapped. */
  private static String mapping(CaseTable table) {
    return table.source().columns().keySet().stream().anyMatch(NEEDS_MAPPING.asPredicate())
        ? "name"
        : "none";
  }

  @Override
  public void make(CaseTable table, SourceRows source) {
    if (SourceFiles.areOf(table)) {
      files.make(table, source.schema());
    } else if (isInDatabase(table)) {
      database.make(table, source);
    } else {
      writer(dataset(source))
          .option("delta.columnMapping.mode", mapping(table))
          .option("delta.enableChangeDataFeed", Boolean.toString(isFeed(table)))
          .partitionBy(table.source().partitionBy().toArray(String[]::new))
          .saveAsTable(source(table));
    }

    if (table.target().existsBefore()) {
      makeTarget(table);
    }
  }

  private static boolean isInDatabase(CaseTable table) {
    return table.source().kind().equals("jdbc");
  }

  private void makeTarget(CaseTable table) {
    Map<String, DataType> types = table.targetTypes();

    if (Composition.isHistory(table)) {
      String effective = Composition.effective(table);
      String from = Composition.historyName(table, "from");
      DataType instant = table.cleanedTypes().getOrDefault(effective, DataTypes.TimestampType);
      table.cleanedTypes().forEach(types::putIfAbsent);
      types.put(from, instant);
      types.put(Composition.historyName(table, "to"), instant);
      types.put(Composition.historyName(table, "current"), DataTypes.BooleanType);
    }

    boolean isSequenceKnown = types.keySet().containsAll(table.source().columns().keySet());

    if (Composition.isSequenceMade(table) && !isSequenceKnown) {
      types.put(Composition.SEQUENCE, Composition.cursorTypes(table).get(0));
    }

    Dataset<Row> preload = dataset(SourceRows.empty(types).landing(table.target().preload()));
    DataFrameWriter<Row> writer =
        writer(isSequenceKnown ? new CaseCleaner(table).withSequence(preload) : preload);

    for (Map.Entry<String, String> property : table.target().properties().entrySet()) {
      writer = writer.option(property.getKey(), property.getValue());
    }

    writer.saveAsTable(silver(table));
  }

  @Override
  public void append(CaseTable table, SourceRows rows) {
    if (SourceFiles.areOf(table)) {
      files.append(table, dataset(rows));
    } else if (isInDatabase(table)) {
      database.append(table, rows);
    } else {
      writer(dataset(rows)).mode("append").saveAsTable(source(table));
    }
  }

  @Override
  public void landFile(CaseTable table, String name, String content) {
    files.land(table, name, content);
  }

  @Override
  public void rewrite(CaseTable table, SourceRows all) {
    if (SourceFiles.areOf(table)) {
      files.rewrite(table, dataset(all));
      return;
    }

    if (isFeed(table) && all.schema().equals(spark.table(source(table)).schema())) {
      // With a schema of its own it would be another table, whose feed begins anew.
      dataset(all).write().mode("overwrite").insertInto(source(table));
      return;
    }

    if (isInDatabase(table)) {
      database.make(table, all);
      return;
    }

    writer(dataset(all))
        .mode("overwrite")
        .option("overwriteSchema", "true")
        .partitionBy(table.source().partitionBy().toArray(String[]::new))
        .saveAsTable(source(table));
  }

  private static boolean isFeed(CaseTable table) {
    return table.source().kind().equals("cdf");
  }

  @Override
  public void change(CaseTable table, String how, SourceRows rows, List<String> keys) {
    DeltaMergeBuilder merge =
        DeltaTable.forName(spark, source(table))
            .as("there")
            .merge(
                dataset(rows).as("new"),
                keys.stream()
                    .map(key -> quoted("there", key).eqNullSafe(quoted("new", key)))
                    .reduce(Column::and)
                    .orElseThrow());
    (how.equals("delete")
            ? merge.whenMatched().delete()
            : merge.whenMatched().updateAll().whenNotMatched().insertAll())
        .execute();
  }

  private static Column quoted(String alias, String column) {
    return col(alias + ".`" + column.replace("`", "``") + "`");
  }

  @Override
  public void rekey(CaseTable table, SourceRows from, SourceRows to) {
    Row old = dataset(from).head();
    Row changed = dataset(to).head();
    Column isOld = lit(true);
    Map<String, Column> values = new HashMap<>();

    for (String column : from.types().keySet()) {
      isOld = isOld.and(CaseCleaner.quoted(column).eqNullSafe(lit(old.<Object>getAs(column))));
    }

    for (String column : to.types().keySet()) {
      values.put("`" + column.replace("`", "``") + "`", lit(changed.<Object>getAs(column)));
    }

    DeltaTable.forName(spark, source(table)).update(isOld, values);
  }

  private Dataset<Row> dataset(SourceRows rows) {
    StructType columns = rows.schema();
    return spark.createDataFrame(
        rows.rows().stream().map(row -> CaseValues.forSpark(row, columns)).toList(), columns);
  }

  private static DataFrameWriter<Row> writer(Dataset<Row> rows) {
    return rows.write().format("delta");
  }

  @Override
  public void loseHistory(CaseTable table, String loss, SourceRows all) {
    if (isInDatabase(table)) {
      // A database keeps no history of a table that could be lost.
      database.make(table, all);
      return;
    }

    if (SourceFiles.areOf(table)) {
      // Nor does a folder of files; other rows in it are other files.
      if (loss.equals("drop_recreate")) {
        files.rewrite(table, dataset(all));
      }

      return;
    }

    switch (loss) {
      case "vacuum" -> vacuum(table);
      case "drop_recreate" -> {
        spark.sql("DROP TABLE " + source(table));
        make(table, all);
      }
      default -> truncateLog(table);
    }
  }

  /** Delta says on the console what it removes, which is no line of a case. */
  private void vacuum(CaseTable table) {
    Console.withOut(
        OutputStream.nullOutputStream(),
        () -> spark.sql("VACUUM " + source(table) + " RETAIN 0 HOURS"));
  }

  /** Leaves a checkpoint and deletes all commits before it, as the cleaning of an old log does. */
  @SuppressWarnings("deprecation") // Delta's other way to a checkpoint wants its own types.
  private void truncateLog(CaseTable table) {
    String location =
        spark
            .sql("DESCRIBE DETAIL " + source(table))
            .select("location")
            .collectAsList()
            .get(0)
            .getString(0);
    DeltaLog log = DeltaLog.forTable(spark, new org.apache.hadoop.fs.Path(location));
    log.checkpoint();
    long newest = log.unsafeVolatileSnapshot().version();
    Path commits = Path.of(URI.create(location)).resolve("_delta_log");

    for (long version = 0; version < newest; version++) {
      String name = String.format(Locale.ROOT, "%020d.json", version);

      try {
        Files.deleteIfExists(commits.resolve(name));
        Files.deleteIfExists(commits.resolve("." + name + ".crc"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    DeltaLog.clearCache();
  }

  @Override
  public LoadResult run(CaseTable table, Settings settings) {
    SparkSession session = root.newSession();
    settings.session().asSparkSettings().forEach(session.conf()::set);
    return Composition.run(
        table,
        settings,
        source(session, table, settings),
        new CaseCleaner(table),
        target(session, table),
        DeltaWatermarkStore.forName(session, watermarks()));
  }

  private IncrementalSource<Dataset<Row>> source(
      SparkSession session, CaseTable table, Settings settings) {
    if (SourceFiles.areOf(table)) {
      return files
          .source(session, table, settings.session(), schema + ".files")
          .timedBy(settings.asClock());
    }

    if (isFeed(table)) {
      List<String> keys = table.load().keys();
      return DeltaChangeFeedSource.forName(session, source(table))
          .keyedBy(keys.get(0), Composition.more(keys));
    }

    Cursor cursor = Composition.cursor(table, settings.session());
    return isInDatabase(table)
        ? database.source(session, table, cursor).timedBy(settings.asClock())
        : DeltaTableSource.forName(session, source(table))
            .newerBy(cursor)
            .timedBy(settings.asClock());
  }

  private MergeTarget<Dataset<Row>> target(SparkSession session, CaseTable table) {
    return Composition.isHistory(table) ? history(session, table) : merged(session, table);
  }

  private DeltaHistoryTarget history(SparkSession session, CaseTable table) {
    List<String> keys = table.load().keys();
    DeltaHistoryTarget target =
        DeltaHistoryTarget.forName(session, silver(table))
            .matchedOn(keys.get(0), Composition.more(keys))
            .effectiveFrom(Composition.effective(table))
            .named(
                Composition.historyName(table, "from"),
                Composition.historyName(table, "to"),
                Composition.historyName(table, "current"))
            .onSchemaDrift(policy(table))
            .createdIfMissing(layout(table));
    // All data is tracked unless a case says otherwise, that of columns that come later too; but
    // columns that only order versions are data for a case, and none for the library.
    boolean isTold =
        !table.load().track().isEmpty()
            || table.load().deletes().isPresent()
            || !table.load().orderBy().isEmpty();
    List<String> tracked = isTold ? Composition.tracked(table) : List.of();
    List<String> sequence = Composition.sequence(table);

    if (!tracked.isEmpty()) {
      target = target.tracking(tracked.get(0), Composition.more(tracked));
    }

    if (!sequence.isEmpty()) {
      target = target.sequencedBy(sequence.get(0), Composition.more(sequence));
    }

    Optional<Deletes> deletes = Composition.closing(table);

    if (deletes.isPresent()) {
      target = target.deletedWhen(deletes.get());
    }

    return table.load().nullKey().equals("match") ? target.nullKeysMatch() : target;
  }

  /** Cases have no word for a missing column that stops a load. */
  private static SchemaPolicy policy(CaseTable table) {
    Map<String, String> words = table.load().schema();
    return SchemaPolicy.strict()
        .missingColumns(SchemaPolicy.MissingColumns.KEEP)
        .newColumns(
            switch (words.getOrDefault("new_column", "fail")) {
              case "add" -> SchemaPolicy.NewColumns.ADD;
              case "ignore" -> SchemaPolicy.NewColumns.IGNORE;
              default -> SchemaPolicy.NewColumns.FAIL;
            })
        .widerTypes(
            words.getOrDefault("type_change", "fail").equals("widen")
                ? SchemaPolicy.WiderTypes.WIDEN
                : SchemaPolicy.WiderTypes.FAIL);
  }

  private static TableLayout layout(CaseTable table) {
    TableLayout layout = TableLayout.plain();

    for (Map.Entry<String, String> property : table.target().properties().entrySet()) {
      layout = layout.property(property.getKey(), property.getValue());
    }

    return layout;
  }

  private DeltaMergeTarget merged(SparkSession session, CaseTable table) {
    List<String> keys = table.load().keys();

    if (keys.isEmpty()) {
      throw new IllegalArgumentException("Load '" + table.name() + "' declares no key.");
    }

    DeltaMergeTarget target =
        DeltaMergeTarget.forName(session, silver(table))
            .matchedOn(keys.get(0), Composition.more(keys))
            .onSchemaDrift(policy(table))
            .createdIfMissing(layout(table));
    List<String> sequence = Composition.sequence(table);

    if (!sequence.isEmpty()) {
      target = target.sequencedBy(sequence.get(0), Composition.more(sequence));
    } else if (table.load().watermark().isEmpty()) {
      target = target.lastReadWins();
    }

    Optional<Deletes> deletes = Composition.deletes(table);

    if (deletes.isPresent()) {
      target = target.deletedWhen(deletes.get());
    }

    return table.load().nullKey().equals("match") ? target.nullKeysMatch() : target;
  }

  @Override
  public Rows target(CaseTable table) {
    return exists(silver(table)) ? Lakehouse.collect(spark.table(silver(table))) : Rows.none();
  }

  @Override
  public Map<String, DataType> targetColumns(CaseTable table) {
    Map<String, DataType> columns = new LinkedHashMap<>();

    if (exists(silver(table))) {
      for (StructField field : spark.table(silver(table)).schema().fields()) {
        columns.put(field.name(), field.dataType());
      }
    }

    return columns;
  }

  private boolean exists(String name) {
    return spark.catalog().tableExists(name);
  }

  @Override
  public Rows quarantine(CaseTable table, Map<String, DataType> types) {
    String name = silver(table) + "_quarantine";

    if (!exists(name)) {
      return Rows.none();
    }

    List<Map<String, @Nullable Object>> rows = new ArrayList<>();

    for (Row row :
        spark
            .table(name)
            .where(col("load_name").equalTo(table.name()))
            .select("raw_row")
            .collectAsList()) {
      rows.add(raw(row.getString(0), types));
    }

    return Rows.of(rows);
  }

  private static Map<String, @Nullable Object> raw(String json, Map<String, DataType> types) {
    try {
      Map<?, ?> values = JSON.readValue(json, Map.class);
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      types.forEach((column, type) -> row.put(column, raw(values.get(column), type)));
      return row;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A quarantined row is no JSON: " + json, e);
    }
  }

  /** A field of a line that does not parse may be no value of its column's type. */
  private static @Nullable Object raw(@Nullable Object json, DataType type) {
    try {
      return CaseValues.read(json, type);
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      return json;
    }
  }

  private Dataset<Row> watermark(CaseTable table) {
    return spark.table(watermarks()).where(isOf(table));
  }

  private static Column isOf(CaseTable table) {
    return col("table_name").equalTo(table.name());
  }

  @Override
  public Set<Watermark> watermarks(CaseTable table) {
    Set<Watermark> stored = new LinkedHashSet<>();

    // Where a case declares none, what is stored only says that there was a run.
    if (exists(watermarks()) && !Composition.isReadWhole(table)) {
      for (Row row : watermark(table).select("last_value", "typed_value").collectAsList()) {
        if (!row.isNullAt(0)) {
          stored.add(Watermark.at((Instant) row.get(0)));
        } else {
          stored.add(row.isNullAt(1) ? Watermark.start() : Watermark.parse(row.getString(1)));
        }
      }
    }

    return stored;
  }

  @Override
  public long watermarkRows(CaseTable table) {
    return exists(watermarks()) ? watermark(table).count() : 0;
  }

  @Override
  public void deleteWatermark(CaseTable table) {
    if (exists(watermarks())) {
      DeltaTable.forName(spark, watermarks()).delete(isOf(table));
    }
  }

  @Override
  public void duplicateWatermark(CaseTable table) {
    writer(watermark(table)).mode("append").saveAsTable(watermarks());
  }

  @Override
  public void setWatermark(CaseTable table, Watermark value) {
    Map<String, Column> values = new HashMap<>();
    values.put("last_value", lit(null));
    values.put("typed_value", lit(null));

    if (value instanceof Watermark.Timestamp timestamp) {
      values.put("last_value", lit(timestamp.value()));
    } else if (!value.isStart()) {
      values.put("typed_value", lit(value.typed()));
    }

    if (!exists(watermarks())) {
      // Somebody who sets a watermark before the first run makes the table for it.
      spark.sql("CREATE TABLE " + watermarks() + WATERMARK_COLUMNS);
    }

    if (watermarkRows(table) > 0) {
      DeltaTable.forName(spark, watermarks()).update(isOf(table), values);
    } else {
      insertWatermark(table, values);
    }
  }

  private void insertWatermark(CaseTable table, Map<String, Column> values) {
    StructType columns = spark.table(watermarks()).schema();
    values.put("table_name", lit(table.name()));
    Dataset<Row> one =
        spark
            .createDataFrame(List.of(RowFactory.create(1)), new StructType().add("one", "int"))
            .select(
                Arrays.stream(columns.fields())
                    .map(
                        field ->
                            values
                                .getOrDefault(field.name(), lit(null))
                                .cast(field.dataType())
                                .as(field.name()))
                    .toArray(Column[]::new));
    writer(one).mode("append").saveAsTable(watermarks());
  }

  @Override
  public void close() {
    database.close();
    spark.sql("DROP DATABASE IF EXISTS " + schema + " CASCADE");
    files.close();
  }

  /** Cleans as a case says, by declared columns, and makes the sequence where there is none. */
  private static final class CaseCleaner implements Cleaner<Dataset<Row>> {
    private final CaseTable table;

    CaseCleaner(CaseTable table) {
      this.table = table;
    }

    @Override
    public Dataset<Row> clean(Dataset<Row> rows) {
      return separate(rows).accepted();
    }

    @Override
    public Cleaned<Dataset<Row>> separate(Dataset<Row> rows) {
      Cleaned<Dataset<Row>> cleaned =
          declaresAny() ? declared(rows).separate(rows) : Cleaned.accepting(rows);
      return new Cleaned<>(asWide(withSequence(cleaned.accepted())), cleaned.rejected());
    }

    /** What a column other than a key has does not count when keys are compared. */
    @Override
    public Dataset<Row> cleanKeys(Dataset<Row> rows, List<String> keys) {
      return asWide(declaresAny() ? declared(rows).cleanKeys(rows, keys) : rows);
    }

    private boolean declaresAny() {
      return !table.load().clean().isEmpty() || !table.load().casts().isEmpty();
    }

    /** A target that was there before may have wider types; a user casts to them, without loss. */
    private Dataset<Row> asWide(Dataset<Row> rows) {
      Map<String, DataType> types = new LinkedHashMap<>();

      if (!table.target().columns().isEmpty()) {
        types.putAll(table.targetTypes());
      }

      Dataset<Row> wide = rows;

      for (StructField field : rows.schema().fields()) {
        DataType there = types.get(CaseValues.find(field.name(), types.keySet()));

        if (there != null
            && !there.equals(field.dataType())
            && Cast.canUpCast(field.dataType(), there)) {
          wide = wide.withColumn(field.name(), quoted(field.name()).cast(there));
        }
      }

      return wide;
    }

    private Dataset<Row> withSequence(Dataset<Row> rows) {
      Dataset<Row> ordered =
          Composition.isSequenceMade(table)
              ? rows.withColumn(Composition.SEQUENCE, sequence())
              : rows;

      for (CaseTable.Order order : table.load().orderBy()) {
        if (order.nulls().equals("first")) {
          ordered =
              ordered.withColumn(
                  Composition.NULLS + order.column(), quoted(order.column()).isNull());
        }

        if (order.direction().equals("asc")) {
          String column = CaseValues.find(order.column(), List.of(rows.columns()));
          ordered =
              ordered.withColumn(
                  Composition.TURNED + order.column(),
                  turned(quoted(column), rows.schema().apply(column).dataType()));
        }
      }

      return ordered;
    }

    private static Column turned(Column column, DataType type) {
      if (CaseValues.isWhole(type)) {
        // The smallest of the type has no counterpart in it.
        return column.cast("decimal(20,0)").multiply(-1);
      }

      if (type instanceof DateType) {
        return unix_date(column).multiply(-1);
      }

      if (type instanceof TimestampType) {
        return unix_micros(column).multiply(-1);
      }

      if (type instanceof StringType || type instanceof TimestampNTZType) {
        // After what is turned comes a letter above all of it, since the shorter text is larger.
        Column digits = hex(column.cast(DataTypes.StringType));
        return concat(translate(digits, "0123456789ABCDEF", "FEDCBA9876543210"), lit("G"));
      }

      return type instanceof BooleanType ? not(column) : column.multiply(-1);
    }

    private DeclaredCleaner declared(Dataset<Row> rows) {
      return DeclaredCleaner.of(
          Arrays.stream(rows.columns()).map(this::declared).toArray(DeclaredColumn[]::new));
    }

    private DeclaredColumn declared(String column) {
      DeclaredColumn declared = cast(column);

      Map<String, List<String>> clean = table.load().clean();

      for (String rule : clean.getOrDefault(CaseValues.find(column, clean.keySet()), List.of())) {
        declared =
            switch (rule) {
              case "upper" -> declared.upperCased();
              case "lower" -> declared.lowerCased();
              default -> declared.trimmed();
            };
      }

      List<String> keys = table.load().keys();
      return keys.contains(CaseValues.find(column, keys)) && !table.load().nullKey().equals("match")
          ? declared.required()
          : declared;
    }

    private DeclaredColumn cast(String column) {
      Map<String, String> casts = table.load().casts();
      String type = casts.get(CaseValues.find(column, casts.keySet()));

      if (type == null) {
        return DeclaredColumn.kept(column);
      }

      return switch (type) {
        case "boolean" -> DeclaredColumn.bool(column).spelled(TRUE, FALSE);
        case "date" -> DeclaredColumn.date(column);
        case "timestamp" -> DeclaredColumn.timestamp(column);
        case "timestamp_ntz" -> DeclaredColumn.localTimestamp(column);
        default -> DeclaredColumn.of(column, CaseValues.type(type));
      };
    }

    private Column sequence() {
      CaseTable.Newer newer = Composition.newer(table);
      Column measured =
          newer.expression().isEmpty()
              ? quoted(newer.columns().get(0))
              : expr(Composition.inSpark(newer));
      List<Object> sentinels = Composition.sentinelValues(table);
      return sentinels.isEmpty()
          ? measured
          : when(measured.isin(sentinels.toArray()), lit(null)).otherwise(measured);
    }

    private static Column quoted(String column) {
      return col("`" + column.replace("`", "``") + "`");
    }
  }
}
