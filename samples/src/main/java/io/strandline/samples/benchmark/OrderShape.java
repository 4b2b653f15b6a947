package io.strandline.samples.benchmark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.row_number;
import static org.apache.spark.sql.functions.to_date;
import static org.apache.spark.sql.functions.trim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.expressions.Window;

/**
 * What orders look like: the columns of TPC-H's orders, as they land, all text, and cleaned.
 *
 * <p>An order is made from its number alone, so that every target of every size holds the same
 * orders, any of them can be changed without looking it up, and a hundred million of them take
 * minutes.
 */
enum OrderShape {
  /** Keys are numbers that go up, as from a sequence. */
  RISING("cast(id + 1 AS STRING)", 0),
  /** Keys are text without any order, as hashes and UUIDs are. */
  RANDOM("md5(cast(id AS STRING))", 0),
  /** Keys are numbers that go up, and there are 120 columns; the load time is the last. */
  WIDE("cast(id + 1 AS STRING)", 110);

  /** The key, cleaned. */
  static final String KEY = "order_key";

  /** The load time, both as it lands and cleaned. */
  static final String LOADED_AT = "_loaded_at";

  /** The number of an order. */
  static final String ID = "id";

  /** The place of a row among all that land, which its load time follows from. */
  static final String POSITION = "position";

  /** What makes one version of an order another than the last. */
  static final String EDITION = "edition";

  private static final Instant FIRST_LOADED = Instant.parse("2020-01-01T00:00:00Z");

  /** Every row has a time of its own, and no two share a millisecond. */
  private static final Duration BETWEEN_ROWS = Duration.ofNanos(1_001_000);

  private static final String WORDS =
      "array('carefully', 'quickly', 'final', 'regular', 'ironic', 'deposits', 'requests',"
          + " 'packages', 'accounts', 'sleep', 'nag', 'haggle', 'among', 'above', 'the', 'bold',"
          + " 'furiously', 'express', 'pending', 'theodolites', 'foxes', 'along', 'silent',"
          + " 'blithely')";

  private final String keySql;
  private final int further;

  OrderShape(String keySql, int further) {
    this.keySql = keySql;
    this.further = further;
  }

  /** Returns the name for folders. */
  String inWords() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the load time of a row.
   *
   * @param position its place among all rows that land, from 0
   */
  static Instant loadedAt(long position) {
    return FIRST_LOADED.plus(between(position));
  }

  /** Returns how much time lies between rows that are so many places apart. */
  static Duration between(long positions) {
    return BETWEEN_ROWS.multipliedBy(positions);
  }

  /**
   * Makes orders as they land.
   *
   * @param numbers the columns {@link #ID}, {@link #POSITION} and {@link #EDITION}
   */
  Dataset<Row> landed(Dataset<Row> numbers) {
    List<String> columns = new ArrayList<>();
    columns.add(keySql + " AS OrderKey");
    columns.add(number("custkey", 150_000) + " AS CustomerKey");
    columns.add("substr('OFP', 1 + " + drawn("status", 3) + ", 1) AS OrderStatus");
    columns.add(
        "cast(cast(pmod(xxhash64(id, edition), 50000000) / 100 AS DECIMAL(18, 2)) AS STRING)"
            + " AS TotalPrice");
    columns.add(
        "cast(date_add(DATE'1992-01-01', " + drawn("date", 2406) + ") AS STRING) AS OrderDate");
    columns.add(
        "element_at(array('1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'), 1 + "
            + drawn("priority", 5)
            + ") AS OrderPriority");
    columns.add("concat('Clerk#', lpad(" + number("clerk", 1000) + ", 9, '0')) AS Clerk");
    columns.add("'0' AS ShipPriority");
    columns.add(
        String.format(
            Locale.ROOT,
            "concat_ws(' ', %s, %s, %s, %s, %s) AS Comment",
            word(1),
            word(2),
            word(3),
            word(4),
            word(5)));

    for (int i = 1; i <= further; i++) {
      columns.add(
          isNumber(i)
              ? number("further" + i, 1_000_000) + " AS " + further(i)
              : "substr(hex(xxhash64(id, " + i + ")), 1, 8) AS " + further(i));
    }

    columns.add(
        "timestamp_micros("
            + micros(FIRST_LOADED)
            + " + position * "
            + BETWEEN_ROWS.toNanos() / 1000
            + ") AS "
            + LOADED_AT);
    return numbers.selectExpr(columns.toArray(String[]::new));
  }

  /**
   * Gives orders the columns and types of the target.
   *
   * @param landed orders as they land
   */
  Dataset<Row> typed(Dataset<Row> landed) {
    List<Column> columns = new ArrayList<>();
    Column key = trim(col("OrderKey"));
    columns.add((this == RANDOM ? key : key.cast("bigint")).as(KEY));
    columns.add(trim(col("CustomerKey")).cast("bigint").as("customer_key"));
    columns.add(trim(col("OrderStatus")).as("order_status"));
    columns.add(trim(col("TotalPrice")).cast("decimal(18,2)").as("total_price"));
    columns.add(to_date(col("OrderDate"), "yyyy-MM-dd").as("order_date"));
    columns.add(trim(col("OrderPriority")).as("order_priority"));
    columns.add(trim(col("Clerk")).as("clerk"));
    columns.add(trim(col("ShipPriority")).cast("int").as("ship_priority"));
    columns.add(trim(col("Comment")).as("comment"));

    for (int i = 1; i <= further; i++) {
      Column text = trim(col(further(i)));
      columns.add((isNumber(i) ? text.cast("int") : text).as(further(i).toLowerCase(Locale.ROOT)));
    }

    columns.add(col(LOADED_AT));
    return landed.select(columns.toArray(Column[]::new));
  }

  /**
   * Cleans orders as seed notebooks do: types, trimmed text, no row without a key, and one row per
   * order, newest first. Of a load of Strandline the last two are the target's affair.
   *
   * @param landed orders as they land
   */
  Dataset<Row> cleaned(Dataset<Row> landed) {
    Dataset<Row> withKey = typed(landed).filter(col(KEY).isNotNull());
    return withKey
        .withColumn(
            "_n", row_number().over(Window.partitionBy(col(KEY)).orderBy(col(LOADED_AT).desc())))
        .filter(col("_n").equalTo(1))
        .drop("_n");
  }

  /** Returns the key of orders as they land, in the type of the target. */
  Column landedKey() {
    Column key = trim(col("OrderKey"));
    return this == RANDOM ? key : key.cast("bigint");
  }

  /**
   * Says that orders land for the first time, in the order of their numbers.
   *
   * @param ids the column {@link #ID}
   */
  static Dataset<Row> firstEditions(Dataset<Row> ids) {
    return ids.select(col(ID), col(ID).as(POSITION), expr("cast(0 AS BIGINT)").as(EDITION));
  }

  private static String further(int i) {
    return String.format(Locale.ROOT, "Further%03d", i);
  }

  private static boolean isNumber(int i) {
    return i % 2 == 0;
  }

  private static String number(String what, int below) {
    return "cast(1 + " + drawn(what, below) + " AS STRING)";
  }

  private static String word(int i) {
    return "element_at(" + WORDS + ", 1 + " + drawn("word" + i, 24) + ")";
  }

  /** Draws a number by the order and what it is for. */
  private static String drawn(String what, int below) {
    return "cast(pmod(xxhash64(id, '" + what + "'), " + below + ") AS INT)";
  }

  private static long micros(Instant time) {
    return time.getEpochSecond() * 1_000_000;
  }
}
