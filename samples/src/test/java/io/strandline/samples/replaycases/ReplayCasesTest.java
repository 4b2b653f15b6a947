package io.strandline.samples.replaycases;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the replay says, and that it does not say it too easily. */
class ReplayCasesTest {
  private static final String TWO_RUNS =
      """
      {"format": 1, "id": "two-runs", "tables": {"orders": {
        "source": {"kind": "delta", "columns": {"id": "bigint", "item": "string", "ts": "timestamp"}},
        "load": {"keys": ["id"], "watermark": {"columns": ["ts"]}}}},
       "steps": [
        {"op": "land", "table": "orders", "rows": [
          {"id": 17, "item": "apples", "ts": "2026-01-01T00:00:00Z"},
          {"id": null, "item": "pears", "ts": "2026-01-01T00:00:00Z"}]},
        {"op": "run", "expect": {"orders": {
          "status": "ok",
          "target": [{"id": 17, "item": "apples"}],
          "target_columns": ["id", "item", "ts"],
          "watermark": "2026-01-01T00:00:00Z",
          "watermark_rows": 1,
          "rows_merged": 1,
          "quarantine": [{"id": null, "item": "pears"}],
          "quarantine_count": 1}}},
        {"op": "run", "expect": {"orders": {"status": "noop"}}}]}
      """;

  @TempDir private Path folder;

  @Test
  void replay_ofACaseThatComesOut_passes() throws IOException {
    assertThat(replayed(TWO_RUNS))
        .containsExactly("PASS two-runs", "1 passed, 0 failed, 0 unsupported");
  }

  @Test
  void replay_ofAnotherStatus_fails() throws IOException {
    assertFails("\"status\": \"noop\"", "\"status\": \"failed\"", "status of orders after step 3");
  }

  @Test
  void replay_ofAnotherValue_fails() throws IOException {
    assertFails(
        "\"target\": [{\"id\": 17, \"item\": \"apples\"}]",
        "\"target\": [{\"id\": 17, \"item\": \"plums\"}]",
        "target of orders after step 2 to be [{id=17, item=\"plums\"}]"
            + " got [{id=17, item=\"apples\"}]");
  }

  @Test
  void replay_ofARowTooMany_fails() throws IOException {
    assertFails(
        "\"target\": [{\"id\": 17, \"item\": \"apples\"}]",
        "\"target\": []",
        "rows in target of orders after step 2 to be 0 got 1");
  }

  @Test
  void replay_ofARowThatShouldBeThereTwice_fails() throws IOException {
    assertFails(
        "\"target\": [{\"id\": 17, \"item\": \"apples\"}]",
        "\"target\": [{\"id\": 17, \"item\": \"apples\"}, {\"id\": 17, \"item\": \"apples\"}]",
        "target of orders");
  }

  @Test
  void replay_ofAnotherWatermark_fails() throws IOException {
    assertFails(
        "\"watermark\": \"2026-01-01T00:00:00Z\"",
        "\"watermark\": \"2026-01-01T00:00:00.000001Z\"",
        "watermark of orders after step 2 to be timestamp:2026-01-01T00:00:00.000001Z"
            + " got timestamp:2026-01-01T00:00:00Z");
  }

  @Test
  void replay_ofAWatermarkThatShouldNotBeThere_fails() throws IOException {
    assertFails(
        "\"watermark\": \"2026-01-01T00:00:00Z\"", "\"watermark\": null", "watermark of orders");
  }

  @Test
  void replay_ofOtherCounts_fails() throws IOException {
    assertFails("\"rows_merged\": 1", "\"rows_merged\": 2", "rows_merged of orders");
    assertFails("\"watermark_rows\": 1", "\"watermark_rows\": 2", "watermark_rows of orders");
    assertFails("\"quarantine_count\": 1", "\"quarantine_count\": 0", "quarantine_count of orders");
  }

  @Test
  void replay_ofAnotherQuarantine_fails() throws IOException {
    assertFails(
        "\"quarantine\": [{\"id\": null", "\"quarantine\": [{\"id\": 0", "quarantine of orders");
  }

  @Test
  void replay_ofOtherColumns_fails() throws IOException {
    assertFails("\"item\", \"ts\"]", "\"item\"]", "target_columns of orders");
  }

  @Test
  void replay_ofAnErrorThatDoesNotCome_fails() throws IOException {
    assertFails("\"status\": \"noop\"", "\"error\": \"BAD_CONFIG\"", "error of orders");
  }

  @Test
  void replay_ofAlternativesOfWhichNoneHolds_fails() throws IOException {
    assertFails(
        "\"status\": \"noop\"",
        "\"one_of\": [{\"status\": \"failed\"}, {\"watermark_rows\": 0}]",
        "one of the alternatives of orders after step 3 to hold");
  }

  @Test
  void replay_ofAFieldThatNobodyKnows_isUnsupported() throws IOException {
    assertThat(
            replayed(TWO_RUNS.replace("\"keys\": [\"id\"]", "\"keys\": [\"id\"], \"fast\": true")))
        .containsExactly(
            "UNSUPPORTED two-runs: field tables.orders.load.fast",
            "0 passed, 0 failed, 1 unsupported");
  }

  @Test
  void replay_ofAWordThatNobodyKnows_isUnsupported() throws IOException {
    assertThat(replayed(TWO_RUNS.replace("\"kind\": \"delta\"", "\"kind\": \"pigeon\"")))
        .first()
        .isEqualTo("UNSUPPORTED two-runs: tables.orders.source.kind 'pigeon'");
  }

  @Test
  void replay_ofARequirementThatNobodyKnows_isUnsupported() throws IOException {
    assertThat(
            replayed(TWO_RUNS.replace("\"format\": 1", "\"format\": 1, \"requires\": [\"wings\"]")))
        .first()
        .isEqualTo("UNSUPPORTED two-runs: wings");
  }

  @Test
  void replay_ofAFileThatIsNoCase_fails() throws IOException {
    assertThat(replayed("{\"id\": \"two-runs\"}"))
        .last()
        .isEqualTo("0 passed, 0 failed, 1 unsupported");
    assertThat(replayed("[1")).last().isEqualTo("0 passed, 1 failed, 0 unsupported");
  }

  private void assertFails(String expected, String wrong, String difference) throws IOException {
    assertThat(TWO_RUNS).contains(expected);

    List<String> lines = replayed(TWO_RUNS.replace(expected, wrong));

    assertThat(lines.get(0)).startsWith("FAIL two-runs: expected " + difference);
    assertThat(lines.get(1)).isEqualTo("0 passed, 1 failed, 0 unsupported");
  }

  private List<String> replayed(String json) throws IOException {
    Path file = Files.writeString(folder.resolve("two-runs.json"), json);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int status =
        ReplayCases.replay(
            List.of(file),
            Feature.Place.FAKES,
            FakeWorld::new,
            new PrintStream(bytes, true, UTF_8),
            cause -> {});
    List<String> lines = bytes.toString(UTF_8).lines().toList();
    assertThat(status).isEqualTo(lines.get(lines.size() - 1).contains(" 0 failed") ? 0 : 1);
    return lines;
  }
}
