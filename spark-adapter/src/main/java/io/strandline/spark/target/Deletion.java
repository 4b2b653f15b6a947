package io.strandline.spark.target;

import io.strandline.spark.internal.Columns;
import io.strandline.target.Deletes;
import java.util.Arrays;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;

/** Which of the cleaned rows are deletes: finds the columns, and marks the rows. */
final class Deletion {
  /** The column that marks a delete on its way into a table. */
  static final String MARK = "_strandline_deleted";

  private final Deletes deletes;
  private final ColumnNames names;
  private final String task;

  Deletion(Deletes deletes, ColumnNames names, String task) {
    this.deletes = deletes;
    this.names = names;
    this.task = task;
  }

  /**
   * Marks the deletes, makes the flag where the rows lack it, and drops what is not stored.
   *
   * @throws io.strandline.problem.Problem of kind {@code BAD_CONFIGURATION} if the condition does
   *     not fit the rows
   */
  Dataset<Row> marked(Dataset<Row> cleaned) {
    Column isDelete =
        new RowCondition(deletes.condition(), names, task, "deletes are told by").over(cleaned);
    Dataset<Row> marked = cleaned.withColumn(MARK, isDelete);

    if (deletes.manner() instanceof Deletes.Soft soft
        && names.find(soft.flag(), cleaned.schema()).isEmpty()) {
      marked = marked.withColumn(soft.flag(), Columns.col(MARK));
    }

    Column[] stored =
        Arrays.stream(marked.schema().fields())
            .map(StructField::name)
            .filter(name -> !isUnstored(name))
            .map(Columns::col)
            .toArray(Column[]::new);
    return marked.select(stored);
  }

  private boolean isUnstored(String name) {
    return deletes.unstored().stream().anyMatch(other -> names.areSame(name, other));
  }

  /** Drops the mark, and what a cleaner has said of the rows. */
  static Dataset<Row> unmarked(Dataset<Row> marked) {
    return Carried.dropped(marked.drop(MARK));
  }
}
