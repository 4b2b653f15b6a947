package io.strandline.samples.replaycases;

import static java.util.stream.Collectors.joining;

import io.strandline.source.Cursor;
import io.strandline.spark.source.JdbcDatabase;
import io.strandline.spark.source.JdbcTableSource;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;

/** The tables of a case in a database, which is gone when it is closed. */
final class JdbcSources implements AutoCloseable {
  private static final int INSTANT_DIGITS = 6;
  private static final int FINER_DIGITS = 9;

  private final String url;

  private JdbcSources(String url) {
    this.url = url;
  }

  /** Names a database in this JVM; it is made when it is first used. */
  static JdbcSources named(String name) {
    // Names in an expression keep their case, as those of the columns do.
    return new JdbcSources("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1;DATABASE_TO_UPPER=FALSE");
  }

  /** Makes the table of a case, or makes it anew with other columns and rows. */
  void make(CaseTable table, SourceRows rows) {
    String columns =
        rows.types().entrySet().stream()
            .map(column -> quoted(column.getKey()) + " " + type(table, column))
            .collect(joining(", "));
    execute("DROP TABLE IF EXISTS " + quoted(table.name()));
    execute("CREATE TABLE " + quoted(table.name()) + " (" + columns + ")");
    append(table, rows);
  }

  void append(CaseTable table, SourceRows rows) {
    String marks = rows.types().keySet().stream().map(column -> "?").collect(joining(", "));
    String names = rows.types().keySet().stream().map(JdbcSources::quoted).collect(joining(", "));

    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO "
                    + quoted(table.name())
                    + " ("
                    + names
                    + ") VALUES ("
                    + marks
                    + ")")) {
      for (Map<String, @Nullable Object> row : rows.rows()) {
        int i = 0;

        for (String column : rows.types().keySet()) {
          i++;
          insert.setObject(i, forJdbc(row.get(column)));
        }

        insert.executeUpdate();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Declares the source of a case's table. */
  JdbcTableSource source(SparkSession session, CaseTable table, Cursor cursor) {
    return JdbcTableSource.forTable(session, JdbcDatabase.at(url), quoted(table.name()))
        .newerBy(cursor);
  }

  private void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String quoted(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }

  private static String type(CaseTable table, Map.Entry<String, DataType> column) {
    DataType type = column.getValue();

    if (type instanceof TimestampType) {
      boolean isFiner =
          CaseValues.NANOSECONDS.equals(table.source().columns().get(column.getKey()));
      return "TIMESTAMP(" + (isFiner ? FINER_DIGITS : INSTANT_DIGITS) + ") WITH TIME ZONE";
    }

    if (type instanceof TimestampNTZType) {
      return "TIMESTAMP(" + INSTANT_DIGITS + ")";
    }

    if (type instanceof DateType) {
      return "DATE";
    }

    if (type instanceof DecimalType decimal) {
      return "NUMERIC(" + decimal.precision() + ", " + decimal.scale() + ")";
    }

    if (type instanceof LongType) {
      return "BIGINT";
    }

    if (type instanceof IntegerType) {
      return "INTEGER";
    }

    if (type instanceof ShortType) {
      return "SMALLINT";
    }

    if (type instanceof ByteType) {
      return "TINYINT";
    }

    if (type instanceof DoubleType) {
      return "DOUBLE PRECISION";
    }

    if (type instanceof FloatType) {
      return "REAL";
    }

    if (type instanceof BooleanType) {
      return "BOOLEAN";
    }

    return type instanceof BinaryType ? "VARBINARY" : "VARCHAR";
  }

  private static @Nullable Object forJdbc(@Nullable Object value) {
    if (value instanceof Instant instant) {
      return instant.atOffset(ZoneOffset.UTC);
    }

    if (value instanceof ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.duplicate().get(copy);
      return copy;
    }

    return value;
  }

  @Override
  public void close() {
    execute("SHUTDOWN");
  }
}
