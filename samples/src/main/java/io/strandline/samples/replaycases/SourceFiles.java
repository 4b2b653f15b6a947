package io.strandline.samples.replaycases;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.strandline.samples.SampleFolder;
import io.strandline.spark.source.FileSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The folders of sources that are files: CSV or Parquet, of a folder for each table. */
final class SourceFiles implements AutoCloseable {
  private static final String EXACT_TIMESTAMP = "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX";
  private static final String EXACT_LOCAL_TIMESTAMP = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS";

  private final SampleFolder root = SampleFolder.temporary("strandline-files");
  private final Map<String, StructType> columns = new HashMap<>();

  /** Tells whether a table's rows come from files. */
  static boolean areOf(CaseTable table) {
    return isCsv(table) || table.source().kind().equals("parquet");
  }

  private static boolean isCsv(CaseTable table) {
    return table.source().kind().equals("csv");
  }

  private Path folder(CaseTable table) {
    return root.path().resolve(table.name().replaceAll("\\W", "_"));
  }

  /** Makes a folder without files. */
  void make(CaseTable table, StructType types) {
    columns.put(table.name(), types);

    try {
      Files.createDirectories(folder(table));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds files with some rows. */
  void append(CaseTable table, Dataset<Row> rows) {
    write(table, rows, "append");
  }

  /** Replaces all files by those of some rows, and the columns by theirs. */
  void rewrite(CaseTable table, Dataset<Row> rows) {
    columns.put(table.name(), rows.schema());
    write(table, rows, "overwrite");
  }

  private void write(CaseTable table, Dataset<Row> rows, String mode) {
    DataFrameWriter<Row> writer =
        rows.coalesce(1)
            .write()
            .mode(mode)
            .partitionBy(table.source().partitionBy().toArray(String[]::new));

    if (isCsv(table)) {
      writer
          .option("header", "true")
          .option("escape", "\"")
          .option("timestampFormat", EXACT_TIMESTAMP)
          .option("timestampNTZFormat", EXACT_LOCAL_TIMESTAMP)
          .options(table.source().csv())
          .csv(folder(table).toString());
    } else {
      writer.parquet(folder(table).toString());
    }
  }

  /** Writes a file as it is given. */
  void land(CaseTable table, String name, String content) {
    Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    options.putAll(table.source().csv());
    Charset charset =
        Charset.forName(
            options.getOrDefault("encoding", options.getOrDefault("charset", UTF_8.name())));
    Path file = folder(table).resolve(name);

    try {
      Files.createDirectories(file.getParent());
      Files.write(file, content.getBytes(charset));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Composes the source of a table; without a watermark new files are told by a ledger. */
  FileSource source(
      SparkSession session, CaseTable table, SessionSettings settings, String ledger) {
    String location = folder(table).toString();
    FileSource.Files files =
        isCsv(table) ? FileSource.csv(session, location) : FileSource.parquet(session, location);
    StructType types = columns.getOrDefault(table.name(), new StructType());

    if (isCsv(table)) {
      files = files.columns(types.toDDL());
    }

    for (Map.Entry<String, String> option : table.source().csv().entrySet()) {
      files = files.option(option.getKey(), option.getValue());
    }

    StructType folders = new StructType();

    for (String column : table.source().partitionBy()) {
      StructField field = types.apply(column);
      folders = folders.add(field);
    }

    if (!folders.isEmpty()) {
      files = files.folderColumns(folders.toDDL());
    }

    if (table.load().schema().containsKey("missing_column")) {
      files = files.missingColumnsAreNull();
    }

    files = files.settledFor(Duration.ZERO);
    return table.load().watermark().isEmpty()
        ? files.newFilesBy(ledger)
        : files.newerBy(Composition.cursor(table, settings));
  }

  @Override
  public void close() {
    root.close();
  }
}
