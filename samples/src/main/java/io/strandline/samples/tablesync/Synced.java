package io.strandline.samples.tablesync;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * What the connector brings on one day: for each landing table that it syncs all rows, as they are
 * at the source.
 *
 * @param day what the day is called
 * @param story what a person should notice
 * @param loadedAt when the load runs, after it
 * @param tables the rows by landing table; one that is not synced that day is missing
 */
record Synced(String day, String story, Instant loadedAt, Map<String, List<Row>> tables) {
  /** The codes that are in use. */
  static final String ACTIVE = "LOOKUP";

  /** The codes of the past. */
  static final String ARCHIVE = "LOOKUP_PP";

  private static final String MONDAY = "2026-03-02";
  private static final String TUESDAY = "2026-03-03";
  private static final String WEDNESDAY = "2026-03-04";
  private static final String THURSDAY = "2026-03-05";

  /** Returns the days of the story, in the order in which they come. */
  static List<Synced> days() {
    return List.of(
        day(
            "monday",
            "both tables, for the first time",
            MONDAY,
            Map.of(ACTIVE, activeOnMonday(), ARCHIVE, archiveOnMonday())),
        day(
            "tuesday",
            "a bungalow is called otherwise and the studio is flagged; the archive is late",
            TUESDAY,
            Map.of(ACTIVE, activeOnTuesday())),
        day(
            "wednesday",
            "what the archive should have brought on monday night, and a loft",
            WEDNESDAY,
            Map.of(ACTIVE, activeOnWednesday(), ARCHIVE, archiveOnWednesday())),
        day(
            "thursday",
            "a duplex; the archive has lost four rows without a word",
            THURSDAY,
            Map.of(ACTIVE, activeOnThursday(), ARCHIVE, archiveOnThursday())));
  }

  private static Synced day(String name, String story, String date, Map<String, List<Row>> tables) {
    return new Synced(name, story, at(date, "07:00"), tables);
  }

  private static List<Row> activeOnMonday() {
    return List.of(
        code("FLT", "Flat", 0, MONDAY, "06:00"),
        code("HSE", "House", 0, MONDAY, "06:00"),
        code("COT", "Cottage", 0, MONDAY, "06:00"),
        code("BGW", "Bungalow", 0, MONDAY, "06:00"),
        code("STU", "Studio", 0, MONDAY, "06:00"));
  }

  private static List<Row> activeOnTuesday() {
    return List.of(
        activeOnMonday().get(0),
        activeOnMonday().get(1),
        activeOnMonday().get(2),
        code("BGW", "Detached bungalow", 0, TUESDAY, "06:00"),
        code("STU", "Studio", 1, TUESDAY, "06:00"));
  }

  private static List<Row> activeOnWednesday() {
    return with(activeOnTuesday(), code("LFT", "Loft", 0, WEDNESDAY, "06:00"));
  }

  private static List<Row> activeOnThursday() {
    return with(activeOnWednesday(), code("DPX", "Duplex", 0, THURSDAY, "06:00"));
  }

  private static List<Row> archiveOnMonday() {
    return List.of(
        code("BED", "Bedsit", 0, MONDAY, "06:05"),
        code("HUT", "Hut", 0, MONDAY, "06:05"),
        code("MAI", "Maisonette", 0, MONDAY, "06:05"),
        code("PRE", "Prefab", 0, MONDAY, "06:05"));
  }

  private static List<Row> archiveOnWednesday() {
    return with(archiveOnMonday(), code("ALM", "Almshouse", 0, MONDAY, "23:00"));
  }

  private static List<Row> archiveOnThursday() {
    return archiveOnWednesday().subList(4, 5);
  }

  private static List<Row> with(List<Row> rows, Row more) {
    List<Row> all = new ArrayList<>(rows);
    all.add(more);
    return all;
  }

  private static Row code(String id, String description, int isGone, String date, String time) {
    return RowFactory.create(id, description, isGone, at(date, time));
  }

  private static Instant at(String date, String time) {
    return Instant.parse(date + "T" + time + ":00Z");
  }
}
