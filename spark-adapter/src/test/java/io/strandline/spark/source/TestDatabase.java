package io.strandline.spark.source;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A database that no other test knows. */
final class TestDatabase {
  static final String PASSWORD = "hush-4711";

  private static final int MOST_LOOKS = 10_000;
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final String url;
  private final String user;

  private TestDatabase(String url, String user) {
    this.url = url;
    this.user = user;
  }

  /** Makes one of H2, in this JVM. */
  static TestDatabase h2() {
    TestDatabase made =
        new TestDatabase(
            "jdbc:h2:mem:strandline_" + DATABASES.incrementAndGet() + ";DB_CLOSE_DELAY=-1",
            "LOADER");
    made.run("SET QUERY_STATISTICS TRUE");
    return made;
  }

  /** Makes one of PostgreSQL, whose server all tests share. */
  static TestDatabase postgres() {
    String name = "strandline_" + DATABASES.incrementAndGet();
    server("postgres", "postgres").run("CREATE DATABASE " + name);
    return server(name, "postgres");
  }

  private static TestDatabase server(String database, String user) {
    return at("jdbc:postgresql://localhost:" + Postgres.SERVER.getPort() + "/" + database, user);
  }

  /** Finds one that somebody else has made, whose user has the {@link #PASSWORD}. */
  static TestDatabase at(String url, String user) {
    return new TestDatabase(url, user);
  }

  /** Returns the same database as another user sees it. */
  TestDatabase as(String otherUser) {
    return new TestDatabase(url, otherUser);
  }

  /** Started when it is first asked for, and stopped with the JVM. */
  private static final class Postgres {
    static final Path LOG = folder();
    static final EmbeddedPostgres SERVER = start();

    private static Path folder() {
      try {
        Path folder = Files.createTempDirectory("strandline-postgres");
        // The server runs as another user if the tests run as root.
        folder.toFile().setWritable(true, false);
        folder.toFile().setReadable(true, false);
        folder.toFile().setExecutable(true, false);
        return folder;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static EmbeddedPostgres start() {
      try {
        return EmbeddedPostgres.builder()
            .setServerConfig("log_statement", "all")
            .setServerConfig("logging_collector", "on")
            .setServerConfig("log_directory", LOG.toString())
            .setServerConfig("log_filename", "statements.log")
            .setServerConfig("log_file_mode", "0644")
            .start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Returns every statement that the server of PostgreSQL was sent so far. */
  List<String> statementsSent() {
    String mark = "mark " + DATABASES.incrementAndGet();
    texts("SELECT '" + mark + "'");

    for (int i = 0; i < MOST_LOOKS; i++) {
      List<String> lines = logged();

      if (lines.stream().anyMatch(line -> line.contains(mark))) {
        return lines;
      }

      // The log is written by another process; a question takes as long as that.
      texts("SELECT 1");
    }

    throw new AssertionError("The server does not write its log.");
  }

  private static List<String> logged() {
    try {
      return Files.readAllLines(Postgres.LOG.resolve("statements.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return url;
  }

  JdbcDatabase database() {
    return JdbcDatabase.at(url).loggedInAs(user, () -> PASSWORD);
  }

  Connection connect() {
    try {
      return DriverManager.getConnection(url, user, PASSWORD);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  void run(String... statements) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs a statement with values for its question marks, once for each row. */
  void insert(String sql, List<@Nullable Object[]> rows) {
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (@Nullable Object[] row : rows) {
        for (int i = 0; i < row.length; i++) {
          statement.setObject(i + 1, row[i]);
        }

        statement.addBatch();
      }

      statement.executeBatch();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the first column of a query's rows. */
  List<String> texts(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> texts = new ArrayList<>();

      while (rows.next()) {
        texts.add(rows.getString(1));
      }

      return texts;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
