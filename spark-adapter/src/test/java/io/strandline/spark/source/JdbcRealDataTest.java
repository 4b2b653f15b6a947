package io.strandline.spark.source;

import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat_ws;
import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.strandline.source.Cursor;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;

/** Public data of real databases, loaded in steps; what comes out is what the files hold. */
@ExtendWith(LakehouseExtension.class)
class JdbcRealDataTest {
  private static final Path DATA = Path.of("..", "..", "shared", "data");
  private static final String TAB = "\t";

  private Lakehouse tables;

  @BeforeEach
  void requireData(Lakehouse lakehouse) {
    tables = lakehouse;
    assumeTrue(Files.isDirectory(DATA), "the data lies beside the project");
  }

  @ParameterizedTest
  @CsvSource({"payment, payment_id, payment_date", "customer, customer_id, last_update"})
  void sakila_overPostgres_isWhatTheFilesHold(String table, String key, String modified) {
    checkSakila(TestDatabase.postgres(), table, key, modified);
  }

  @ParameterizedTest
  @CsvSource({"payment, payment_id, payment_date"})
  void sakila_overH2_isWhatTheFilesHold(String table, String key, String modified) {
    checkSakila(TestDatabase.h2(), table, key, modified);
  }

  @ParameterizedTest
  @CsvSource({
    "actor, actor_id, last_update",
    "address, address_id, last_update",
    "city, city_id, last_update",
    "film, film_id, last_update",
    "inventory, inventory_id, last_update",
    "staff, staff_id, last_update",
    "store, store_id, last_update"
  })
  @Tag(MergeTargetContract.THOROUGH)
  void sakila_allOfIt_isWhatTheFilesHold(String table, String key, String modified) {
    checkSakila(TestDatabase.postgres(), table, key, modified);
    checkSakila(TestDatabase.h2(), table, key, modified);
  }

  @ParameterizedTest
  @CsvSource({"PurchaseOrderHeader, PurchaseOrderID"})
  void adventureWorks_overPostgres_isWhatTheFilesHold(String table, String key) {
    checkAdventureWorks(table, key);
  }

  @ParameterizedTest
  @CsvSource({
    "Address, AddressID",
    "CurrencyRate, CurrencyRateID",
    "Customer, CustomerID",
    "Product, ProductID"
  })
  @Tag(MergeTargetContract.THOROUGH)
  void adventureWorks_moreOfIt_isWhatTheFilesHold(String table, String key) {
    checkAdventureWorks(table, key);
  }

  private void checkSakila(TestDatabase database, String table, String key, String modified) {
    Path file = DATA.resolve("sakila").resolve(table + ".csv");
    Dataset<Row> held =
        tables
            .spark()
            .read()
            .option("header", true)
            .option("multiLine", true)
            .option("escape", "\"")
            .csv(file.toString());
    make(database, table, List.of(held.columns()), modified);

    if (database.url().startsWith("jdbc:h2")) {
      database.run(
          "INSERT INTO " + table + " SELECT * FROM CSVREAD('" + file.toAbsolutePath() + "')");
    } else {
      copy(database, table, file, "CSV, HEADER");
    }

    check(database, table, key, modified, held);
  }

  private void checkAdventureWorks(String table, String key) {
    TestDatabase database = TestDatabase.postgres();
    Path folder = DATA.resolve("adventureworks");
    String[] columns =
        tables
            .spark()
            .read()
            .option("header", true)
            .csv(folder.resolve(table + ".columns.csv").toString())
            .select("column")
            .collectAsList()
            .stream()
            .map(row -> row.getString(0))
            .toArray(String[]::new);
    Dataset<Row> held =
        tables
            .spark()
            .read()
            .option("sep", TAB)
            .option("quote", "")
            .csv(folder.resolve(table + ".csv").toString())
            .toDF(columns);
    make(database, table, List.of(columns), "ModifiedDate");
    copy(database, table, folder.resolve(table + ".csv"), "CSV, DELIMITER E'\\t', QUOTE E'\\b'");
    check(database, table, key, "ModifiedDate", held);
  }

  private static void make(
      TestDatabase database, String table, List<String> columns, String modified) {
    database.run(
        columns.stream()
            .map(
                column ->
                    "\"" + column + "\" " + (column.equals(modified) ? "TIMESTAMP(3)" : "VARCHAR"))
            .collect(joining(", ", "CREATE TABLE " + table + " (", ")")));
  }

  private static void copy(TestDatabase database, String table, Path file, String format) {
    try (Connection connection = database.connect();
        Reader reader = Files.newBufferedReader(file)) {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("COPY " + table + " FROM STDIN WITH (FORMAT " + format + ")", reader);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void check(
      TestDatabase database, String table, String key, String modified, Dataset<Row> held) {
    Map<String, String> loaded = new TreeMap<>();
    Follower follower = new Follower();
    JdbcTableSource source =
        JdbcTableSource.forTable(tables.spark(), database.database(), table)
            .newerBy(
                Cursor.on(modified).settledFor(Duration.ZERO).exclusive().atMost(held.count() / 2))
            .splitInto(2);
    int steps = 0;

    while (follower.plan(source) instanceof SourcePlan.Planned<Dataset<Row>> planned) {
      loaded.putAll(rows(planned.read().rows(), key, modified));
      follower.finish(planned);
      steps++;
    }

    assertThat(loaded).isEqualTo(rows(held, key, modified)).hasSize((int) held.count());
    assertThat(steps).isBetween(1, 3);
  }

  private static Map<String, String> rows(Dataset<Row> rows, String key, String modified) {
    Column[] columns =
        Stream.of(rows.columns())
            .map(
                column ->
                    column.equals(modified)
                        ? col(column).cast("timestamp_ntz").cast("string")
                        : coalesce(col(column), lit("none")))
            .toArray(Column[]::new);
    Map<String, String> texts = new TreeMap<>();

    for (Row row : rows.select(col(key), concat_ws("|", columns)).collectAsList()) {
      texts.put(row.getString(0), row.getString(1));
    }

    assertThat(Arrays.asList(rows.columns())).contains(key);
    return texts;
  }
}
