package io.strandline.samples.replaycases;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of the session that a load runs in.
 *
 * @param timeZone the session's zone
 * @param ansi whether casts that fail are errors
 * @param caseSensitive whether columns are told apart by case
 */
record SessionSettings(String timeZone, boolean ansi, boolean caseSensitive) {
  static final SessionSettings DEFAULT = new SessionSettings("UTC", true, false);

  SessionSettings overriddenBy(Fields fields) {
    SessionSettings changed =
        new SessionSettings(
            fields.textIfThere("time_zone").orElse(timeZone),
            fields.flag("ansi", ansi),
            fields.flag("case_sensitive", caseSensitive));
    fields.done();
    return changed;
  }

  Map<String, String> asSparkSettings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("spark.sql.session.timeZone", timeZone);
    settings.put("spark.sql.ansi.enabled", Boolean.toString(ansi));
    settings.put("spark.sql.caseSensitive", Boolean.toString(caseSensitive));
    return settings;
  }
}
