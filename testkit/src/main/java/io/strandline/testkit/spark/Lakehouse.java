package io.strandline.testkit.spark;

import io.strandline.testkit.fake.Rows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one test: a schema and a folder of its own, both gone after the test.
 *
 * <p>Comes from {@link LakehouseExtension}. Safe for use by several threads of the test.
 */
public final class Lakehouse {
  private static final int ROWS_SHOWN = 20;

  private final SparkSession spark;
  private final String schema;
  private final Path folder;

  private Lakehouse(SparkSession spark, String schema, Path folder) {
    this.spark = spark;
    this.schema = schema;
    this.folder = folder;
  }

  static Lakehouse create(SparkSession spark, String schema, Path folder) {
    spark.sql("CREATE DATABASE " + schema);
    spark.catalog().setCurrentDatabase(schema);
    return new Lakehouse(spark, schema, folder);
  }

  /** Returns the session of the test, of which the current schema is the test's own. */
  public SparkSession spark() {
    return spark;
  }

  /** Returns the name of the test's schema. */
  public String schema() {
    return schema;
  }

  /**
   * Returns the full name of a table of this test, whether it exists or not.
   *
   * @param name the name of the table, without schema; letters, digits and underscores
   * @return the name with the schema
   */
  public String table(String name) {
    return schema + "." + name;
  }

  /**
   * Returns a folder of this test, for tables that have no name in the catalog.
   *
   * @param name the name of the folder
   * @return its path; the folder itself is not made
   */
  public String path(String name) {
    return folder.resolve(name).toString();
  }

  /**
   * Makes a dataset of rows.
   *
   * <p>Numbers and text become what the schema says, so that {@code 1} does for a BIGINT and {@code
   * "3.00"} for a DECIMAL.
   *
   * @param schemaDdl columns and types, such as {@code id BIGINT, amount DECIMAL(18, 2), at
   *     TIMESTAMP}
   * @param rows the rows, made by {@code RowFactory.create}
   * @return the dataset
   */
  public Dataset<Row> dataset(String schemaDdl, Row... rows) {
    StructType type = StructType.fromDDL(schemaDdl);
    return spark.createDataFrame(
        Arrays.stream(rows).map(row -> SparkValues.fitted(type, row)).toList(), type);
  }

  /**
   * Makes a dataset of rows, taking columns by name.
   *
   * @param schemaDdl columns and types; a column that the rows lack is null
   * @param rows the rows
   * @return the dataset
   */
  public Dataset<Row> dataset(String schemaDdl, Rows rows) {
    String[] names = StructType.fromDDL(schemaDdl).fieldNames();
    return dataset(
        schemaDdl,
        rows.stream()
            .map(row -> RowFactory.create(Arrays.stream(names).map(row::get).toArray()))
            .toArray(Row[]::new));
  }

  /**
   * Reads a dataset into memory.
   *
   * @param dataset the dataset, a small one
   * @return its rows, with values of {@code java.time} for times, whatever the session says
   */
  public static Rows collect(Dataset<Row> dataset) {
    String[] names = dataset.columns();
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();

    for (Row row : dataset.collectAsList()) {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();

      for (int i = 0; i < names.length; i++) {
        values.put(names[i], SparkValues.canonical(row.get(i)));
      }

      rows.add(values);
    }

    return Rows.columns(names).concat(Rows.of(rows));
  }

  /**
   * Appends rows to a table of this test, making it first if it is not there.
   *
   * @param name the name of the table, without schema
   * @param rows the rows
   * @return the full name of the table
   */
  public String append(String name, Dataset<Row> rows) {
    rows.write().format("delta").mode("append").saveAsTable(table(name));
    return table(name);
  }

  /**
   * Counts the Spark jobs that an action runs.
   *
   * @param action what to run; nothing else may run meanwhile
   * @return how many jobs it ran
   */
  public long jobsOf(Runnable action) {
    AtomicInteger jobs = new AtomicInteger();
    SparkListener listener =
        new SparkListener() {
          @Override
          public void onJobStart(SparkListenerJobStart start) {
            jobs.incrementAndGet();
          }
        };
    awaitEvents();
    spark.sparkContext().addSparkListener(listener);

    try {
      action.run();
      awaitEvents();
      return jobs.get();
    } finally {
      spark.sparkContext().removeSparkListener(listener);
    }
  }

  /** Listeners are told later, on a thread of their own; nothing public waits for it. */
  private void awaitEvents() {
    try {
      spark.sparkContext().listenerBus().waitUntilEmpty();
    } catch (TimeoutException e) {
      throw new IllegalStateException("Cannot count jobs: Spark does not tell its events.", e);
    }
  }

  /** Returns what a person wants to see of a test that failed: histories and rows of its tables. */
  String report(String test) {
    StringBuilder report = new StringBuilder("Tables of the failed test " + test + ":\n");
    tables().forEach(table -> report.append(describe(table)));
    return report.toString();
  }

  private Stream<String> tables() {
    Stream<String> named =
        spark.sql("SHOW TABLES IN " + schema).where("NOT isTemporary").collectAsList().stream()
            .map(row -> table(row.getString(row.fieldIndex("tableName"))));
    String[] folders = folder.toFile().list();
    Stream<String> unnamed =
        Arrays.stream(folders == null ? new String[0] : folders)
            .map(folder::resolve)
            .filter(path -> Files.exists(path.resolve("_delta_log")))
            .map(path -> "delta.`" + path + "`");
    return Stream.concat(named, unnamed);
  }

  private String describe(String table) {
    try {
      return "\n"
          + table
          + ", history:\n"
          + lines(
              spark
                  .sql("DESCRIBE HISTORY " + table)
                  .select("version", "operation", "operationMetrics", "userMetadata"))
          + table
          + ", first rows:\n"
          + lines(spark.table(table));
    } catch (RuntimeException e) {
      return "\n" + table + " cannot be shown: " + e.getMessage() + "\n";
    }
  }

  private static String lines(Dataset<Row> rows) {
    return collect(rows.limit(ROWS_SHOWN)).toString().indent(2);
  }

  void drop() {
    spark.sql("DROP DATABASE IF EXISTS " + schema + " CASCADE");
    Folders.delete(folder);
  }

  /** Returns the name of the schema. */
  @Override
  public String toString() {
    return "lakehouse " + schema;
  }
}
