package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.jdbc.JdbcDialects;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The driver's own connection to a database, for questions that have one row of an answer.
 *
 * <p>It is opened as Spark opens those of its tasks. For use by one thread.
 */
final class JdbcSession implements AutoCloseable {
  private final String task;
  private final JdbcDatabase.Login login;
  private final SqlDialect dialect;
  private final Connection connection;

  private JdbcSession(
      String task, JdbcDatabase.Login login, SqlDialect dialect, Connection connection) {
    this.task = task;
    this.login = login;
    this.dialect = dialect;
    this.connection = connection;
  }

  /**
   * Logs in.
   *
   * @param task what is done, as it follows "Cannot"
   * @param login how to log in
   * @param dialect the database's SQL
   * @param start the statement to begin with; empty if there is none
   * @return the session
   * @throws Problem if the database does not answer, or does not let the user in
   */
  static JdbcSession open(String task, JdbcDatabase.Login login, SqlDialect dialect, String start) {
    Connection opened = null;

    try {
      Map<String, String> all = new TreeMap<>(login.options());
      JDBCOptions options =
          new JDBCOptions(
              login.url(),
              "none",
              scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(all)));
      opened = JdbcDialects.get(login.url()).createConnectionFactory(options).apply(-1);
      JdbcSession session = new JdbcSession(task, login, dialect, opened);

      if (!start.isEmpty()) {
        session.execute(start);
      }

      return session;
    } catch (Exception e) {
      // Spark throws the driver's checked exceptions without declaring them.
      if (opened != null) {
        closeAfter(e, opened);
      }

      throw failed(task, login, e);
    }
  }

  private static void closeAfter(Exception e, Connection opened) {
    try {
      opened.close();
    } catch (SQLException closing) {
      e.addSuppressed(closing);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Explains a failure of the database, or of Spark when it reads it, without any secret. */
  static Problem failed(String task, JdbcDatabase.Login login, Exception e) {
    if (e instanceof Problem problem) {
      return problem;
    }

    Throwable first = e;

    while (!(first instanceof SQLException) && first.getCause() != null) {
      first = requireNonNull(first.getCause());
    }

    String reason =
        login
            .withoutSecrets(String.valueOf(first.getMessage()))
            .strip()
            .lines()
            .findFirst()
            .orElse("");
    String sentence = reason.endsWith(".") ? reason.substring(0, reason.length() - 1) : reason;
    String remedy = "These are the words of the database, or of Spark when it read there.";
    return login.isShownBy(e)
        ? new Problem(ProblemKind.FAILED, task, sentence, remedy)
        : new Problem(ProblemKind.FAILED, task, sentence, remedy, e);
  }

  /**
   * Asks for one row.
   *
   * @param sql the query
   * @return the row's values as text; none if there is no row
   * @throws Problem if the database refuses
   */
  List<@Nullable String> row(String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<@Nullable String> values = new ArrayList<>();

      if (rows.next()) {
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          values.add(rows.getString(i));
        }
      }

      return values;
    } catch (SQLException e) {
      throw failed(task, login, e);
    }
  }

  /** Asks for a number. */
  long number(String sql) {
    return Long.parseLong(requireNonNull(row(sql).get(0), sql));
  }

  /**
   * Asks what columns a query has; no row is read.
   *
   * @param sql the query
   * @return its columns
   * @throws Problem if the database refuses
   */
  List<JdbcColumn> columns(String sql) {
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet none = statement.executeQuery()) {
      ResultSetMetaData found = none.getMetaData();
      List<JdbcColumn> columns = new ArrayList<>();

      for (int i = 1; i <= found.getColumnCount(); i++) {
        String nativeType = found.getColumnTypeName(i).toLowerCase(Locale.ROOT);
        columns.add(
            new JdbcColumn(
                found.getColumnLabel(i),
                dialect.kindOf(found.getColumnType(i), nativeType),
                nativeType,
                dialect.fraction(nativeType, found.getScale(i)),
                found.isNullable(i) == ResultSetMetaData.columnNoNulls
                    ? JdbcColumn.Nulls.NEVER
                    : JdbcColumn.Nulls.POSSIBLE));
      }

      return columns;
    } catch (SQLException e) {
      throw failed(task, login, e);
    }
  }

  /** Asks what time it is, in whole microseconds. */
  Instant now() {
    return instant(requireNonNull(row(dialect.clock()).get(0), "now"));
  }

  /**
   * Asks since when transactions have been open.
   *
   * @return the answer; empty if the database, or this user, cannot tell
   */
  Optional<OpenTransactions> openTransactions() {
    return dialect.openTransactions().flatMap(this::openTransactions);
  }

  private Optional<OpenTransactions> openTransactions(String sql) {
    try {
      List<@Nullable String> told = row(sql);
      String oldest = told.get(1);

      if (!"1".equals(told.get(0))) {
        return Optional.empty();
      }

      return Optional.of(new OpenTransactions(oldest == null ? Instant.MAX : instant(oldest)));
    } catch (Problem e) {
      // Most databases tell it to some users only.
      return Optional.empty();
    }
  }

  /**
   * What is known of the transactions that are open.
   *
   * @param oldest when the oldest began; the greatest instant if none is open
   */
  record OpenTransactions(Instant oldest) {}

  /** Asks which row versions are complete, if the database tells. */
  Optional<Watermark> lowestOpenRowVersion() {
    return dialect.lowestOpenRowVersion().map(sql -> Watermark.of(number(sql)));
  }

  /**
   * Reads a value as it is transported.
   *
   * @param kind the kind of watermark
   * @param text the value; null if there is none
   * @return the watermark, whole microseconds; the start if there is none
   */
  static Watermark watermark(WatermarkKind kind, @Nullable String text) {
    if (text == null) {
      return Watermark.start();
    }

    return switch (kind) {
      case TIMESTAMP -> Watermark.at(instant(text));
      case LOCAL_TIMESTAMP -> Watermark.at(local(text));
      case DATE -> Watermark.on(LocalDate.parse(text.substring(0, "uuuu-MM-dd".length())));
      case INTEGER -> Watermark.of(new BigDecimal(text).longValueExact());
      case DECIMAL -> Watermark.of(new BigDecimal(text));
      case TEXT -> Watermark.of(text);
      case START, VERSION, COMPOSITE -> throw new IllegalArgumentException(kind.word());
    };
  }

  private static Instant instant(String text) {
    String local = text.endsWith("Z") ? text.substring(0, text.length() - 1) : text;
    return local(local).toInstant(ZoneOffset.UTC);
  }

  private static LocalDateTime local(String text) {
    return LocalDateTime.parse(text.replace(' ', 'T')).truncatedTo(ChronoUnit.MICROS);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw failed(task, login, e);
    }
  }
}
