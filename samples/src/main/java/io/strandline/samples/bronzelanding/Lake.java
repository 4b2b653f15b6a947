package io.strandline.samples.bronzelanding;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * The data lake, in which another program puts the files of a source system.
 *
 * <p>A file that is there already is not put there again, so that the story can be told twice over
 * one lake. Not for use by several threads.
 */
final class Lake {
  private final SparkSession spark;
  private final Path root;

  Lake(SparkSession spark, Path root) {
    this.spark = spark;
    this.root = root;
  }

  /** Returns the folder of a source table. */
  Path folder(String table) {
    return root.resolve(table);
  }

  /**
   * Puts lines of text.
   *
   * @param at where, and when
   * @param lines the lines
   */
  void put(Place at, List<String> lines) {
    put(
        at,
        file -> {
          try {
            Files.write(file, lines);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /**
   * Puts rows, as Parquet.
   *
   * @param at where, and when
   * @param columns their columns
   * @param rows the rows
   */
  void put(Place at, StructType columns, List<Row> rows) {
    put(at, file -> writeParquet(file, columns, rows));
  }

  private void put(Place at, Consumer<Path> writer) {
    Path folder = at.folder(root);
    Path file = folder.resolve(at.name());

    if (Files.exists(file)) {
      return;
    }

    try {
      Files.createDirectories(folder);
      writer.accept(file);
      Files.setLastModifiedTime(file, FileTime.from(at.written()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Spark writes a folder of files; the only one with rows is taken out of it. */
  private void writeParquet(Path file, StructType columns, List<Row> rows) {
    Path made = root.resolve("_made");
    spark
        .createDataFrame(rows, columns)
        .coalesce(1)
        .write()
        .mode("overwrite")
        .parquet(made.toString());

    try (DirectoryStream<Path> parts = Files.newDirectoryStream(made, "part-*.parquet")) {
      Files.move(parts.iterator().next(), file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Where a file is put, and when.
   *
   * @param table the source table
   * @param day the day that its folder is of
   * @param name the file's name
   * @param written when it is written
   */
  record Place(String table, LocalDate day, String name, Instant written) {
    private Path folder(Path root) {
      return root.resolve(table)
          .resolve("year=" + day.getYear())
          .resolve("month=" + day.getMonthValue())
          .resolve("day=" + day.getDayOfMonth());
    }
  }
}
