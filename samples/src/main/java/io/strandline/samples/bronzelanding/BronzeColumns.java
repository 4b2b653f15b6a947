package io.strandline.samples.bronzelanding;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.dayofmonth;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.month;
import static org.apache.spark.sql.functions.substring_index;
import static org.apache.spark.sql.functions.to_date;
import static org.apache.spark.sql.functions.year;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;

/** What a bronze row consists of: what the file says, as text, and what is told of each row. */
final class BronzeColumns {
  static final String UPDATED_AT = "source_updated_at";
  static final String KEY = "source_businesskey";
  static final String SYSTEM = "source_system";
  static final String DATE = "ingestion_date";
  static final String YEAR = "ingestion_year";
  static final String MONTH = "ingestion_month";
  static final String DAY = "ingestion_day";
  static final String FILE_NAME = "ingestion_filename";
  static final String FILE_PATH = "ingestion_filepath";

  /** All that is told of a row, in the order of the table. */
  static final List<String> TOLD =
      List.of(UPDATED_AT, KEY, SYSTEM, DATE, YEAR, MONTH, DAY, FILE_NAME, FILE_PATH);

  /** The columns that the source reads from the names of the folders. */
  static final String FOLDERS = "year INT, month INT, day INT";

  /** The column in which the source says where a row's file lies. */
  static final String LANDED_IN = "_landed_in";

  /** The column in which the source says when a row's file was written. */
  static final String LANDED_AT = "_landed_at";

  private static final List<String> OF_THE_SOURCE =
      List.of("year", "month", "day", LANDED_IN, LANDED_AT);

  private final Origin origin;

  BronzeColumns(Origin origin) {
    this.origin = origin;
  }

  /**
   * Makes bronze rows of the rows of files. A day that no folder says is the one on which the file
   * was written.
   */
  Dataset<Row> of(Dataset<Row> landed) {
    List<Column> columns = new ArrayList<>();

    for (String name : landed.columns()) {
      if (!OF_THE_SOURCE.contains(name)) {
        columns.add(column(name).cast("string").as(name));
      }
    }

    Column date = coalesce(dayOfTheFolder(), to_date(column(LANDED_AT)));
    Column path = column(LANDED_IN);
    columns.add(column(origin.modified()).try_cast("timestamp").as(UPDATED_AT));
    columns.add(column(origin.key()).cast("string").as(KEY));
    columns.add(lit(origin.system()).as(SYSTEM));
    columns.add(date.as(DATE));
    columns.add(year(date).as(YEAR));
    columns.add(month(date).as(MONTH));
    columns.add(dayofmonth(date).as(DAY));
    columns.add(substring_index(path, "/", -1).as(FILE_NAME));
    columns.add(path.as(FILE_PATH));
    return landed.select(columns.toArray(Column[]::new));
  }

  private static Column dayOfTheFolder() {
    return concat(column("year"), lit("-"), column("month"), lit("-"), column("day"))
        .try_cast("date");
  }

  private static Column column(String name) {
    return functions.col("`" + name.replace("`", "``") + "`");
  }
}
