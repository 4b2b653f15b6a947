package io.strandline.spark.internal;

import static java.util.stream.Collectors.joining;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.failsafe.RetryPolicy;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.types.StructType;

/**
 * A Delta table that is made when it is first needed.
 *
 * @param columns the columns, in order
 * @param partitionedBy the columns that it is partitioned by; may be empty
 * @param properties the table's properties; names and values without quotes
 */
public record NewTable(
    StructType columns, List<String> partitionedBy, Map<String, String> properties) {
  /**
   * Another process that makes the same table shows in errors of many kinds, such as a folder that
   * is not empty and not a table yet; some are checked exceptions that no signature declares.
   */
  private static final RetryPolicy<Object> OTHERS_AT_WORK =
      RetryPolicy.builder()
          .handle(Exception.class)
          .withBackoff(Duration.ofMillis(200), Duration.ofSeconds(2))
          .withJitter(0.5)
          .withMaxRetries(4)
          .build();

  /** Copies the collections. */
  public NewTable {
    partitionedBy = List.copyOf(partitionedBy);
    properties = Map.copyOf(properties);
  }

  /**
   * Makes the table, unless it is there; several may try at once.
   *
   * @param table where
   * @return what is there then
   */
  public DeltaSnapshot in(DeltaRef table) {
    return make(table, () -> RunSession.of(table.spark()).sql(statement(table)));
  }

  /**
   * Makes a table by a statement, unless it is there; several may try at once.
   *
   * @param table where
   * @param statement makes it; perhaps called several times, and not at all if it is there
   * @return what is there then
   */
  public static DeltaSnapshot make(DeltaRef table, Runnable statement) {
    return table
        .findSnapshot()
        .orElseGet(() -> Conflicts.oneAtATime(table, () -> outlastOthers(table, statement)));
  }

  private static DeltaSnapshot outlastOthers(DeltaRef table, Runnable statement) {
    try {
      return Failsafe.with(OTHERS_AT_WORK).get(() -> made(table, statement));
    } catch (FailsafeException e) {
      // Nothing but a checked exception comes wrapped.
      throw new Problem(
          ProblemKind.FAILED,
          "create " + table.name(),
          String.valueOf(e.getCause()).lines().findFirst().orElse("").replaceAll("\\.$", ""),
          "",
          e.getCause());
    }
  }

  private static DeltaSnapshot made(DeltaRef table, Runnable statement) {
    Optional<DeltaSnapshot> there = table.findSnapshot();

    if (there.isEmpty()) {
      statement.run();
    }

    return there.orElseGet(table::snapshot);
  }

  private String statement(DeltaRef table) {
    String partitions =
        partitionedBy.isEmpty()
            ? ""
            : partitionedBy.stream()
                .map(Columns::quoted)
                .collect(joining(", ", " PARTITIONED BY (", ")"));
    String options =
        properties.isEmpty()
            ? ""
            : properties.entrySet().stream()
                .map(entry -> "'" + entry.getKey() + "' = '" + entry.getValue() + "'")
                .collect(joining(", ", " TBLPROPERTIES (", ")"));
    return "CREATE TABLE IF NOT EXISTS "
        + table.sqlIdentifier()
        + " ("
        + columns.toDDL()
        + ") USING delta"
        + partitions
        + options;
  }
}
