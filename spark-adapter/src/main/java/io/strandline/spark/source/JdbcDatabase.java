package io.strandline.spark.source;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A database that is reached over JDBC: where it is, and how one logs in.
 *
 * <p>The password is asked for each time a connection is planned, so that it may change, and it
 * reaches no message, log, plan or receipt. Instead of a password, Spark's connection providers can
 * log in, such as the one for Kerberos: name what they want with {@link #option}.
 *
 * <p>Known are H2, PostgreSQL, MariaDB, MySQL, SQL Server and Oracle. The driver is the host's.
 *
 * <p>Immutable: every method returns another one. Safe for use by several threads, if the supplier
 * of the password is.
 */
public final class JdbcDatabase {
  private static final Pattern CREDENTIALS =
      Pattern.compile(
          "(password|passwd|pwd|secret|token)\\w*\\s*=|//[^/@?;]*:[^/@?;]*@|thin:[^/@]+/[^@]*@",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern SECRET =
      Pattern.compile("pass|pwd|secret|token|credential", Pattern.CASE_INSENSITIVE);

  /** What the source itself says, or what would change which rows are read. */
  private static final Set<String> OWN_OPTIONS =
      Set.of(
          "url",
          "dbtable",
          "query",
          "preparequery",
          "user",
          "password",
          "partitioncolumn",
          "lowerbound",
          "upperbound",
          "numpartitions",
          "fetchsize",
          "sessioninitstatement",
          "isolationlevel",
          "prefertimestampntz",
          "customschema");

  private final String url;
  private final @Nullable String user;
  private final @Nullable Supplier<String> password;
  private final Map<String, String> options;

  private JdbcDatabase(
      String url,
      @Nullable String user,
      @Nullable Supplier<String> password,
      Map<String, String> options) {
    this.url = url;
    this.user = user;
    this.password = password;
    this.options = options;
  }

  /**
   * Names a database.
   *
   * @param url its JDBC address, without user and password
   * @return the database
   * @throws IllegalArgumentException if it is no JDBC address, or has a password in it
   */
  public static JdbcDatabase at(String url) {
    if (CREDENTIALS.matcher(url).find()) {
      throw new IllegalArgumentException(
          "Cannot take the address of the database: it has a password in it, which logs and plans"
              + " would show. Leave it out, and call loggedInAs(..).");
    }

    if (!url.regionMatches(true, 0, "jdbc:", 0, "jdbc:".length())) {
      throw new IllegalArgumentException(
          "Cannot take '" + url + "' for the address of a database: it must begin with jdbc:.");
    }

    return new JdbcDatabase(url, null, null, Map.of());
  }

  /**
   * Names the user who logs in, and says where the password comes from.
   *
   * @param newUser the user
   * @param newPassword gives the password; called for every plan
   * @return the database
   */
  public JdbcDatabase loggedInAs(String newUser, Supplier<String> newPassword) {
    return new JdbcDatabase(
        url, requireNonNull(newUser, "user"), requireNonNull(newPassword, "password"), options);
  }

  /**
   * Sets an option of Spark's JDBC source or of the driver, such as {@code driver}, {@code keytab}
   * or {@code queryTimeout}.
   *
   * @param name the name
   * @param value the value
   * @return the database
   * @throws IllegalArgumentException if it is an option that is said by a method of its own, here
   *     or in {@link JdbcTableSource}
   */
  public JdbcDatabase option(String name, String value) {
    if (OWN_OPTIONS.contains(name.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException(
          "Cannot set option '" + name + "' of the database: the source sets it by itself.");
    }

    Map<String, String> more = new TreeMap<>(options);
    more.put(name, requireNonNull(value, "value"));
    return new JdbcDatabase(url, user, password, Map.copyOf(more));
  }

  String url() {
    return url;
  }

  /** Returns all that Spark's JDBC source must be told to log in, the password included. */
  Login login() {
    Map<String, String> all = new TreeMap<>(options);
    List<String> secrets = new ArrayList<>();
    options.forEach(
        (name, value) -> {
          if (SECRET.matcher(name).find()) {
            secrets.add(value);
          }
        });

    if (user != null && password != null) {
      String secret = requireNonNull(password.get(), "password");
      all.put("user", user);
      all.put("password", secret);
      secrets.add(secret);
    }

    return new Login(url, Map.copyOf(all), List.copyOf(secrets));
  }

  /** Returns the address without its parameters. */
  @Override
  public String toString() {
    return url.split("[?;]", 2)[0];
  }

  /** What is needed to log in once; its text shows nothing of it. */
  static final class Login {
    private final String url;
    private final Map<String, String> options;
    private final List<String> secrets;

    private Login(String url, Map<String, String> options, List<String> secrets) {
      this.url = url;
      this.options = options;
      this.secrets = secrets;
    }

    String url() {
      return url;
    }

    Map<String, String> options() {
      return options;
    }

    /** Tells whether a text, or what caused a failure, shows a secret. */
    boolean isShownBy(@Nullable Throwable failure) {
      for (Throwable e = failure; e != null; e = e.getCause()) {
        String message = String.valueOf(e.getMessage());

        if (secrets.stream().anyMatch(secret -> !secret.isEmpty() && message.contains(secret))) {
          return true;
        }
      }

      return false;
    }

    /** Returns a text with stars instead of secrets. */
    String withoutSecrets(String text) {
      String clean = text;

      for (String secret : secrets) {
        clean = secret.isEmpty() ? clean : clean.replace(secret, "***");
      }

      return clean;
    }
  }
}
