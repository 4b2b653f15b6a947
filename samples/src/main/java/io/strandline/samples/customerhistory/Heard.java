package io.strandline.samples.customerhistory;

import java.time.LocalDate;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the shop hears of its customers on one day.
 *
 * @param day what the day is called
 * @param story what a person should notice
 * @param rows what was heard
 */
record Heard(String day, String story, List<Row> rows) {
  private static final LocalDate FIRST_OF_MARCH = LocalDate.of(2026, 3, 1);

  /** Returns the days of the story, in the order in which they come. */
  static List<Heard> days() {
    return List.of(
        new Heard(
            "monday",
            "three customers",
            List.of(
                changed(1, "Ada", "Oslo", "11", 1),
                changed(2, "Bo", "Rome", "22", 1),
                changed(3, "Cleo", "Kiel", "33", 1))),
        new Heard(
            "tuesday",
            "Ada moves, Bo has a new phone, Cleo is as she was",
            List.of(
                changed(1, "Ada", "Bern", "11", 10),
                changed(2, "Bo", "Rome", "29", 10),
                changed(3, "Cleo", "Kiel", "33", 20))),
        new Heard(
            "wednesday",
            "late news: Cleo was in Lyon from the 5th on, and Ada in Nice from the 4th on",
            List.of(changed(3, "Cleo", "Lyon", "33", 5), changed(1, "Ada", "Nice", "11", 4))),
        new Heard(
            "thursday",
            "Bo has left on the 15th, and is back since the 18th",
            List.of(gone(2, 15), changed(2, "Bo", "Rome", "29", 18))),
        new Heard(
            "friday",
            "what was said of Ada's move was wrong: it was Basel",
            List.of(changed(1, "Ada", "Basel", "11", 10))));
  }

  private static Row changed(int id, String name, String city, String phone, int day) {
    return row(id, name, city, phone, "changed", day);
  }

  private static Row gone(int id, int day) {
    return row(id, null, null, null, "gone", day);
  }

  private static Row row(
      int id,
      @Nullable String name,
      @Nullable String city,
      @Nullable String phone,
      String change,
      int day) {
    return RowFactory.create(id, name, city, phone, change, FIRST_OF_MARCH.withDayOfMonth(day));
  }
}
