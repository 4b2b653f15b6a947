package io.strandline.spark.source;

import io.strandline.problem.Problem;
import io.strandline.source.SourcePlan;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * One visit to a database, to plan what to read: a connection that is closed after it.
 *
 * <p>For use by one thread.
 */
final class JdbcVisit implements AutoCloseable {
  private final JdbcDeclaration declared;
  private final JdbcDatabase.Login login;
  private final JdbcSession session;
  private final List<JdbcColumn> columns;

  private JdbcVisit(
      JdbcDeclaration declared,
      JdbcDatabase.Login login,
      JdbcSession session,
      List<JdbcColumn> columns) {
    this.declared = declared;
    this.login = login;
    this.session = session;
    this.columns = List.copyOf(columns);
  }

  /**
   * Logs in and looks at the columns.
   *
   * @param declared the declaration
   * @return the visit
   * @throws Problem if the database does not answer, or knows no such rows
   */
  static JdbcVisit of(JdbcDeclaration declared) {
    JdbcDatabase.Login login = declared.origin().database().login();
    JdbcSession session =
        JdbcSession.open(
            declared.task(), login, declared.origin().dialect(), declared.sessionStart());

    try {
      return new JdbcVisit(declared, login, session, session.columns(noRows(declared)));
    } catch (Problem e) {
      session.close();
      throw e;
    }
  }

  private static String noRows(JdbcDeclaration declared) {
    String computed =
        declared.cursor().isExpression()
            ? ", ("
                + declared.cursor().columns().get(0)
                + ") AS "
                + declared.origin().dialect().quoted(JdbcRows.COMPUTED)
            : "";
    return "SELECT "
        + JdbcRows.ALIAS
        + ".*"
        + computed
        + " FROM "
        + declared.origin().from()
        + " WHERE 1 = 0";
  }

  /** Returns the watermark columns as the database spells them. */
  List<String> watermarkColumns() {
    StructType names = new StructType();

    for (JdbcColumn column : columns) {
      names = names.add(column.name(), DataTypes.StringType);
    }

    return CursorColumns.spelled(declared.cursor(), names, declared.origin().spark());
  }

  /**
   * Plans what comes after a stored watermark, and reads it.
   *
   * @param stored the stored watermark
   * @return the range, or why there is none
   */
  SourcePlan<Dataset<Row>> plan(Watermark stored) {
    return explained(() -> look().plan(stored));
  }

  /**
   * Plans a given range, and reads it.
   *
   * @param range the range
   * @return the range, or why there is nothing to read
   */
  SourcePlan<Dataset<Row>> planBackfill(WatermarkRange range) {
    return explained(() -> look().planBackfill(range));
  }

  /** Returns all rows; they are asked for only when they are computed, on a login of their own. */
  Dataset<Row> readAll() {
    return look().readAll();
  }

  private JdbcLook look() {
    return JdbcLook.at(
        declared,
        login,
        session,
        columns,
        declared.cursor().isExpression() ? List.of(JdbcRows.COMPUTED) : watermarkColumns());
  }

  private SourcePlan<Dataset<Row>> explained(Supplier<SourcePlan<Dataset<Row>>> work) {
    try {
      return work.get();
    } catch (Exception e) {
      // Spark throws the driver's checked exceptions without declaring them.
      throw JdbcSession.failed(declared.task(), login, e);
    }
  }

  @Override
  public void close() {
    session.close();
  }
}
