package io.strandline.testkit.spark;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/**
 * Gives tests a local Spark session with Delta, and a schema with fresh tables each.
 *
 * <p>One Spark runs per JVM and is stopped when the last test has ended. Each test has a session of
 * its own, so that settings and temporary views stay apart, and a {@link Lakehouse}, whose tables
 * are dropped after it. When a test fails, its tables' histories and first rows are printed.
 *
 * <pre>{@code
 * @ExtendWith(LakehouseExtension.class)
 * class OrdersTest {
 *   @Test
 *   void run_withNewOrders_mergesThem(SparkSession spark, Lakehouse lakehouse) { .. }
 * }
 *
 * class OrdersInNewYorkTest {
 *   @RegisterExtension
 *   static final LakehouseExtension lakehouse =
 *       LakehouseExtension.local().with("spark.sql.session.timeZone", "America/New_York");
 * }
 * }</pre>
 *
 * <p>Tests on JDK 17 and newer need the {@code --add-opens} that Spark's own launcher gives. Safe
 * for use by tests that run in parallel, since each has its own tables.
 */
public final class LakehouseExtension
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(LakehouseExtension.class);
  private static final ThreadLocal<@Nullable Lakehouse> CURRENT = new ThreadLocal<>();

  private final Map<String, String> settings;

  /** Makes the extension with its own settings; for {@code @ExtendWith}. */
  public LakehouseExtension() {
    this(Map.of());
  }

  private LakehouseExtension(Map<String, String> settings) {
    this.settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }

  /** Returns an extension that runs Spark in the JVM of the tests. */
  public static LakehouseExtension local() {
    return new LakehouseExtension();
  }

  /**
   * Sets a setting of Spark in the session of every test.
   *
   * @param key the key, such as {@code spark.sql.session.timeZone}; one that can be set at run time
   * @param value the value
   * @return an extension with that setting as well
   */
  public LakehouseExtension with(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(key, value);
    return new LakehouseExtension(more);
  }

  /**
   * Returns the session of the test that runs on this thread.
   *
   * @throws IllegalStateException if no test runs on this thread
   */
  public SparkSession spark() {
    return lakehouse().spark();
  }

  /**
   * Returns the tables of the test that runs on this thread.
   *
   * @throws IllegalStateException if no test runs on this thread
   */
  public Lakehouse lakehouse() {
    Lakehouse lakehouse = CURRENT.get();

    if (lakehouse == null) {
      throw new IllegalStateException(
          "Cannot tell which test's lakehouse is meant: no test runs on this thread. Ask for it in"
              + " the test's own thread, or take it as a parameter.");
    }

    return lakehouse;
  }

  /**
   * Returns the full name of a table of the running test; see {@link Lakehouse#table}.
   *
   * @param name the name of the table
   * @return its name with the schema
   */
  public String table(String name) {
    return lakehouse().table(name);
  }

  /**
   * Returns a folder for a table of the running test; see {@link Lakehouse#path}.
   *
   * @param name the name of the folder
   * @return its path
   */
  public String path(String name) {
    return lakehouse().path(name);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Lakehouse lakehouse = lakehouse(context);
    SparkSession.setActiveSession(lakehouse.spark());
    CURRENT.set(lakehouse);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    context
        .getExecutionException()
        .filter(failure -> !(failure instanceof TestAbortedException))
        .ifPresent(
            failure -> System.err.println(lakehouse(context).report(context.getDisplayName())));
    SparkSession.clearActiveSession();
    CURRENT.remove();
  }

  @Override
  public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
    return ExtensionContextScope.TEST_METHOD;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == SparkSession.class || type == Lakehouse.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Lakehouse lakehouse = lakehouse(context);
    return parameter.getParameter().getType() == Lakehouse.class ? lakehouse : lakehouse.spark();
  }

  /** Each context has a lakehouse of its own; JUnit closes it with the context. */
  private Lakehouse lakehouse(ExtensionContext context) {
    LocalSpark local =
        context
            .getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
            .computeIfAbsent(LocalSpark.class, key -> LocalSpark.start(), LocalSpark.class);
    Store store = context.getStore(NAMESPACE);
    return store
        .computeIfAbsent(
            context.getUniqueId(), key -> new Open(local.newLakehouse(settings)), Open.class)
        .lakehouse();
  }

  /** Drops a lakehouse when its context ends. */
  private record Open(Lakehouse lakehouse) implements AutoCloseable {
    @Override
    public void close() {
      lakehouse.drop();
    }
  }
}
