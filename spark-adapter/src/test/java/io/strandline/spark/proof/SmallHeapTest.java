package io.strandline.spark.proof;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.length;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.repeat;
import static org.apache.spark.sql.functions.sha2;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.timestamp_seconds;
import static org.apache.spark.sql.functions.xxhash64;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.testkit.process.ChildProgram;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A range that is larger than the memory of the process, with keys that stand twice. */
@ExtendWith(LakehouseExtension.class)
class SmallHeapTest {
  private static final List<String> SMALL_HEAP = List.of("-Xmx512m", "-Xmn128m");
  private static final long ROWS = 140_000;
  private static final long KEYS = ROWS * 9 / 10;

  /** How often a hash of 128 characters stands in a note, which is short on disk alone. */
  private static final int REPEATS = 32;

  @TempDir Path folder;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void firstLoad_ofMoreThanFitsInMemory_mergesAllRows(Lakehouse lakehouse) {
    made(lakehouse)
        .write()
        .format("delta")
        .option(SmallHeapLoad.ROW_GROUP, SmallHeapLoad.ROW_GROUP_BYTES)
        .save(path("bronze"));
    Dataset<Row> bronze = lakehouse.spark().read().format("delta").load(path("bronze"));
    long bytes = bronze.agg(sum(length(col("note")))).head().getLong(0);

    try (ChildProgram load =
        ChildProgram.start(SMALL_HEAP, SmallHeapLoad.class, folder.toString())) {
      String merged = load.awaitLine(line -> line.startsWith("merged "));

      assertThat(merged).startsWith("merged " + KEYS + " in ");
      assertThat(Long.parseLong(merged.replaceAll(".* in (\\d+) bytes", "$1"))).isLessThan(bytes);
      load.finish();
    }

    Dataset<Row> silver = lakehouse.spark().read().format("delta").load(path("silver"));
    assertThat(content(silver))
        .isEqualTo(content(bronze.filter(col("modified_s").gt(ROWS - KEYS))));
  }

  /** The first keys stand twice: at the beginning, and newer at the end. */
  private static Dataset<Row> made(Lakehouse lakehouse) {
    return lakehouse
        .spark()
        .range(1, ROWS + 1)
        .select(
            col("id").mod(KEYS).as("id"),
            col("id").as("modified_s"),
            timestamp_seconds(col("id")).as("modified"),
            repeat(sha2(col("id").cast("string").cast("binary"), 512), REPEATS).as("note"));
  }

  /** Returns what tells rows from others, whatever their order. */
  private static Row content(Dataset<Row> rows) {
    return rows.agg(
            count(lit(1)),
            sum(col("id")),
            sum(xxhash64(col("id"), col("modified"), col("note")).cast("decimal(38,0)")))
        .head();
  }

  private String path(String table) {
    return folder.resolve(table).toString();
  }
}
