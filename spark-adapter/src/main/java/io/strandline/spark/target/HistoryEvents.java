package io.strandline.spark.target;

import io.strandline.spark.internal.Columns;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The column in which the versions of a history keep their events but the last. */
final class HistoryEvents {
  private HistoryEvents() {}

  /**
   * Returns what a table lacks to keep events.
   *
   * @param held the columns of the table
   * @param columns the columns of the history
   * @return definitions of columns, as they follow ADD COLUMNS; empty if nothing lacks
   */
  static List<String> lacking(StructType held, HistoryColumns columns) {
    Optional<StructField> there =
        Arrays.stream(held.fields())
            .filter(field -> field.name().equals(HistoryNames.EVENTS))
            .findFirst();

    if (there.isEmpty()) {
      return List.of(Columns.quoted(HistoryNames.EVENTS) + " " + columns.eventsType().sql());
    }

    StructType kept = (StructType) ((ArrayType) there.get().dataType()).elementType();
    return Arrays.stream(columns.event().fields())
        .filter(field -> !List.of(kept.fieldNames()).contains(field.name()))
        .map(
            field ->
                Columns.quoted(HistoryNames.EVENTS)
                    + ".element."
                    + Columns.quoted(field.name())
                    + " "
                    + field.dataType().sql())
        .toList();
  }
}
