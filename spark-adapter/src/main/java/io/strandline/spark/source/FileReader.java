package io.strandline.spark.source;

import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.from_csv;
import static org.apache.spark.sql.functions.from_json;
import static org.apache.spark.sql.functions.left;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.regexp_extract;
import static org.apache.spark.sql.functions.replace;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.url_decode;
import static org.apache.spark.sql.functions.when;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Reading;
import io.strandline.spark.internal.Columns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * Reads files as rows, by name, and tells lines that do not parse from those that do.
 *
 * <p>A line parses if it has as many fields as its file has columns, and each field is of the
 * column's type. Immutable.
 */
final class FileReader {
  private static final String LINE = "_strandline_line";
  private static final String FILE = "_strandline_file";
  private static final String TIME = "_strandline_time";
  private static final String MISFIT = "_strandline_misfit";
  private static final String PLACE = "c";
  private static final String NO_VALUE = "__HIVE_DEFAULT_PARTITION__";
  private static final int LETTERS_SHOWN = 100;
  private static final Pattern PATTERN_LETTER = Pattern.compile("[{}\\[\\]*?\\\\]");
  private static final Pattern FORMAT_OPTION =
      Pattern.compile("(date|timestamp|timestampNTZ)Format", Pattern.CASE_INSENSITIVE);

  private final SparkSession spark;
  private final FileFolder folder;
  private final FileDeclaration declared;

  FileReader(SparkSession spark, FileFolder folder, FileDeclaration declared) {
    this.spark = spark;
    this.folder = folder;
    this.declared = declared;
  }

  SparkSession spark() {
    return spark;
  }

  /** Returns the columns that rows will have; empty if the files decide. */
  Optional<StructType> declaredColumns() {
    return declared
        .fileColumns()
        .map(
            columns -> {
              List<StructField> all = new ArrayList<>(columns);
              all.addAll(Arrays.asList(declared.folders().fields()));
              return new StructType(all.toArray(StructField[]::new));
            });
  }

  /**
   * Reads files.
   *
   * @param files the files
   * @return their rows; each action reads the files again
   * @throws Problem of kind {@code BAD_CONFIGURATION} if a file lacks a column, or has it twice
   */
  FileRows read(List<FoundFile> files) {
    return new FileRows(
        parts(files).stream()
            .reduce((one, other) -> one.unionByName(other, declared.columns() == null))
            .orElseGet(() -> nothing()));
  }

  private List<Dataset<Row>> parts(List<FoundFile> files) {
    if (files.isEmpty()) {
      return List.of();
    }

    return switch (declared.format()) {
      case CSV -> csv(files);
      case JSON -> List.of(json(files));
      case PARQUET -> List.of(parquet(files));
    };
  }

  /** Files without a line have no rows, but the columns that are declared. */
  private Dataset<Row> nothing() {
    List<StructField> columns = declared.fileColumns().orElse(List.of());
    StructType all = new StructType(columns.toArray(StructField[]::new));
    Dataset<Row> none =
        spark.createDataFrame(
            List.of(),
            all.add(LINE, DataTypes.StringType)
                .add(FILE, DataTypes.StringType)
                .add(TIME, DataTypes.TimestampType));
    Map<String, Column> values = new LinkedHashMap<>();
    columns.forEach(column -> values.put(column.name(), Columns.col(column.name())));
    return finished(none, values, lit(null), lit(null));
  }

  private List<Dataset<Row>> csv(List<FoundFile> files) {
    Map<String, String> options = csvOptions();

    if (!declared.hasHeader()) {
      List<StructField> columns =
          declared
              .fileColumns()
              .orElseThrow(
                  () ->
                      problem("its files have no header", "Name their columns with columns(..)."));
      return List.of(csv(options, columns.stream().map(StructField::name).toList(), files));
    }

    List<Dataset<Row>> parts = new ArrayList<>();
    new CsvHeaders(folder.configuration(), options)
        .group(files)
        .forEach((header, group) -> parts.add(csv(options, header, group)));
    return parts;
  }

  /** Quotes are doubled within quotes, as RFC 4180 has it, and a field may hold line breaks. */
  private Map<String, String> csvOptions() {
    Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    options.put("escape", "\"");
    options.put("multiLine", "true");
    options.putAll(declared.options());
    options.put("header", Boolean.toString(declared.hasHeader()));
    options.put("columnPruning", "false");
    options.put("enforceSchema", "true");
    permissive(options);
    return options;
  }

  private static void permissive(Map<String, String> options) {
    options.put("mode", "PERMISSIVE");
    options.put("columnNameOfCorruptRecord", LINE);
  }

