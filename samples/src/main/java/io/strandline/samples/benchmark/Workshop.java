package io.strandline.samples.benchmark;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Where the tables of the benchmark are made: those that are kept, and those of one trial.
 *
 * <p>A table that is kept is built once, in a folder of another name, which takes its own when all
 * is written; so what is there is whole. A target of a trial is a shallow clone of a kept one: it
 * has the same files, costs a commit, and knows of no run that was ever made into the kept one.
 */
final class Workshop implements AutoCloseable {
  private static final long ROWS_PER_FILE = 250_000;
  private static final long LANDINGS_BEFORE = 10;

  private final SparkSession spark;
  private final Path kept;
  private final Path trials;
  private final Quantities quantities;
  private int made;

  /**
   * Opens a workshop.
   *
   * @param spark the session
   * @param folder for all tables
   * @param quantities how much of everything
   */
  Workshop(SparkSession spark, Path folder, Quantities quantities) {
    this.spark = spark;
    this.kept = folder;
    this.trials = folder.resolve("trials");
    this.quantities = quantities;
    // What a killed benchmark has left.
    delete(trials);
  }

  SparkSession spark() {
    return spark;
  }

  Quantities quantities() {
    return quantities;
  }

  /** Makes a folder that is gone at the end, if not before. */
  Path newFolder(String name) {
    try {
      made++;
      return Files.createDirectories(trials.resolve(made + "-" + name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Makes a scene in which no target is yet.
   *
   * @param folder the folder of its contender
   * @param landed what has landed
   * @param range what of it is new
   */
  Scene scene(Path folder, Scene.Landed landed, Scene.Range range) {
    return new Scene(spark, "orders", landed, range, folder, folder.resolve("etl_watermark"));
  }

  /** Removes a folder, if it is there. */
  static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }

    try {
      MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a target that holds the first orders there are, a quarter of a million in each file.
   *
   * @param shape what they look like
   * @param rows how many
   */
  Path target(OrderShape shape, long rows) {
    return kept(
        "target-" + shape.inWords() + "-" + rows,
        table ->
            write(shape.typed(shape.landed(OrderShape.firstEditions(numbers(0, rows)))), table));
  }

  /**
   * Returns a table that orders have landed in: the latest ones of a target, ten landings of them,
   * then an increment.
   *
   * @param shape what they look like
   * @param targetRows the rows of the target
   * @param increment what lands last
   */
  Path landed(OrderShape shape, long targetRows, Increment increment) {
    long rows = quantities.incrementRows();
    return kept(
        String.join(
            "-",
            "landed",
            shape.inWords(),
            increment.inWords(),
            Long.toString(targetRows),
            Long.toString(rows)),
        table -> {
          for (long left = landingsBefore(targetRows); left > 0; left--) {
            long from = Math.max(0, targetRows - left * rows);
            Dataset<Row> ids = numbers(from, targetRows - (left - 1) * rows);
            write(shape.landed(OrderShape.firstEditions(ids)), table);
          }

          if (increment != Increment.NONE) {
            write(shape.landed(increment.numbers(numbers(0, rows), targetRows, rows)), table);
          }
        });
  }

  /** Returns how many landings come before the increment, each a version of the table. */
  long landingsBefore(long targetRows) {
    long rows = quantities.incrementRows();
    return Math.min(LANDINGS_BEFORE, (targetRows + rows - 1) / rows);
  }

  /** Returns a table that the first orders there are have landed in. */
  Path landedAll(OrderShape shape, long rows) {
    return kept(
        "landed-" + shape.inWords() + "-all-" + rows,
        table -> write(shape.landed(OrderShape.firstEditions(numbers(0, rows))), table));
  }

  /**
   * Returns one of several tables that the first orders there are have landed in.
   *
   * @param number which of them
   */
  Path landedOf(int number, OrderShape shape, long rows) {
    return kept(
        "landed-" + shape.inWords() + "-all-" + rows + "-" + number,
        table -> write(shape.landed(OrderShape.firstEditions(numbers(0, rows))), table));
  }

  private Path kept(String name, Building building) {
    Path table = kept.resolve(name);

    if (!Files.exists(table)) {
      Path unfinished = kept.resolve("unfinished-" + name);
      delete(unfinished);
      building.buildIn(unfinished);

      try {
        Files.move(unfinished, table);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    return table;
  }

  private interface Building {
    void buildIn(Path table);
  }

  private Dataset<Row> numbers(long from, long to) {
    int files = Math.toIntExact(Math.max(1, (to - from + ROWS_PER_FILE - 1) / ROWS_PER_FILE));
    return spark.range(from, to, 1, files).toDF();
  }

  private static void write(Dataset<Row> rows, Path table) {
    rows.write().format("delta").mode("append").save(table.toString());
  }

  /**
   * Makes the target of a scene that holds what a kept one holds.
   *
   * @param scene the scene
   * @param layout how it is laid out
   */
  void cloneTarget(Scene scene, TargetLayout layout) {
    String target = sql(scene.target());
    spark.sql(
        "CREATE TABLE "
            + target
            + " SHALLOW CLONE "
            + sql(target(scene.shape(), scene.range().targetRows())));
    layOut(target, layout);
  }

  /**
   * Makes the target of a scene, without rows, unless the load makes it.
   *
   * @param scene the scene
   * @param layout how it is laid out
   */
  void emptyTarget(Scene scene, TargetLayout layout) {
    if (layout == TargetLayout.MADE_BY_THE_LOAD) {
      return;
    }

    OrderShape shape = scene.shape();
    write(
        shape.typed(shape.landed(OrderShape.firstEditions(numbers(0, 1)))).limit(0),
        scene.target());
    layOut(sql(scene.target()), layout);
  }

  private void layOut(String target, TargetLayout layout) {
    spark.sql(
        "ALTER TABLE "
            + target
            + " SET TBLPROPERTIES ('delta.enableDeletionVectors' = '"
            + (layout != TargetLayout.PLAIN)
            + "')");
  }

  private static String sql(Path table) {
    return "delta.`" + table.toString().replace("`", "``") + "`";
  }

  @Override
  public void close() {
    delete(trials);
  }
}
