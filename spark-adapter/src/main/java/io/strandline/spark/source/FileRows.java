package io.strandline.spark.source;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import io.strandline.source.Reading;
import io.strandline.spark.internal.Columns;
import io.strandline.target.RejectedRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/**
 * The rows of files, those that can be used and those that cannot.
 *
 * @param all every row, with the columns that say why it cannot be used, where it stood and what
 *     stood there
 */
record FileRows(Dataset<Row> all) {
  /** The column of a rejected row that holds the path of its file. */
  static final String FILE = "_file";

  /** The column of a rejected row that holds its text as it stood in the file. */
  static final String LINE = "_line";

  /** The internal column that holds the fields of a line as text, as far as they can be told. */
  static final String TEXTS = "_strandline_texts";

  /** Returns the same rows, kept on the executors, so that they stay as they are. */
  FileRows frozen() {
    return new FileRows(all.localCheckpoint(true));
  }

  /** Returns the rows that can be used. */
  Dataset<Row> usable() {
    return all.where(col(Reading.REASON_COLUMN).isNull())
        .drop(Reading.REASON_COLUMN, FILE, LINE, TEXTS);
  }

  /** Returns all rows; of those that cannot be used, the fields that can be told. */
  Dataset<Row> asFarAsTold() {
    if (!(all.schema().apply(TEXTS).dataType() instanceof StructType texts)) {
      return usable();
    }

    List<String> told = List.of(texts.fieldNames());
    Dataset<Row> usable = usable();
    Column[] columns =
        Arrays.stream(usable.schema().fields())
            .map(
                field -> {
                  Column read = Columns.col(field.name());
                  Column value =
                      told.contains(field.name())
                          ? coalesce(
                              read, col(TEXTS).getField(field.name()).try_cast(field.dataType()))
                          : read;
                  return value.as(field.name());
                })
            .toArray(Column[]::new);
    return usable.unionByName(all.where(col(Reading.REASON_COLUMN).isNotNull()).select(columns));
  }

  /** Returns the others: their fields as text, their file and line, and why they are rejected. */
  Dataset<Row> rejected() {
    List<Column> columns = new ArrayList<>();

    if (all.schema().apply(TEXTS).dataType() instanceof StructType) {
      columns.add(col(TEXTS + ".*"));
    }

    columns.add(col(FILE));
    columns.add(col(LINE));
    columns.add(lit(RejectedRows.BY_SOURCE).as(RejectedRows.ORIGIN_COLUMN));
    columns.add(col(Reading.REASON_COLUMN));
    return all.where(col(Reading.REASON_COLUMN).isNotNull()).select(columns.toArray(Column[]::new));
  }
}
