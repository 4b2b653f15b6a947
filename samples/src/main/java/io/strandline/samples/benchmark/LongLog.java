package io.strandline.samples.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delta.kernel.TableManager;
import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;

/**
 * Makes the log of a table with one file as long as if the row in it had been updated many times:
 * each commit replaces the file by another. Ten thousand real updates would take an hour.
 *
 * <p>Only the last of these files is there, since nobody reads the others, and one checkpoint at
 * the end instead of one every ten commits.
 */
final class LongLog {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Path table;
  private final Path log;

  private LongLog(Path table) {
    this.table = table;
    this.log = table.resolve("_delta_log");
  }

  /**
   * Lengthens a log.
   *
   * @param spark the session
   * @param table the folder of the table, which has one file
   * @param commits by how many commits
   */
  static void lengthen(SparkSession spark, Path table, long commits) {
    if (commits == 0) {
      return;
    }

    try {
      new LongLog(table).add(commits);
      Engine engine = DefaultEngine.create(spark.sparkContext().hadoopConfiguration());
      TableManager.loadSnapshot(table.toString()).build(engine).writeCheckpoint(engine);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(long commits) throws IOException {
    List<Path> written = commits();
    ObjectNode live = liveFile(written);
    Path original = table.resolve(live.path("path").asText());

    for (long i = 1; i <= commits; i++) {
      ObjectNode next = live.deepCopy();
      next.put("path", nameOf(live.path("path").asText(), i));
      long time = live.path("modificationTime").asLong() + 1;
      next.put("modificationTime", time);
      Files.writeString(
          log.resolve(String.format(Locale.ROOT, "%020d.json", written.size() - 1 + i)),
          line("commitInfo", commitInfo(time))
              + line("remove", removal(live, time))
              + line("add", next));
      live = next;
    }

    Files.copy(original, table.resolve(live.path("path").asText()));
  }

  private List<Path> commits() throws IOException {
    try (Stream<Path> files = Files.list(log)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  private static ObjectNode liveFile(List<Path> commits) throws IOException {
    Map<String, ObjectNode> live = new LinkedHashMap<>();

    for (Path commit : commits) {
      for (String line : Files.readAllLines(commit)) {
        JsonNode action = JSON.readTree(line);
        live.remove(action.at("/remove/path").asText());

        if (action.path("add") instanceof ObjectNode file) {
          live.put(file.path("path").asText(), file);
        }
      }
    }

    if (live.size() != 1) {
      throw new IllegalStateException(
          "Cannot lengthen the log of a table with " + live.size() + " files: it must have one.");
    }

    return live.values().iterator().next();
  }

  private static String nameOf(String path, long number) {
    String folder = path.substring(0, path.lastIndexOf('/') + 1);
    return folder + String.format(Locale.ROOT, "part-made-%08d.parquet", number);
  }

  private static ObjectNode commitInfo(long time) {
    ObjectNode info = JSON.createObjectNode().put("timestamp", time).put("operation", "UPDATE");
    info.putObject("operationParameters");
    return info.put("isBlindAppend", false);
  }

  private static ObjectNode removal(ObjectNode file, long time) {
    ObjectNode removal =
        JSON.createObjectNode()
            .put("path", file.path("path").asText())
            .put("deletionTimestamp", time)
            .put("dataChange", true)
            .put("extendedFileMetadata", true);
    removal.set("partitionValues", file.path("partitionValues"));
    return removal.put("size", file.path("size").asLong());
  }

  private static String line(String action, JsonNode content) throws IOException {
    return JSON.writeValueAsString(Map.of(action, content)) + "\n";
  }
}
