package io.strandline.spark.source;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * What is declared of files: their format and columns, and what is added to each row.
 *
 * @param format how rows stand in the files
 * @param options what Spark's reader of that format is told; names whatever the case
 * @param columns the columns to read; null if the files decide
 * @param folders the columns whose values the names of folders hold, as {@code year=2026}
 * @param missing what happens to a file that lacks a column
 * @param pathColumn the column that gets the path of the file; null if none does
 * @param timeColumn the column that gets the file's modification time; null if none does
 */
record FileDeclaration(
    FileFormat format,
    Map<String, String> options,
    @Nullable StructType columns,
    StructType folders,
    MissingColumns missing,
    @Nullable String pathColumn,
    @Nullable String timeColumn) {

  /** What happens to a file that lacks a declared column. */
  enum MissingColumns {
    /** The run fails before anything is written. */
    REFUSED,
    /** The column is null in its rows. */
    NULL
  }

  FileDeclaration {
    Map<String, String> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    copy.putAll(options);
    options = java.util.Collections.unmodifiableMap(copy);
  }

  static FileDeclaration of(FileFormat format) {
    return new FileDeclaration(
        format, Map.of(), null, new StructType(), MissingColumns.REFUSED, null, null);
  }

  FileDeclaration withOption(String name, String value) {
    Map<String, String> more = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    more.putAll(options);
    more.put(name, value);
    return new FileDeclaration(format, more, columns, folders, missing, pathColumn, timeColumn);
  }

  FileDeclaration withColumns(StructType newColumns) {
    return new FileDeclaration(
        format, options, newColumns, folders, missing, pathColumn, timeColumn);
  }

  FileDeclaration withFolders(StructType newFolders) {
    return new FileDeclaration(
        format, options, columns, newFolders, missing, pathColumn, timeColumn);
  }

  FileDeclaration withMissing(MissingColumns policy) {
    return new FileDeclaration(format, options, columns, folders, policy, pathColumn, timeColumn);
  }

  FileDeclaration withPathColumn(String column) {
    return new FileDeclaration(format, options, columns, folders, missing, column, timeColumn);
  }

  FileDeclaration withTimeColumn(String column) {
    return new FileDeclaration(format, options, columns, folders, missing, pathColumn, column);
  }

  /** Tells whether the first line of each file names its columns. */
  boolean hasHeader() {
    return Boolean.parseBoolean(options.getOrDefault("header", "true"));
  }

  /** Returns the columns that stand in the files; empty if the files decide. */
  Optional<List<StructField>> fileColumns() {
    if (columns == null) {
      return Optional.empty();
    }

    List<String> inFolders = Arrays.asList(folders.fieldNames());
    return Optional.of(
        Arrays.stream(columns.fields())
            .filter(field -> !inFolders.contains(field.name()))
            .toList());
  }
}
