package io.strandline.samples.bronzelanding;

import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;

/**
 * What is put into the lake on one day: what is new of the addresses, and all customers.
 *
 * @param day what the day is called
 * @param story what a person should notice
 * @param files puts the files
 */
record Delivery(String day, String story, Consumer<Lake> files) {
  /** The table whose new rows land, as Parquet. */
  static final String ADDRESS = "Address";

  /** The table of which all rows land every day, as CSV. */
  static final String CUSTOMER = "Customer";

  private static final LocalDate MONDAY = LocalDate.of(2026, 3, 2);
  private static final LocalDate TUESDAY = LocalDate.of(2026, 3, 3);
  private static final LocalDate WEDNESDAY = LocalDate.of(2026, 3, 4);

  private static final StructType ADDRESSES =
      StructType.fromDDL("AddressID INT, AddressLine1 STRING, City STRING, ModifiedDate TIMESTAMP");

  /** Returns the days of the story, in the order in which they come. */
  static List<Delivery> days() {
    return List.of(
        new Delivery("monday", "the first files of both tables", Delivery::onMonday),
        new Delivery(
            "tuesday",
            "new and moved addresses; all customers again, one of them in a broken line",
            Delivery::onTuesday),
        new Delivery(
            "wednesday",
            "a file that is late, in the folder of monday, and one that is still being written",
            Delivery::onWednesday));
  }

  private static void onMonday(Lake lake) {
    lake.put(
        addresses(MONDAY, "address-1.parquet", MONDAY),
        ADDRESSES,
        List.of(
            address(1, "1970 Napa Ct.", "Bothell", "2026-02-20T08:00:00Z"),
            address(2, "9833 Mt. Dias Blv.", "Bothell", "2026-02-21T09:30:00Z")));
    lake.put(
        customers(MONDAY),
        csv(
            "1,Orlando Gee,245-555-0173,2026-02-20 08:00:00",
            "2,Keith Harris,170-555-0127,2026-02-21 09:30:00",
            "3,Donna Carreras,279-555-0130,2026-02-25 10:00:00"));
  }

  private static void onTuesday(Lake lake) {
    lake.put(
        addresses(TUESDAY, "address-2.parquet", TUESDAY),
        ADDRESSES,
        List.of(
            address(2, "26910 Indela Road", "Montreal", "2026-03-02T16:10:00Z"),
            address(4, "9539 Glenside Dr", "Bothell", "2026-03-02T17:00:00Z")));
    lake.put(
        customers(TUESDAY),
        csv(
            "1,Orlando Gee,245-555-0173,2026-02-20 08:00:00",
            "2,Keith Harris,170-555-0199,2026-03-02 16:10:00",
            "3,Donna Carreras,279-555-0130,2026-03-02 17:00:00",
            "4,Janet Gates,710-555-0173,2026-03-02 12:00:00",
            "5,Lucy Harrington"));
  }

  private static void onWednesday(Lake lake) {
    lake.put(
        addresses(MONDAY, "address-late.parquet", WEDNESDAY),
        ADDRESSES,
        List.of(address(3, "7484 Roundtree Drive", "Bothell", "2026-02-28T11:00:00Z")));
    lake.put(
        new Lake.Place(ADDRESS, WEDNESDAY, "address-3.parquet", Instant.now()),
        ADDRESSES,
        List.of(address(5, "1226 Shoe St.", "Bothell", "2026-03-03T13:00:00Z")));
    lake.put(
        customers(WEDNESDAY),
        csv(
            "1,Orlando Gee,245-555-0173,2026-02-20 08:00:00",
            "2,Keith Harris,170-555-0199,2026-03-02 16:10:00",
            "3,Donna Carreras,279-555-0130,2026-03-02 17:00:00",
            "4,Janet Gates,710-555-0173,2026-03-02 12:00:00",
            "5,Lucy Harrington,828-555-0186,2026-03-03 09:00:00"));
  }

  private static Lake.Place addresses(LocalDate day, String name, LocalDate written) {
    return new Lake.Place(ADDRESS, day, name, evening(written));
  }

  private static Lake.Place customers(LocalDate day) {
    return new Lake.Place(CUSTOMER, day, "customers-" + day + ".csv", evening(day));
  }

  private static Instant evening(LocalDate day) {
    return day.atTime(LocalTime.of(20, 0)).toInstant(ZoneOffset.UTC);
  }

  private static Row address(int id, String line, String city, String modified) {
    return RowFactory.create(id, line, city, Timestamp.from(Instant.parse(modified)));
  }

  private static List<String> csv(String... rows) {
    List<String> lines = new ArrayList<>(List.of("CustomerID,Name,Phone,ModifiedDate"));
    lines.addAll(List.of(rows));
    return lines;
  }
}
