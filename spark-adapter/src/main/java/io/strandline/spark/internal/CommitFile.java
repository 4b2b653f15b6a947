package io.strandline.spark.internal;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** The file of a table's log that says what one commit did, an action in JSON on each line. */
public final class CommitFile {
  private CommitFile() {}

  /**
   * Reads one; needs no Spark job.
   *
   * @param <T> what is made of it
   * @param table the folder of the table
   * @param version the version that the commit made
   * @param configuration how files are reached
   * @param reader makes something of the lines, which it reads as far as it needs them
   * @return what was made; empty if the file is gone from the log
   */
  public static <T> Optional<T> read(
      String table, long version, Configuration configuration, Function<Stream<String>, T> reader) {
    Path file =
        new Path(new Path(table, "_delta_log"), String.format(Locale.ROOT, "%020d.json", version));

    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                file.getFileSystem(configuration).open(file), StandardCharsets.UTF_8))) {
      return Optional.of(reader.apply(lines.lines()));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
