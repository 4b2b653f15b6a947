package io.strandline.spark.target;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.date_add;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.greatest;
import static org.apache.spark.sql.functions.lit;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * The open versions of a history that a sweep closes.
 *
 * <p>The end of a version without a successor is a delete at that instant, so a sweep needs to
 * leave nothing else: what comes later and lies before the end is put there, and what lies after it
 * opens a version again.
 *
 * @param swept the keys that are gone from the source
 * @param at when they were found gone
 */
record ClosedVersions(HistoryColumns columns, KeyMatch keys, SweptKeys swept, Instant at) {
  static ClosedVersions none(HistoryColumns columns) {
    return new ClosedVersions(
        columns, new KeyMatch(columns.rows(), NullKeys.REJECTED), SweptKeys.none(), Instant.EPOCH);
  }

  /** Tells whether a version of the table holds still. */
  static Column isOpen(HistoryColumns columns) {
    return Columns.col(columns.names().to()).isNull();
  }

  /** A sweep knows when it found rows gone, and nothing but time can be compared with that. */
  static void requireTime(String table, HistoryColumns columns) {
    DataType type = columns.rows().type(columns.effective());

    if (!(type instanceof TimestampType
        || type instanceof TimestampNTZType
        || type instanceof DateType)) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "sweep " + table,
          "its versions hold from a value of type "
              + type.sql().toLowerCase(Locale.ROOT)
              + " on, and all that a sweep knows is the time at which rows were found gone",
          "Call effectiveFrom(..) with a timestamp or a date, or leave swept(..) away.");
    }
  }

  long rows() {
    return swept.rows();
  }

  /**
   * Finds the versions to be closed, when it is executed.
   *
   * @param table what the table holds
   * @return the versions as they are when they are closed, in the form of {@link Versions#changes}
   */
  Dataset<Row> in(Dataset<Row> table) {
    HistoryNames names = columns.names();
    return swept
        .of(table.filter(isOpen(columns)), columns.rows(), keys)
        .select(columns.all().stream().map(Columns::col).toArray(Column[]::new))
        .withColumn(names.to(), end())
        .withColumn(names.current(), lit(false))
        .withColumn(Versions.ACTION, lit(Versions.UPDATE));
  }

  /** A version has a length, and ends after all that is known of it. */
  private Column end() {
    DataType type = columns.rows().type(columns.effective());
    Column last = coalesce(Columns.col(columns.effective()), Columns.col(columns.names().from()));
    LocalDateTime utc = LocalDateTime.ofInstant(at.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC);

    if (type instanceof DateType) {
      return greatest(lit(utc.toLocalDate()), date_add(last, 1));
    }

    Column found =
        type instanceof TimestampType ? lit(at.truncatedTo(ChronoUnit.MICROS)) : lit(utc);
    return greatest(found, last.plus(expr("INTERVAL '0.000001' SECOND")));
  }

  void release() {
    swept.release();
  }
}
