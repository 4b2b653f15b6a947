package io.strandline.samples.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A file with a line of JSON for every score, written as it comes. */
final class ScoreFile implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Writer out;

  private ScoreFile(Writer out) {
    this.out = out;
  }

  /**
   * Begins a file.
   *
   * @param file where; what is there is replaced
   */
  static ScoreFile at(Path file) {
    try {
      return new ScoreFile(Files.newBufferedWriter(file, UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a file that nobody wants. */
  static ScoreFile none() {
    return new ScoreFile(Writer.nullWriter());
  }

  void write(Score score) {
    try {
      out.write(JSON.writeValueAsString(fields(score)) + "\n");
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Object> fields(Score score) {
    Measurement measured = score.measured();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("case", score.caseName());
    fields.put("contender", score.contender());
    fields.put("targetRows", score.size());
    fields.put("round", score.round());
    fields.put("millis", measured.millis());
    fields.put("jobs", measured.jobs());
    fields.put("rowsInRange", measured.rowsInRange());
    fields.put("rowsScanned", measured.rowsScanned());
    fields.put("filesRead", measured.filesRead());
    fields.put("filesWritten", measured.filesWritten());
    fields.put("bytesWritten", measured.bytesWritten());
    return fields;
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
