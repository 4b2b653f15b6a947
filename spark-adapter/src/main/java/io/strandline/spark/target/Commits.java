package io.strandline.spark.target;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.strandline.spark.internal.CommitFile;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.Receipts;
import io.strandline.target.Receipt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;

/** What the commits of a table say of themselves, read from its log without a Spark job. */
final class Commits {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String INFO = "commitInfo";
  private static final Set<String> WRITES =
      Set.of(
          "WRITE",
          "MERGE",
          "UPDATE",
          "DELETE",
          "STREAMING UPDATE",
          "CREATE TABLE AS SELECT",
          "CREATE OR REPLACE TABLE AS SELECT");

  private final DeltaSnapshot newest;
  private final Configuration configuration;

  private Commits(DeltaSnapshot newest, Configuration configuration) {
    this.newest = newest;
    this.configuration = configuration;
  }

  static Commits of(SparkSession spark, DeltaSnapshot newest) {
    return new Commits(
        newest, ((org.apache.spark.sql.classic.SparkSession) spark).sessionState().newHadoopConf());
  }

  /** A commit as it describes itself. */
  record Commit(long version, JsonNode info) {
    long readVersion() {
      return info.path("readVersion").asLong(-1);
    }

    Optional<Receipt> receipt() {
      JsonNode text = info.path("userMetadata");
      return text.isTextual() ? Receipts.fromJson(text.asText()) : Optional.empty();
    }

    /** Returns what the commit did to the table as a whole; empty if only to some of its rows. */
    Optional<String> disturbance() {
      return deed().map(deed -> "version " + version + " " + deed);
    }

    private Optional<String> deed() {
      String operation = info.path("operation").asText().toUpperCase(Locale.ROOT);

      return switch (operation) {
        case "RESTORE" ->
            Optional.of(
                parameter("version").isEmpty()
                    ? "restored it to how it was at " + parameter("timestamp")
                    : "restored it to version " + parameter("version"));
        case "CREATE OR REPLACE TABLE",
            "CREATE OR REPLACE TABLE AS SELECT",
            "REPLACE TABLE",
            "REPLACE TABLE AS SELECT" ->
            Optional.of("replaced it");
        case "CLONE" -> Optional.of("replaced it by a clone");
        case "TRUNCATE" -> Optional.of("truncated it");
        case "DELETE" -> isOfAllRows() ? Optional.of("deleted all of its rows") : Optional.empty();
        case "WRITE" ->
            parameter("mode").equals("Overwrite") && isOfAllRows()
                ? Optional.of("overwrote it")
                : Optional.empty();
        case "STREAMING UPDATE" ->
            parameter("outputMode").equals("Complete")
                ? Optional.of("overwrote it")
                : Optional.empty();
        default -> Optional.empty();
      };
    }

    private boolean isOfAllRows() {
      String predicate = parameter("predicate");
      return (predicate.isEmpty()
              || predicate.equals("[]")
              || predicate.equals("[\"true\"]")
              || predicate.equals("true"))
          && !parameter("isDynamicPartitionOverwrite").equals("true");
    }

    private String parameter(String name) {
      JsonNode value = info.path("operationParameters").path(name);
      return value.isNull() || value.isMissingNode() ? "" : value.asText(value.toString());
    }
  }

  /**
   * Finds the newest commit that holds a certain receipt.
   *
   * @param isMeant tells whether a receipt is the one
   * @return the commit; empty if its file is gone from the log
   */
  Optional<Commit> newestWith(Predicate<Receipt> isMeant) {
    for (long version = newest.version(); version >= 0; version--) {
      Optional<Commit> commit = at(version);

      if (commit.isEmpty()) {
        return Optional.empty();
      }

      if (commit.get().receipt().filter(isMeant).isPresent()) {
        return commit;
      }
    }

    return Optional.empty();
  }

  /**
   * Tells what others did to the table as a whole.
   *
   * @param version what is known already
   * @return clauses, oldest first; commits whose files are gone from the log are passed over
   */
  List<String> disturbancesAfter(long version) {
    List<String> disturbances = new ArrayList<>();

    for (long next = version + 1; next <= newest.version(); next++) {
      at(next)
          .filter(commit -> commit.receipt().isEmpty())
          .flatMap(Commit::disturbance)
          .ifPresent(disturbances::add);
    }

    return disturbances;
  }

  /**
   * Counts the commits that wrote rows since the files were last compacted.
   *
   * @param limit so many are counted at most
   * @return the number; commits whose files are gone from the log are passed over
   */
  long writesSinceCompaction(long limit) {
    long writes = 0;

    for (long version = newest.version(); version >= 0 && writes < limit; version--) {
      String operation =
          at(version).map(commit -> commit.info().path("operation").asText()).orElse("");

      if (operation.isEmpty() || operation.equals("OPTIMIZE")) {
        return writes;
      }

      writes += WRITES.contains(operation) ? 1 : 0;
    }

    return writes;
  }

  /** Reads what a commit says of itself; empty if its file is gone from the log. */
  private Optional<Commit> at(long version) {
    return CommitFile.read(
        newest.location(),
        version,
        configuration,
        lines ->
            new Commit(
                version,
                lines
                    .filter(Commits::isInfo)
                    .findFirst()
                    .map(Commits::info)
                    .orElseGet(JSON::createObjectNode)));
  }

  private static boolean isInfo(String line) {
    return line.startsWith("{\"" + INFO + "\"");
  }

  private static JsonNode info(String line) {
    try {
      return JSON.readTree(line).path(INFO);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
