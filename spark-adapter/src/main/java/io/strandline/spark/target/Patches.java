package io.strandline.spark.target;

import static org.apache.spark.sql.functions.first;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.when;

import io.strandline.spark.internal.Columns;
import io.strandline.spark.target.MergeColumns.Removal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.expressions.WindowSpec;

/**
 * What takes the place of nulls that say nothing: for each column the newest value that the range
 * has, with the version that brought it, so that several versions in one range do what they would
 * do one after the other.
 */
final class Patches {
  /** The column that holds them, by column. */
  static final String PATCH = "_strandline_patch";

  private static final String VALUE = "_strandline_value";

  private Patches() {}

  /** Adds them to rows, before the newest of each key is chosen. */
  static Dataset<Row> added(Dataset<Row> rows, MergeColumns columns, KeyMatch keys) {
    List<Column> parts = new ArrayList<>(columns.keys().stream().map(Columns::col).toList());
    // Rows without a key are spread, since all of them in one place may be more than fit there.
    parts.add(when(keys.rejection().isNotNull(), columns.hash()));
    WindowSpec notNewer =
        Window.partitionBy(parts.toArray(new Column[0]))
            .orderBy(columns.newestFirst())
            .rowsBetween(Window.currentRow(), Window.unboundedFollowing());
    List<Column> patches = new ArrayList<>();

    for (String name : columns.data()) {
      List<Column> version = new ArrayList<>();
      version.add(Columns.col(name).as(VALUE));
      columns.versionColumns().forEach(other -> version.add(Columns.col(other)));
      Column says = Columns.col(name).isNotNull();
      // What a hard delete has removed is no value of the row that comes after it.
      Column counts =
          columns.removal() == Removal.HARD ? says.or(columns.isDelete(Columns::col)) : says;
      patches.add(
          first(when(counts, struct(version.toArray(new Column[0]))), true)
              .over(notNewer)
              .as(name));
    }

    return patches.isEmpty()
        ? rows
        : rows.withColumn(PATCH, struct(patches.toArray(new Column[0])));
  }

  /**
   * Returns a column of data with its patch.
   *
   * @param row the columns of the row
   * @param isStored whether its key is stored
   * @param stored the columns of the stored row
   */
  static Column patched(
      String name,
      MergeColumns columns,
      Function<String, Column> row,
      Column isStored,
      Function<String, Column> stored) {
    Column patch = row.apply(PATCH).getField(name);
    Column isNewer = not(isStored).or(not(columns.isOlder(patch::getField, stored)));
    return when(row.apply(name).isNotNull(), row.apply(name))
        .when(patch.isNotNull().and(isNewer), patch.getField(VALUE))
        .otherwise(stored.apply(name));
  }

  /** Returns rows with their patches, for a table that holds none of their keys. */
  static Dataset<Row> alone(Dataset<Row> chosen, MergeColumns columns) {
    List<String> data = columns.data();
    return chosen.select(
        columns.names().stream()
            .map(
                name ->
                    (data.contains(name)
                            ? patched(name, columns, Columns::col, lit(false), other -> lit(null))
                            : Columns.col(name))
                        .as(name))
            .toArray(Column[]::new));
  }
}
