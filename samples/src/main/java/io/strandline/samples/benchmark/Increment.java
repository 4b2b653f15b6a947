package io.strandline.samples.benchmark;

import java.util.Locale;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Which orders land after those that a target holds. */
enum Increment {
  /** A fifth are updates, of orders that are among the newest there are; the rest are new. */
  RECENT,
  /** A fifth are updates, of orders that lie evenly over the whole target; the rest are new. */
  SPREAD,
  /** All are new. */
  NEW,
  /** None. */
  NONE;

  /** Of so many rows of an increment one is an update, the first of them. */
  private static final long ONE_UPDATE_IN = 5;

  /** Updates of recent orders lie among so many times as many orders as the increment has rows. */
  private static final long RECENT_INCREMENTS = 4;

  /** Returns the name for folders. */
  String inWords() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Numbers the orders that land.
   *
   * @param places a column {@code id} with the numbers from 0 on, one for each row
   * @param targetRows the orders that the target holds, which have the lowest numbers there are
   * @param rows how many land
   * @return the numbers, as {@link OrderShape#landed} wants them
   */
  Dataset<Row> numbers(Dataset<Row> places, long targetRows, long rows) {
    Dataset<Row> landing = places.toDF("place");
    String position = targetRows + " + place AS " + OrderShape.POSITION;

    if (this == NEW) {
      return landing.selectExpr(
          targetRows + " + place AS " + OrderShape.ID,
          position,
          "cast(0 AS BIGINT) AS " + OrderShape.EDITION);
    }

    long updates = (rows + ONE_UPDATE_IN - 1) / ONE_UPDATE_IN;
    String update = "place DIV " + ONE_UPDATE_IN;
    String isUpdate = "place % " + ONE_UPDATE_IN + " = 0";
    return landing.selectExpr(
        String.format(
            Locale.ROOT,
            "if(%s, %s, %d + place - (%s) - 1) AS %s",
            isUpdate,
            updated(update, targetRows, rows, updates),
            targetRows,
            update,
            OrderShape.ID),
        position,
        "if(" + isUpdate + ", 1L, 0L) AS " + OrderShape.EDITION);
  }

  /** Spreads updates evenly, over the newest orders or over all. */
  private String updated(String update, long targetRows, long rows, long updates) {
    long among = this == RECENT ? Math.min(targetRows, RECENT_INCREMENTS * rows) : targetRows;
    long step = Math.max(1, among / updates);
    return targetRows + " - 1 - pmod((" + update + ") * " + step + ", " + among + ")";
  }
}
