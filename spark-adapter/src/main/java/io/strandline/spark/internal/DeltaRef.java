package io.strandline.spark.internal;

import static java.util.stream.Collectors.joining;

import io.delta.kernel.SnapshotBuilder;
import io.delta.kernel.TableManager;
import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.exceptions.TableNotFoundException;
import io.delta.tables.DeltaTable;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchDatabaseException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.catalog.DeltaTableV2;
import org.apache.spark.sql.internal.SessionState;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A Delta table by catalog name or path, which need not exist.
 *
 * <p>A name is qualified by the session's current catalog and namespace when the reference is made,
 * so that it means the same table in every session. Immutable and safe for use by several threads.
 */
public final class DeltaRef {
  private final SparkSession spark;
  private final String name;

  /** Catalog, namespace and table; a path alone is the last of {@code delta} and itself. */
  private final List<String> identifier;

  private final Kind kind;

  private enum Kind {
    NAME,
    PATH
  }

  private DeltaRef(SparkSession spark, String name, List<String> identifier, Kind kind) {
    this.spark = spark;
    this.name = name;
    this.identifier = List.copyOf(identifier);
    this.kind = kind;
  }

  /**
   * Refers to a table of the session's catalogs.
   *
   * @param spark the session
   * @param name the name, of one to three parts, quoted as in SQL where needed
   * @return the reference
   * @throws IllegalArgumentException if the name cannot be parsed
   */
  public static DeltaRef forName(SparkSession spark, String name) {
    SessionState state = state(spark);
    List<String> parts;

    try {
      parts =
          CollectionConverters.asJava(state.sqlParser().parseMultipartIdentifier(name)).stream()
              .toList();
    } catch (Exception e) {
      throw new IllegalArgumentException(
          "Cannot refer to table '" + name + "': it is no table name in SQL.", e);
    }

    return new DeltaRef(spark, name, qualified(state.catalogManager(), parts), Kind.NAME);
  }

  /**
   * Refers to a table by the folder it lies in.
   *
   * @param spark the session
   * @param path the folder; a relative one begins where the process works now
   * @return the reference
   * @throws IllegalArgumentException if the path is blank, or none
   */
  public static DeltaRef forPath(SparkSession spark, String path) {
    if (path.isBlank()) {
      throw new IllegalArgumentException("Cannot refer to a table in folder '" + path + "'.");
    }

    // Delta takes a relative path in SQL for the name of a table.
    String absolute =
        new Path(path).isAbsolute() ? path : qualified(path, state(spark).newHadoopConf());
    return new DeltaRef(spark, path, List.of("delta", absolute), Kind.PATH);
  }

  private static List<String> qualified(CatalogManager catalogs, List<String> parts) {
    boolean namesCatalog =
        parts.size() > 1 && catalogs.isCatalogRegistered(parts.get(0)) && parts.size() > 2;
    List<String> qualified = new ArrayList<>();

    if (!namesCatalog) {
      qualified.add(catalogs.currentCatalog().name());
    }

    if (parts.size() == 1) {
      qualified.addAll(Arrays.asList(catalogs.currentNamespace()));
    }

    qualified.addAll(parts);
    return qualified;
  }

  private static SessionState state(SparkSession spark) {
    return ((org.apache.spark.sql.classic.SparkSession) spark).sessionState();
  }

  /**
   * Refers to the table beside this one that has a suffix to its name.
   *
   * @param suffix what to put behind the name
   * @return the reference
   */
  public DeltaRef beside(String suffix) {
    List<String> parts = new ArrayList<>(identifier);
    String last = parts.remove(parts.size() - 1);
    String stripped =
        kind == Kind.PATH && last.endsWith("/") ? last.substring(0, last.length() - 1) : last;
    parts.add(stripped + suffix);
    String suffixed =
        kind == Kind.PATH
            ? stripped + suffix
            : name.endsWith("`")
                ? name.substring(0, name.length() - 1) + suffix + "`"
                : name + suffix;
    return new DeltaRef(spark, suffixed, parts, kind);
  }

  /**
   * Refers to the same table from another session.
   *
   * @param session the session
   * @return the reference
   */
  public DeltaRef in(SparkSession session) {
    return new DeltaRef(session, name, identifier, kind);
  }

  /** Returns the session. */
  public SparkSession spark() {
    return spark;
  }

  /** Returns the name or path as it was given, for messages. */
  public String name() {
    return name;
  }

  /** Returns the qualified name, quoted for SQL. */
  public String sqlIdentifier() {
    return identifier.stream()
        .map(part -> "`" + part.replace("`", "``") + "`")
        .collect(joining("."));
  }

  /** Tells whether there is a Delta table of that name, or in that folder. */
  public boolean exists() {
    return findSnapshot().isPresent();
  }

  /**
   * Reads what the table is now; needs no Spark job.
   *
   * @return the snapshot
   * @throws Problem of kind {@code BAD_CONFIGURATION} if there is no such table
   */
  public DeltaSnapshot snapshot() {
    return findSnapshot().orElseThrow(() -> missing("read " + name));
  }

