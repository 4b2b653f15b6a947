package io.strandline.samples.jdbctransactions;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.util.Random;

/**
 * A shop's own database, embedded in this program, whose transactions are always the same.
 *
 * <p>It holds a month of them. Every night brings new ones and corrects some, and a clerk writes
 * one more just now. Not for use by several threads.
 */
final class Shop {
  private static final LocalDateTime FIRST_OF_JUNE = LocalDateTime.of(2024, 6, 1, 8, 0);
  private static final int HISTORY = 2_000;
  private static final int NEW_A_NIGHT = 50;
  private static final int CHANGED_A_NIGHT = 10;
  private static final int SECONDS_BETWEEN = 1_200;
  private static final int ACCOUNTS = 90;
  private static final int MOST_CENTS = 100_000;

  private final String url;

  private Shop(String url) {
    this.url = url;
  }

  /** Opens the database of a folder; one that is new gets its month of transactions. */
  static Shop in(Path folder) {
    Shop shop = new Shop("jdbc:h2:file:" + folder.resolve("shop").toAbsolutePath());

    if (!shop.isThere()) {
      shop.execute(
          "CREATE TABLE \"Transactions\" (\"TransactionID\" BIGINT PRIMARY KEY, \"AccountID\" INT,"
              + " \"Amount\" DECIMAL(18, 2), \"Status\" VARCHAR(10), \"ModifiedDate\" TIMESTAMP(6)"
              + " NOT NULL)");
      shop.execute("CREATE INDEX \"ByModifiedDate\" ON \"Transactions\" (\"ModifiedDate\")");
      shop.insert(1, HISTORY);
    }

    return shop;
  }

  String url() {
    return url;
  }

  /** Returns how many transactions there are. */
  long size() {
    return number("SELECT COUNT(*) FROM \"Transactions\"");
  }

  /** Lets a night pass: new transactions, and some of the old ones are settled. */
  void passNight() {
    long last = number("SELECT MAX(\"TransactionID\") FROM \"Transactions\"");
    insert(last + 1, last + NEW_A_NIGHT);
    execute(
        "UPDATE \"Transactions\" SET \"Status\" = 'settled', \"ModifiedDate\" = (SELECT"
            + " MAX(\"ModifiedDate\") FROM \"Transactions\") WHERE \"TransactionID\" > "
            + (last - CHANGED_A_NIGHT)
            + " AND \"TransactionID\" <= "
            + last);
  }

  /** Lets a clerk write a transaction just now. */
  void writeOneNow() {
    execute(
        "INSERT INTO \"Transactions\" SELECT MAX(\"TransactionID\") + 1, 1, 9.99, 'open',"
            + " CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS TIMESTAMP) FROM \"Transactions\"");
  }

  private void insert(long from, long to) {
    Random random = new Random(from);

    try (Connection connection = connect();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO \"Transactions\" VALUES (?, ?, ?, ?, ?)")) {
      for (long id = from; id <= to; id++) {
        insert.setLong(1, id);
        insert.setInt(2, 1 + random.nextInt(ACCOUNTS));
        insert.setBigDecimal(3, BigDecimal.valueOf(random.nextInt(MOST_CENTS), 2));
        insert.setString(4, "open");
        insert.setObject(5, FIRST_OF_JUNE.plusSeconds(id * SECONDS_BETWEEN));
        insert.addBatch();
      }

      insert.executeBatch();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean isThere() {
    return number(
            "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 'Transactions'")
        > 0;
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(url);
  }

  private long number(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void execute(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
