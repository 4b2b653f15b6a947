package io.strandline.samples.nightlyorders;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delta.tables.DeltaTable;
import io.strandline.samples.ProgressDisplay;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/** A warehouse of the sample under test: starts the sample over it, and tells what it holds. */
final class Nights {
  private final SparkSession spark;
  private final Path warehouse;

  Nights(SparkSession spark, Path warehouse) {
    this.spark = spark;
    this.warehouse = warehouse;
  }

  /** What a start of the sample said and did. */
  record Start(List<String> output, long merged) {
    /** Returns the numbers that the output gives for a count, one for each run that committed. */
    List<Long> printed(String count) {
      return output.stream()
          .map(String::strip)
          .filter(line -> line.startsWith(count + " "))
          .map(line -> Long.parseLong(line.substring(count.length()).strip()))
          .toList();
    }

    long timesSaid(String words) {
      return output.stream().filter(line -> line.contains(words)).count();
    }
  }

  Start start(List<Path> files) {
    return start(tables(), files);
  }

  Start start(OrderTables tables, List<Path> files) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long merged;

    try (PrintStream out = new PrintStream(bytes, true, UTF_8)) {
      merged = new OrderNights(tables, ProgressDisplay.none(), out).live(files);
    }

    return new Start(bytes.toString(UTF_8).lines().toList(), merged);
  }

  OrderTables tables() {
    return new OrderTables(spark, warehouse);
  }

  /** Returns the values of silver by key, without the time of landing. */
  Map<String, List<@Nullable Object>> silver() {
    Map<String, List<@Nullable Object>> rows = new TreeMap<>();

    for (Row row : tables().silverRows().drop("_loaded_at").collectAsList()) {
      List<@Nullable Object> values = new ArrayList<>();

      for (int i = 0; i < row.size(); i++) {
        values.add(row.get(i) instanceof LocalDateTime time ? time : row.get(i));
      }

      List<@Nullable Object> twin = rows.put(row.getString(0) + " " + row.getString(1), values);

      if (twin != null) {
        throw new AssertionError("Two rows of one key: " + twin + " and " + values);
      }
    }

    return rows;
  }

  /** Returns how many rows have landed. */
  long landed() {
    return spark.read().format("delta").load(folder("bronze_orders")).count();
  }

  /** Returns how many rows the quarantine explains; equal ones are one. */
  long quarantined() {
    Path quarantine = warehouse.resolve("silver_orders_quarantine");
    return Files.isDirectory(quarantine)
        ? spark.read().format("delta").load(quarantine.toString()).where("reason <> ''").count()
        : 0;
  }

  /** Returns the newest version of silver. */
  long silverVersion() {
    return DeltaTable.forPath(spark, folder("silver_orders")).history(1).head().getLong(0);
  }

  /** Returns how many commits of silver brought rows; the first of them needs no MERGE. */
  long merges() {
    return DeltaTable.forPath(spark, folder("silver_orders"))
        .history()
        .where("operation IN ('WRITE', 'MERGE')")
        .count();
  }

  String folder(String table) {
    return warehouse.resolve(table).toString();
  }
}
