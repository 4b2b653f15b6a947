package io.strandline.spark.source;

import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.when;

import io.strandline.spark.internal.Columns;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * The rows of a table or query in a database, as SQL and as Spark reads them.
 *
 * <p>Spark reads times by way of the JVM's own zone and an old calendar, so they travel as text.
 * Columns that rows are chosen by travel beside it as they are, for conditions only. Immutable.
 */
final class JdbcRows {
  /** The column in which the database computes the expression of a cursor. */
  static final String COMPUTED = "strandline_computed";

  /** What the rows are called within a query. */
  static final String ALIAS = "strandline_rows";

  /** What Spark calls the columns: it does not quote every name that a database allows. */
  private static final String READ = "strandline_column_";

  private static final String RAW = "strandline_raw_";

  private final SparkSession spark;
  private final JdbcDatabase.Login login;
  private final Map<String, String> readerOptions;
  private final SqlDialect dialect;
  private final String from;
  private final List<JdbcColumn> columns;
  private final List<JdbcColumn> chosenBy;
  private final Map<String, String> expressions;

  /**
   * Names rows.
   *
   * @param spark the session that reads
   * @param login how to log in
   * @param readerOptions what Spark's JDBC source is told beside that
   * @param dialect the database's SQL
   * @param from what stands behind FROM
   * @param columns the columns of the rows
   * @param chosenBy those of them that conditions are of
   * @param expressions the columns that are computed, and how
   */
  JdbcRows(
      SparkSession spark,
      JdbcDatabase.Login login,
      Map<String, String> readerOptions,
      SqlDialect dialect,
      String from,
      List<JdbcColumn> columns,
      List<JdbcColumn> chosenBy,
      Map<String, String> expressions) {
    this.spark = spark;
    this.login = login;
    this.readerOptions = Map.copyOf(readerOptions);
    this.dialect = dialect;
    this.from = from;
    this.columns = List.copyOf(columns);
    this.chosenBy = List.copyOf(chosenBy);
    this.expressions = Map.copyOf(expressions);
  }

  /** Returns a column as it is written in a query of its own. */
  String sql(JdbcColumn column) {
    String expression = expressions.get(column.name());
    return expression == null ? dialect.quoted(column.name()) : "(" + expression + ")";
  }

  /** Returns the part of a query that names rows. */
  String fromWhere(String condition) {
    return "FROM " + from + " WHERE " + condition;
  }

  /** Returns where the columns of conditions stand in a query of its own. */
  Map<String, SqlConditions.Place> places() {
    Map<String, SqlConditions.Place> places = new HashMap<>();
    chosenBy.forEach(
        column -> places.put(column.name(), new SqlConditions.Place(column, sql(column))));
    return places;
  }

  /** Returns where they stand in what Spark reads. */
  Map<String, SqlConditions.Place> placesWhenRead() {
    Map<String, SqlConditions.Place> places = new HashMap<>();

    for (int i = 0; i < chosenBy.size(); i++) {
      JdbcColumn column = chosenBy.get(i);
      places.put(column.name(), new SqlConditions.Place(column, dialect.quoted(RAW + i)));
    }

    return places;
  }

  /** Returns all rows; they are asked for only when they are computed. */
  Dataset<Row> all() {
    return restored(reader().jdbc(login.url(), asTable(), new Properties()));
  }

  /**
   * Returns the rows of several conditions that exclude each other.
   *
   * @param conditions the conditions, each for a task of its own
   */
  Dataset<Row> where(List<String> conditions) {
    return restored(
        reader().jdbc(login.url(), asTable(), conditions.toArray(new String[0]), new Properties()));
  }

  private DataFrameReader reader() {
    return spark.read().options(login.options()).options(readerOptions);
  }

  private String asTable() {
    List<String> selected = new ArrayList<>();

    for (int i = 0; i < columns.size(); i++) {
      JdbcColumn column = columns.get(i);
      selected.add(dialect.transported(column, sql(column)) + " AS " + dialect.quoted(READ + i));
    }

    for (int i = 0; i < chosenBy.size(); i++) {
      selected.add(sql(chosenBy.get(i)) + " AS " + dialect.quoted(RAW + i));
    }

    return selected.stream()
        .collect(joining(", ", "(SELECT ", " FROM " + from + ") strandline_read"));
  }

  private Dataset<Row> restored(Dataset<Row> read) {
    return read.select(
        IntStream.range(0, columns.size())
            .mapToObj(
                i -> restored(columns.get(i), Columns.col(READ + i)).as(columns.get(i).name()))
            .toArray(Column[]::new));
  }

  private static Column restored(JdbcColumn column, Column read) {
    return switch (column.kind()) {
      case INSTANT -> parsed(column, read, DataTypes.TimestampType);
      case LOCAL_TIMESTAMP -> parsed(column, read, DataTypes.TimestampNTZType);
      case DATE -> parsed(column, read, DataTypes.DateType);
      case ROW_VERSION, TEXT, OTHER -> read;
    };
  }

  /** What is no time, such as infinity, fails whatever the session says of casts. */
  private static Column parsed(JdbcColumn column, Column read, DataType type) {
    return coalesce(
        read.try_cast(type),
        when(
            read.isNotNull(),
            raise_error(
                    concat(lit("Column '" + column.name() + "' holds a time that is none: "), read))
                .cast(type)));
  }
}
