package io.strandline.spark.target;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.countDistinct;
import static org.apache.spark.sql.functions.lead;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.to_json;
import static org.apache.spark.sql.functions.when;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.expressions.WindowSpec;

/**
 * What an audit of a history found: whether each key has one current version at most, and whether
 * the versions of a key neither overlap nor hold for no time at all.
 *
 * <p>Any table with a key, a beginning, an end and a flag can be audited, whoever has written it.
 *
 * <pre>{@code
 * HistoryAudit audit = HistoryAudit.of(
 *     spark, "dim_customer", List.of("customer_id"), "valid_from", "valid_to", "is_current");
 * if (!audit.isSound()) { alert(audit.toString()); }
 * }</pre>
 *
 * @param table the table
 * @param keys how many keys have versions
 * @param versions how many versions there are
 * @param current how many of them are current
 * @param faults what is wrong; empty if nothing is
 */
public record HistoryAudit(
    String table, long keys, long versions, long current, List<Fault> faults) {
  private static final int SAMPLES = 5;
  private static final String NEXT = "_strandline_next";
  private static final String CURRENT = "_strandline_current";

  /** Copies the list. */
  public HistoryAudit {
    faults = List.copyOf(faults);
  }

  /** What can be wrong with a history. */
  public enum Kind {
    /** A key has more than one current version. */
    SEVERAL_CURRENT,
    /** A version ends after the next one of its key begins, or not at all though there is one. */
    OVERLAP,
    /** A version ends when it begins, or before. */
    NO_LENGTH,
    /** A version is flagged as current and has an end, or is not flagged and has none. */
    WRONG_FLAG,
    /** A version has no beginning. */
    NO_BEGINNING
  }

  /**
   * One thing that is wrong.
   *
   * @param kind what it is
   * @param versions how many versions are concerned
   * @param samples keys of some of them, as JSON, five at most
   */
  public record Fault(Kind kind, long versions, List<String> samples) {
    /** Copies the list. */
    public Fault {
      samples = List.copyOf(samples);
    }
  }

  /**
   * Audits a table, now; reads all of it.
   *
   * @param spark the session
   * @param table the table's name
   * @param keys the key columns
   * @param from the column of the beginning, which belongs to the interval
   * @param to the column of the end, which does not; null where a version is open
   * @param current the column of the flag
   * @return what was found
   * @throws Problem of kind {@code BAD_CONFIGURATION} if there is no such table or column
   */
  public static HistoryAudit of(
      SparkSession spark, String table, List<String> keys, String from, String to, String current) {
    return of(DeltaRef.forName(spark, table), keys, new HistoryNames(from, to, current));
  }

  static HistoryAudit of(DeltaRef table, List<String> keys, HistoryNames names) {
    long version = table.snapshot().version();
    Dataset<Row> held = table.at(version);
    requireColumns(table.name(), held, keys, names);
    Column[] keyColumns = keys.stream().map(Columns::col).toArray(Column[]::new);
    Column from = Columns.col(names.from());
    Column to = Columns.col(names.to());
    Column isFlagged = Columns.col(names.current()).eqNullSafe(lit(true));
    WindowSpec ofKey = Window.partitionBy(keyColumns);
    Dataset<Row> seen =
        held.withColumn(NEXT, lead(from, 1).over(ofKey.orderBy(from, to.asc_nulls_last())))
            .withColumn(CURRENT, sum(when(isFlagged, 1).otherwise(0)).over(ofKey));
    Map<Kind, Column> wrong = new LinkedHashMap<>();
    wrong.put(Kind.SEVERAL_CURRENT, isFlagged.and(col(CURRENT).gt(1)));
    wrong.put(Kind.OVERLAP, col(NEXT).isNotNull().and(to.isNull().or(to.gt(col(NEXT)))));
    wrong.put(Kind.NO_LENGTH, to.leq(from));
    wrong.put(Kind.WRONG_FLAG, not(isFlagged.equalTo(to.isNull())));
    wrong.put(Kind.NO_BEGINNING, from.isNull());
    List<Column> measures = new ArrayList<>();
    measures.add(countDistinct(struct(keyColumns)));
    measures.add(count(when(isFlagged, 1)));
    wrong.values().forEach(condition -> measures.add(count(when(condition, 1))));
    Row counts = seen.agg(count(lit(1)), measures.toArray(new Column[0])).head();
    List<Fault> faults = new ArrayList<>();
    int index = 3;

    for (Map.Entry<Kind, Column> entry : wrong.entrySet()) {
      long found = counts.getLong(index++);

      if (found > 0) {
        faults.add(new Fault(entry.getKey(), found, samples(seen, entry.getValue(), keyColumns)));
      }
    }

    return new HistoryAudit(
        table.name(), counts.getLong(1), counts.getLong(0), counts.getLong(2), faults);
  }

  private static List<String> samples(Dataset<Row> seen, Column condition, Column[] keys) {
    return seen
        .filter(condition)
        .select(to_json(struct(keys)))
        .distinct()
        .limit(SAMPLES)
        .collectAsList()
        .stream()
        .map(row -> row.getString(0))
        .sorted()
        .toList();
  }

  private static void requireColumns(
      String table, Dataset<Row> held, List<String> keys, HistoryNames names) {
    ColumnNames rule = ColumnNames.of(held.sparkSession());
    List<String> needed = new ArrayList<>(keys);
    needed.addAll(List.of(names.from(), names.to(), names.current()));

    for (String column : needed) {
      if (rule.find(column, held.schema()).isEmpty()) {
        List<String> there = Arrays.asList(held.columns());
        throw new Problem(
            ProblemKind.BAD_CONFIGURATION,
            "audit the history in " + table,
            "the table has no column '" + column + "'",
            "Its columns are: " + String.join(", ", there) + "." + Columns.nearMiss(column, there));
      }
    }
  }

  /** Tells whether nothing is wrong. */
  public boolean isSound() {
    return faults.isEmpty();
  }

  /** Returns what was found, in a sentence or two. */
  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder(table)
            .append(" has ")
            .append(versions)
            .append(" versions of ")
            .append(keys)
            .append(" keys, ")
            .append(current)
            .append(" of them current");

    for (Fault fault : faults) {
      text.append("; ")
          .append(fault.kind())
          .append(" in ")
          .append(fault.versions())
          .append(" versions, such as of ")
          .append(String.join(", ", fault.samples()));
    }

    return text.append('.').toString();
  }
}
