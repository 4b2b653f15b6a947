package io.strandline.spark.target;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;

import io.delta.tables.DeltaMergeBuilder;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.target.MergeColumns.Removal;
import io.strandline.target.Receipt;
import io.strandline.target.Verb;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A MERGE whose own clauses say what becomes of a row, so that nothing is looked up before it.
 *
 * <p>With deletion vectors a stored row that no clause changes stays in its file. Without them a
 * MERGE copies every file that holds a key of the run, changed or not; and many rows that are read
 * again are cheaper to find by one look than by the three that a MERGE with deletion vectors takes.
 * {@link Fates} are for those.
 */
record ClauseMerge(
    MergeColumns columns, MergeClauses.Resolved clauses, KeyMatch keys, FrozenRows rows) {
  private static final String TABLE = "_strandline_table";
  private static final String ROWS = "_strandline_rows";
  private static final String MAY_INSERT = "_strandline_may_insert";
  private static final String MAY_UPDATE = "_strandline_may_update";

  /**
   * Tells whether clauses can say all that is to be done, and do so at least cost.
   *
   * @param table what the table was before the merge
   * @param session the session that merges
   */
  boolean suits(Receipt receipt, Optional<DeltaSnapshot> table, SparkSession session) {
    return receipt.verb() == Verb.RUN
        && receipt.ranges().stream()
            .noneMatch(range -> range.stored().isAfter(range.range().after()))
        && columns.removal() != Removal.SOFT
        && !clauses.keepsWhereNull()
        && columns.drift().equals(Drift.none())
        && table.filter(found -> writesDeletionVectors(found, session)).isPresent();
  }

  private static boolean writesDeletionVectors(DeltaSnapshot table, SparkSession session) {
    return Boolean.parseBoolean(
            table.properties().getOrDefault("delta.enableDeletionVectors", "false"))
        && Boolean.parseBoolean(
            session.conf().get("spark.databricks.delta.merge.deletionVectors.persistent", "true"));
  }

  /**
   * Merges.
   *
   * @param table the table, in the session that merges
   * @param reach where the keys lie in the table
   * @return what MERGE says that it did
   */
  Dataset<Row> execute(DeltaRef table, KeyReach reach) {
    Function<String, Column> stored = name -> Columns.col(TABLE, name);
    Function<String, Column> row = name -> Columns.col(ROWS, name);
    Dataset<Row> source =
        rows.chosen()
            .withColumn(MAY_INSERT, clauses.insert().orElse(lit(true)))
            .withColumn(MAY_UPDATE, clauses.update().orElse(lit(true)));
    Column isDelete = columns.isDelete(row);
    Column isNewer = not(columns.isOlder(row, stored));
    DeltaMergeBuilder merge =
        table
            .deltaTable()
            .as(TABLE)
            .merge(source.as(ROWS), keys.matches(row, stored).and(reach.holds(stored)));

    if (columns.removal() == Removal.HARD) {
      merge = merge.whenMatched(isNewer.and(isDelete)).delete();
    }

    return merge
        .whenMatched(isNewer.and(row.apply(MAY_UPDATE)).and(differs(table, reach, row, stored)))
        .update(values(columns.names().stream().filter(name -> !isLeft(name)), row))
        .whenNotMatched(row.apply(MAY_INSERT).and(not(isDelete)))
        .insert(values(columns.names().stream(), row))
        .execute();
  }

  /**
   * Tells whether a row changes the stored one. Of a row that is newer by its sequence this is
   * clear, and where all are newer than anything in a large table MERGE is spared reading the
   * columns that would be compared. Should others write newer rows meanwhile, equal ones may be
   * written again.
   */
  private Column differs(
      DeltaRef table,
      KeyReach reach,
      Function<String, Column> row,
      Function<String, Column> stored) {
    Function<String, Column> left = name -> isLeft(name) ? stored.apply(name) : row.apply(name);
    return reach.isOfLargeTable() && rows.areNewerThanAll(table.newest())
        ? lit(true)
        : not(columns.isEqual(left, stored));
  }

  private boolean isLeft(String name) {
    return clauses.isLeft(name) && columns.data().contains(name);
  }

  /** Maps columns to their values in a row. */
  static Map<String, Column> values(Stream<String> names, Function<String, Column> row) {
    Map<String, Column> values = new HashMap<>();
    names.forEach(name -> values.put(Columns.quoted(name), row.apply(name)));
    return values;
  }

  /** Counts the rows that are older than the stored one of their key. */
  long stale(Dataset<Row> table) {
    Function<String, Column> row = name -> Columns.col(ROWS, name);
    Function<String, Column> stored = name -> Columns.col(TABLE, name);
    Dataset<Row> newer =
        table
            .filter(rows.bounds(keys, Columns::col).and(rows.mayBeNewer(Columns::col)))
            .select(
                Stream.concat(columns.keys().stream(), columns.versionColumns().stream())
                    .distinct()
                    .map(Columns::col)
                    .toArray(Column[]::new));
    return rows.chosen()
        .as(ROWS)
        .join(
            newer.as(TABLE),
            keys.matches(row, stored).and(columns.isOlder(row, stored)),
            "left_semi")
        .count();
  }
}
