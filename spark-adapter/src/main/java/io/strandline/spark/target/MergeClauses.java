package io.strandline.spark.target;

import static org.apache.spark.sql.functions.lit;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.target.Deletes;
import io.strandline.target.StageRequest;
import io.strandline.target.Verb;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;

/**
 * What a user declared of the clauses of a merge: which rows are inserted, which are updated, and
 * in what columns.
 *
 * @param updated the columns that an update changes; empty for all
 * @param insert which rows of a new key are inserted
 * @param update which rows of a stored key update it
 * @param nulls what a null says
 * @param stamp the column that says when a row was changed last; empty if there is none
 */
record MergeClauses(List<String> updated, Clause insert, Clause update, Nulls nulls, String stamp) {

  /** What a null in a row says. */
  enum Nulls {
    /** That there is no value. */
    ARE_VALUES,
    /** Nothing, so that the stored value stays. */
    SAY_NOTHING
  }

  /** Whether a clause is there, and for which rows. */
  sealed interface Clause {
    /** For all rows. */
    record Always() implements Clause {}

    /** For those that fulfill a condition. */
    record When(Deletes.Condition condition) implements Clause {}

    /** For none. */
    record Never() implements Clause {}
  }

  /** Copies the list. */
  MergeClauses {
    updated = List.copyOf(updated);
  }

  static MergeClauses all() {
    return new MergeClauses(
        List.of(), new Clause.Always(), new Clause.Always(), Nulls.ARE_VALUES, "");
  }

  MergeClauses updating(List<String> columns) {
    requireThere("updating(..)", update, "insertingOnly()");
    return new MergeClauses(columns, insert, update, nulls, stamp);
  }

  MergeClauses insertingOnly() {
    requireThere("insertingOnly()", insert, "updatingOnly()");

    if (update instanceof Clause.When || !updated.isEmpty()) {
      throw contradiction("insertingOnly()", "updating(..) or updatingWhen(..)");
    }

    return new MergeClauses(updated, insert, new Clause.Never(), nulls, stamp);
  }

  MergeClauses updatingOnly() {
    requireThere("updatingOnly()", update, "insertingOnly()");

    if (insert instanceof Clause.When) {
      throw contradiction("updatingOnly()", "insertingWhen(..)");
    }

    return new MergeClauses(updated, new Clause.Never(), update, nulls, stamp);
  }

  MergeClauses insertingWhen(Deletes.Condition condition) {
    requireThere("insertingWhen(..)", insert, "updatingOnly()");
    return new MergeClauses(updated, new Clause.When(condition), update, nulls, stamp);
  }

  MergeClauses updatingWhen(Deletes.Condition condition) {
    requireThere("updatingWhen(..)", update, "insertingOnly()");
    return new MergeClauses(updated, insert, new Clause.When(condition), nulls, stamp);
  }

  MergeClauses keepingWhereNull() {
    return new MergeClauses(updated, insert, update, Nulls.SAY_NOTHING, stamp);
  }

  MergeClauses stampingChanges(String column) {
    return new MergeClauses(updated, insert, update, nulls, column);
  }

  private static void requireThere(String call, Clause clause, String earlierCall) {
    if (clause instanceof Clause.Never) {
      throw contradiction(call, earlierCall);
    }
  }

  private static IllegalArgumentException contradiction(String call, String earlierCall) {
    return new IllegalArgumentException(
        "Cannot call " + call + ": " + earlierCall + " was called before, and contradicts it.");
  }

  /** Adds the column that the target stamps to what is stamped. */
  MergeDeclaration stamped(MergeDeclaration declaration) {
    if (stamp.isEmpty()) {
      return declaration;
    }

    List<String> stamped = new ArrayList<>(declaration.stamped());
    stamped.add(stamp);
    return declaration.stamped(stamped);
  }

  /**
   * Stamps rows with the time of their run; those that change nothing are not written, and so keep
   * the time of their last change.
   *
   * @throws Problem of kind {@code BAD_CONFIGURATION} if the rows have such a column themselves
   */
  Dataset<Row> stamped(StageRequest<Dataset<Row>> request, ColumnNames names, String table) {
    Dataset<Row> cleaned = request.accepted();

    if (stamp.isEmpty()) {
      return cleaned;
    }

    if (names.find(stamp, cleaned.schema()).isPresent()) {
      throw unusable(
          table,
          "the cleaned rows have a column '" + stamp + "', which stampingChanges(..) makes itself",
          "Drop it in the cleaner, or call stamped(..) if the cleaner stamps it.");
    }

    return cleaned.withColumn(stamp, lit(request.at().truncatedTo(ChronoUnit.MICROS)));
  }

  /**
   * Finds columns and conditions among the rows.
   *
   * @param rows the rows, by the names that the table has
   * @throws Problem of kind {@code BAD_CONFIGURATION} if one does not fit them, or nothing would be
   *     left of a reload
   */
  Resolved in(Dataset<Row> rows, MergeColumns columns, ColumnNames names, String table, Verb verb) {
    if (verb == Verb.RELOAD && insert instanceof Clause.Never) {
      throw unusable(
          table,
          "a reload puts the rows of the source in the place of all that are there, and"
              + " updatingOnly() inserts none",
          "Run or backfill the load, or reload it into a target without updatingOnly().");
    }

    List<String> found = new ArrayList<>();

    for (String name : updated) {
      found.add(
          names
              .find(name, columns.schema())
              .map(StructField::name)
              .orElseThrow(
                  () ->
                      unusable(
                          table,
                          "updating(..) names column '"
                              + name
                              + "', which the cleaned rows do not have",
                          "Their columns are: "
                              + String.join(", ", columns.names())
                              + "."
                              + Columns.nearMiss(name, columns.names()))));
    }

    return new Resolved(
        found,
        condition(insert, "rows are inserted when", rows, names, table),
        condition(update, "rows are updated when", rows, names, table),
        nulls);
  }

  private static Optional<Column> condition(
      Clause clause, String subject, Dataset<Row> rows, ColumnNames names, String table) {
    if (clause instanceof Clause.Always) {
      return Optional.empty();
    }

    return Optional.of(
        clause instanceof Clause.When when
            ? new RowCondition(when.condition(), names, task(table), subject).over(rows)
            : lit(false));
  }

  private static Problem unusable(String table, String reason, String remedy) {
    return new Problem(ProblemKind.BAD_CONFIGURATION, task(table), reason, remedy);
  }

  private static String task(String table) {
    return "merge rows into " + table;
  }

  /**
   * The same, by the names that the table has.
   *
   * @param updated the columns that an update changes; empty for all
   * @param insert true for rows that are inserted if their key is new; empty if all are
   * @param update true for rows that update their stored row; empty if all do
   * @param nulls what a null says
   */
  record Resolved(
      List<String> updated, Optional<Column> insert, Optional<Column> update, Nulls nulls) {
    /** Copies the list. */
    Resolved {
      updated = List.copyOf(updated);
    }

    /** Returns what holds where no rows are merged. */
    static Resolved all() {
      return new Resolved(List.of(), Optional.empty(), Optional.empty(), Nulls.ARE_VALUES);
    }

    /** Tells whether an update leaves a column of data as it is. */
    boolean isLeft(String name) {
      return !updated.isEmpty() && !updated.contains(name);
    }

    boolean keepsWhereNull() {
      return nulls == Nulls.SAY_NOTHING;
    }
  }
}