  private Dataset<Row> csv(
      Map<String, String> options, List<String> header, List<FoundFile> files) {
    boolean isCaseSensitive = Boolean.parseBoolean(spark.conf().get("spark.sql.caseSensitive"));
    Map<String, List<Integer>> places = CsvHeaders.places(header, isCaseSensitive);
    List<StructField> wanted = declared.fileColumns().orElseGet(() -> texts(header));
    Map<String, Integer> found = new LinkedHashMap<>();

    for (StructField column : wanted) {
      List<Integer> at = places.getOrDefault(column.name(), List.of());

      if (at.size() > 1) {
        throw inFile(
            files.get(0),
            "its header names column '" + column.name() + "' " + at.size() + " times");
      }

      if (at.isEmpty() && declared.missing() == FileDeclaration.MissingColumns.REFUSED) {
        throw inFile(
            files.get(0),
            "its header has no column '"
                + column.name()
                + "'; it names "
                + header.stream().collect(joining(", ")));
      }

      at.forEach(place -> found.put(column.name(), place));
    }

    DataType[] types = new DataType[header.size()];
    Arrays.fill(types, DataTypes.StringType);

    for (StructField column : wanted) {
      Integer place = found.get(column.name());

      if (place != null) {
        types[place] = column.dataType();
      }
    }

    List<String> names = distinct(header);
    Dataset<Row> raw =
        reader(options).schema(schema(names, types).add(LINE, "string")).csv(paths(files));
    DataType[] texts = new DataType[header.size()];
    Arrays.fill(texts, DataTypes.StringType);
    Map<String, String> ofOneLine = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    ofOneLine.putAll(options);
    ofOneLine.put("columnNameOfCorruptRecord", MISFIT);
    Column parsed =
        when(
            Columns.col(LINE).isNotNull(),
            from_csv(
                Columns.col(LINE),
                lit(schema(names, texts).add(MISFIT, "string").toDDL()),
                ofOneLine));
    Map<String, Column> values = new LinkedHashMap<>();
    Map<String, Column> asText = new LinkedHashMap<>();

    for (StructField column : wanted) {
      Integer place = found.get(column.name());
      values.put(
          column.name(),
          place == null ? lit(null).cast(column.dataType()) : Columns.col(names.get(place)));
      asText.put(
          column.name(),
          place == null ? lit(null).cast(DataTypes.StringType) : parsed.getField(names.get(place)));
    }

    Column ragged =
        when(
            parsed.getField(MISFIT).isNotNull(),
            lit("the line does not have the " + header.size() + " fields of its file"));
    return finished(
        withFile(raw), values, reason(coalesce(ragged, illTyped(wanted, asText))), all(asText));
  }

  /**
   * Returns the names of a header, or others if it names a column twice, or not at all. Spark warns
   * of every file whose header has other names than it was told.
   */
  private static List<String> distinct(List<String> header) {
    Set<String> different = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    different.addAll(header);
    different.addAll(List.of("", LINE, MISFIT));

    return different.size() == header.size() + 3
        ? header
        : IntStream.range(0, header.size()).mapToObj(i -> PLACE + i).toList();
  }

  private static StructType schema(List<String> names, DataType[] types) {
    StructType schema = new StructType();

    for (int i = 0; i < types.length; i++) {
      schema = schema.add(names.get(i), types[i]);
    }

    return schema;
  }

  /** Without a declaration every column of a header is text. */
  private static List<StructField> texts(List<String> header) {
    List<StructField> columns = new ArrayList<>();

    for (String name : header) {
      if (!name.isEmpty()) {
        columns.add(DataTypes.createStructField(name, DataTypes.StringType, true));
      }
    }

    return columns;
  }

  private Dataset<Row> json(List<FoundFile> files) {
    Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    options.putAll(declared.options());
    permissive(options);
    List<StructField> wanted =
        declared
            .fileColumns()
            .orElseThrow(
                () -> problem("JSON has no columns", "Name the columns with columns(..)."));
    StructType schema = new StructType(wanted.toArray(StructField[]::new)).add(LINE, "string");
    Dataset<Row> raw = reader(options).schema(schema).json(paths(files));
    StructType texts = new StructType();

    for (StructField column : wanted) {
      texts = texts.add(column.name(), DataTypes.StringType);
    }

    Column parsed =
        when(
            Columns.col(LINE).isNotNull(),
            from_json(Columns.col(LINE), texts, Map.<String, String>of()));
    Map<String, Column> values = new LinkedHashMap<>();
    Map<String, Column> asText = new LinkedHashMap<>();

    for (StructField column : wanted) {
      values.put(column.name(), Columns.col(column.name()));
      asText.put(column.name(), parsed.getField(column.name()));
    }

    return finished(withFile(raw), values, reason(illTyped(wanted, asText)), all(asText));
  }

  private Dataset<Row> parquet(List<FoundFile> files) {
    Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    options.put("mergeSchema", Boolean.toString(declared.columns() == null));
    options.putAll(declared.options());
    DataFrameReader reader = reader(options);
    List<StructField> wanted = declared.fileColumns().orElse(List.of());

    if (!wanted.isEmpty()) {
      reader = reader.schema(new StructType(wanted.toArray(StructField[]::new)));
    }

    Dataset<Row> raw = reader.parquet(paths(files));
    Map<String, Column> values = new LinkedHashMap<>();

    for (String column : raw.columns()) {
      values.put(column, Columns.col(column));
    }

    return finished(
        withFile(raw).withColumn(LINE, lit(null).cast(DataTypes.StringType)),
        values,
        lit(null),
        lit(null));
  }