  /**
   * Reads what the table is now, if it exists; needs no Spark job.
   *
   * @return the snapshot; empty if there is no such table
   * @throws Problem of kind {@code BAD_CONFIGURATION} if the table is not one of Delta's
   */
  public Optional<DeltaSnapshot> findSnapshot() {
    Configuration configuration = state(spark).newHadoopConf();

    try {
      return location(configuration)
          .map(folder -> snapshot(configuration, folder, TableManager.loadSnapshot(folder)));
    } catch (TableNotFoundException e) {
      return Optional.empty();
    }
  }

  /**
   * Reads what the table was; needs no Spark job.
   *
   * @param version the version
   * @return the snapshot; empty if there is no such table, or its log does not reach back so far
   */
  public Optional<DeltaSnapshot> findSnapshot(long version) {
    Configuration configuration = state(spark).newHadoopConf();

    try {
      return location(configuration)
          .map(
              folder ->
                  snapshot(
                      configuration, folder, TableManager.loadSnapshot(folder).atVersion(version)));
    } catch (KernelException e) {
      return Optional.empty();
    }
  }

  private static DeltaSnapshot snapshot(
      Configuration configuration, String folder, SnapshotBuilder builder) {
    Engine engine = DefaultEngine.create(new TableFiles(configuration));
    return new DeltaSnapshot(engine, builder.build(engine), folder);
  }

  /**
   * Makes the problem of a table that does not exist.
   *
   * @param task what cannot be done therefore, as it follows "Cannot"
   * @return the problem
   */
  public Problem missing(String task) {
    return kind == Kind.PATH
        ? new Problem(
            ProblemKind.BAD_CONFIGURATION,
            task,
            "there is no Delta table in folder " + name,
            "Name the folder that holds _delta_log.")
        : new Problem(
            ProblemKind.BAD_CONFIGURATION,
            task,
            "there is no table " + String.join(".", identifier),
            "Create it, or name the one that you mean.");
  }

  /**
   * Returns the folder that the table lies in.
   *
   * @return the folder; empty if the catalog has no such table; a folder need not hold a table
   */
  public Optional<String> location() {
    return location(state(spark).newHadoopConf());
  }

  private Optional<String> location(Configuration configuration) {
    if (kind == Kind.PATH) {
      return Optional.of(qualified(identifier.get(1), configuration));
    }

    TableCatalog catalog = (TableCatalog) state(spark).catalogManager().catalog(identifier.get(0));
    Identifier table =
        Identifier.of(
            identifier.subList(1, identifier.size() - 1).toArray(new String[0]),
            identifier.get(identifier.size() - 1));
    Table found;

    try {
      found = catalog.loadTable(table);
    } catch (AnalysisException e) {
      // A missing namespace is not declared by loadTable, and comes out of it all the same.
      if (e instanceof NoSuchTableException || e instanceof NoSuchDatabaseException) {
        return Optional.empty();
      }

      throw new Problem(
          ProblemKind.BAD_CONFIGURATION, "look up table " + name, e.getSimpleMessage(), "", e);
    }

    if (!(found instanceof DeltaTableV2 delta)) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "use " + name,
          "it is not a Delta table",
          "Name a Delta table, or convert it with CONVERT TO DELTA.");
    }

    return Optional.of(delta.path().toString());
  }

  private static String qualified(String path, Configuration configuration) {
    Path folder = new Path(path);

    try {
      return folder.getFileSystem(configuration).makeQualified(folder).toString();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Returns the rows of the newest version; each action reads the version that is newest then. */
  public Dataset<Row> newest() {
    return spark.table(sqlIdentifier());
  }

  /**
   * Returns the rows of one version, whatever happens to the table later.
   *
   * @param version the version
   * @return the rows
   */
  public Dataset<Row> at(long version) {
    return spark.sql("SELECT * FROM " + sqlIdentifier() + " VERSION AS OF " + version);
  }

  /**
   * Returns the rows of one version that are in no earlier one.
   *
   * @param snapshot the version
   * @param since the earlier version
   * @return the rows; empty if the log does not tell, since more than appends came between, or very
   *     many of them
   */
  public Optional<PinnedRows> appended(DeltaSnapshot snapshot, long since) {
    return AppendedFiles.rows(this, snapshot, since);
  }

  /**
   * Returns the change feed of some versions, whatever happens to the table later.
   *
   * @param first the first version, at most the newest
   * @param last the last version
   * @return the rows, with the columns {@code _change_type}, {@code _commit_version} and {@code
   *     _commit_timestamp}
   */
  public Dataset<Row> changes(long first, long last) {
    return spark
        .read()
        .option("readChangeFeed", "true")
        .option("startingVersion", first)
        .option("endingVersion", last)
        .table(sqlIdentifier());
  }

  /**
   * Returns the application ids under which the table's log holds numbers; may need a Spark job.
   */
  public Set<String> applications() {
    DeltaLog log = DeltaLog.forTable(spark, new Path(snapshot().location()));
    return Set.copyOf(
        CollectionConverters.asJava(
            log.update(false, Option.empty(), Option.empty()).transactions().keySet()));
  }

  /** Returns the table for commands; it runs them in this reference's session. */
  public DeltaTable deltaTable() {
    return kind == Kind.PATH
        ? DeltaTable.forPath(spark, identifier.get(1))
        : DeltaTable.forName(spark, sqlIdentifier());
  }

  /** Returns the name or path as it was given. */
  @Override
  public String toString() {
    return name;
  }
}