  private DataFrameReader reader(Map<String, String> options) {
    return spark
        .read()
        .options(options)
        .option("ignoreMissingFiles", "false")
        .option("ignoreCorruptFiles", "false");
  }

  /** A name of a file is none of a pattern, whatever characters it has. */
  private static String[] paths(List<FoundFile> files) {
    return files.stream()
        .map(file -> PATTERN_LETTER.matcher(file.path()).replaceAll("\\\\$0"))
        .toArray(String[]::new);
  }

  private static Dataset<Row> withFile(Dataset<Row> raw) {
    return raw.select(
        functions.col("*"),
        decoded(functions.col("_metadata.file_path")).as(FILE),
        functions.col("_metadata.file_modification_time").as(TIME));
  }

  /** Undoes the escapes of a path; a plus is none. */
  private static Column decoded(Column path) {
    return url_decode(replace(path, lit("+"), lit("%2B")));
  }

  private static Column reason(Column specific) {
    return when(Columns.col(LINE).isNotNull(), coalesce(specific, lit("the line does not parse")));
  }

  /** Names the first field whose text is no value of its column's type. */
  private Column illTyped(List<StructField> columns, Map<String, Column> texts) {
    boolean hasFormats =
        declared.options().keySet().stream().anyMatch(FORMAT_OPTION.asMatchPredicate());
    Column reason = lit(null).cast(DataTypes.StringType);

    for (int i = columns.size() - 1; i >= 0; i--) {
      StructField column = columns.get(i);
      boolean hasFormat = hasFormats && isTime(column.dataType());

      if (!(column.dataType() instanceof StringType) && !hasFormat && isPlain(column.dataType())) {
        Column text = Objects.requireNonNull(texts.get(column.name()));
        reason = when(isIllTyped(text, column.dataType()), why(column, text)).otherwise(reason);
      }
    }

    return reason;
  }

  private static boolean isTime(DataType type) {
    return type instanceof TimestampType
        || type instanceof TimestampNTZType
        || type instanceof DateType;
  }

  private static boolean isPlain(DataType type) {
    return Columns.kindOf(type).isPresent()
        || type.equals(DataTypes.BooleanType)
        || type.equals(DataTypes.DoubleType)
        || type.equals(DataTypes.FloatType);
  }

  private static Column isIllTyped(Column text, DataType type) {
    return text.isNotNull().and(text.try_cast(type).isNull());
  }

  private static Column why(StructField column, Column text) {
    return concat(
        lit("column '" + column.name() + "' holds '"),
        left(text, lit(LETTERS_SHOWN)),
        lit("', which is no " + column.dataType().sql()));
  }

  private static Column all(Map<String, Column> texts) {
    return struct(
        texts.entrySet().stream()
            .map(text -> text.getValue().as(text.getKey()))
            .toArray(Column[]::new));
  }

  /**
   * Brings every part into the same columns; those of lines that do not parse are null.
   *
   * <p>This also keeps Spark from pushing filters into the parsing of text, which would hide lines
   * that do not parse.
   */
  private Dataset<Row> finished(
      Dataset<Row> raw, Map<String, Column> values, Column reason, Column texts) {
    Map<String, Column> folders = new LinkedHashMap<>();
    Column misfit = reason.cast(DataTypes.StringType);

    for (StructField column : declared.folders().fields()) {
      Column text = folderValue(column.name());
      folders.put(column.name(), text.try_cast(column.dataType()));
      misfit =
          coalesce(
              misfit,
              when(isIllTyped(text, column.dataType()), concat(lit("folder "), why(column, text))));
    }

    Column isUsable = misfit.isNull();
    List<Column> columns = new ArrayList<>();
    values.forEach((name, value) -> columns.add(when(isUsable, value).as(name)));
    folders.forEach((name, value) -> columns.add(value.as(name)));

    if (declared.pathColumn() != null) {
      columns.add(Columns.col(FILE).as(declared.pathColumn()));
    }

    if (declared.timeColumn() != null) {
      columns.add(Columns.col(TIME).as(declared.timeColumn()));
    }

    columns.add(misfit.as(Reading.REASON_COLUMN));
    columns.add(Columns.col(FILE).as(FileRows.FILE));
    columns.add(Columns.col(LINE).as(FileRows.LINE));
    columns.add(texts.as(FileRows.TEXTS));
    return raw.select(columns.toArray(Column[]::new));
  }

  private static Column folderValue(String name) {
    Column text = regexp_extract(Columns.col(FILE), "/" + Pattern.quote(name) + "=([^/]*)/", 1);
    return when(text.notEqual(lit("")).and(text.notEqual(lit(NO_VALUE))), decoded(text));
  }

  private Problem problem(String reason, String remedy) {
    return new Problem(
        ProblemKind.BAD_CONFIGURATION, "read the files of " + folder, reason, remedy);
  }

  private static Problem inFile(FoundFile file, String reason) {
    return new Problem(
        ProblemKind.BAD_CONFIGURATION,
        "read " + file.path(),
        reason,
        "Correct the header, or leave the file out; if the column may be missing, say"
            + " missingColumnsAreNull().");
  }
}
