package io.strandline.spark.target;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Finds the columns of a history among the rows and in the table, and refuses what does not fit.
 */
final class HistoryResolution {
  private final String table;
  private final ColumnNames names;
  private final HistoryDeclaration declared;

  HistoryResolution(String table, ColumnNames names, HistoryDeclaration declared) {
    this.table = table;
    this.names = names;
    this.declared = declared;
  }

  /** Returns the columns of a table that its rows bring along. */
  StructType withoutHistory(StructType stored) {
    return new StructType(
        Arrays.stream(stored.fields())
            .filter(field -> !isOfHistory(field.name()))
            .toArray(StructField[]::new));
  }

  private boolean isOfHistory(String name) {
    return declared.names().all().stream().anyMatch(other -> names.areSame(other, name));
  }

  /**
   * Finds the columns of the history.
   *
   * @param rows the columns of the rows, by their names in the table
   * @param stored the columns of the table; empty if it does not exist yet
   * @param watermarkColumns the source's watermark columns
   * @throws Problem of kind {@code BAD_CONFIGURATION} if one is not there or of no use, {@code
   *     SCHEMA_MISMATCH} if the table is no such history
   */
  HistoryColumns columns(
      MergeColumns rows, Optional<StructType> stored, List<String> watermarkColumns) {
    for (String name : rows.names()) {
      if (isOfHistory(name)) {
        throw unusable(
            "the cleaned rows have a column '" + name + "', which the history makes itself",
            "Rename or drop it in the cleaner, or name the columns of the history by named(..).");
      }
    }

    String effective = effective(rows, watermarkColumns);
    HistoryColumns columns =
        new HistoryColumns(
                rows, effective, tracked(rows, effective), inTable(stored), new StructType())
            .keepingAs(kept(stored));
    stored.ifPresent(held -> requireHistory(held, columns));
    return columns;
  }

  /** Returns what the table keeps of events; nothing if it was not made for it. */
  private static StructType kept(Optional<StructType> stored) {
    return stored
        .flatMap(
            held ->
                Arrays.stream(held.fields())
                    .filter(field -> field.name().equals(HistoryNames.EVENTS))
                    .findFirst())
        .map(field -> (StructType) ((ArrayType) field.dataType()).elementType())
        .orElseGet(StructType::new);
  }

  private String effective(MergeColumns rows, List<String> watermarkColumns) {
    if (declared.effective().isEmpty() && watermarkColumns.size() != 1) {
      throw unusable(
          "nothing says from when on a row holds: the source has "
              + watermarkColumns.size()
              + " watermark columns",
          "Call effectiveFrom(..) on the target.");
    }

    String name = declared.effective().isEmpty() ? watermarkColumns.get(0) : declared.effective();
    String found = required("effectiveFrom", name, rows);

    if (Columns.kindOf(rows.type(found)).isEmpty()) {
      throw unusable(
          "effectiveFrom(..) names column '"
              + name
              + "' of type "
              + rows.type(found).sql().toLowerCase(Locale.ROOT)
              + ", which has no order in time",
          "Name a timestamp, a date or a number.");
    }

    if (rows.keys().contains(found)) {
      throw unusable("column '" + name + "' is a key", "Name another column.");
    }

    return found;
  }

  private List<String> tracked(MergeColumns rows, String effective) {
    if (declared.tracked().isEmpty()) {
      return rows.names().stream()
          .filter(name -> !rows.keys().contains(name))
          .filter(name -> !name.equals(effective))
          .filter(name -> !rows.versionColumns().contains(name))
          .filter(name -> !rows.stamped().contains(name))
          .toList();
    }

    List<String> tracked = new ArrayList<>();

    for (String name : declared.tracked()) {
      String found = required("tracking", name, rows);

      if (rows.keys().contains(found)
          || found.equals(effective)
          || rows.stamped().contains(found)) {
        throw unusable(
            "tracking(..) names column '"
                + name
                + "', which is a key, stamped, or says from when on a row holds",
            "Leave it out.");
      }

      tracked.add(found);
    }

    return tracked;
  }

  private String required(String call, String name, MergeColumns rows) {
    return names
        .find(name, rows.schema())
        .map(StructField::name)
        .orElseThrow(
            () ->
                unusable(
                    call + "(..) names column '" + name + "', which the cleaned rows do not have",
                    "Their columns are: "
                        + String.join(", ", rows.names())
                        + "."
                        + Columns.nearMiss(name, rows.names())));
  }

  /** Returns the names as the table spells them. */
  private HistoryNames inTable(Optional<StructType> stored) {
    return stored
        .map(
            held ->
                new HistoryNames(
                    spelled(declared.names().from(), held),
                    spelled(declared.names().to(), held),
                    spelled(declared.names().current(), held)))
        .orElse(declared.names());
  }

  private String spelled(String name, StructType held) {
    return names.find(name, held).map(StructField::name).orElse(name);
  }

  private void requireHistory(StructType held, HistoryColumns columns) {
    HistoryNames history = columns.names();
    StructType wanted =
        new StructType()
            .add(history.from(), columns.rows().type(columns.effective()))
            .add(history.to(), columns.rows().type(columns.effective()))
            .add(history.current(), DataTypes.BooleanType);

    for (StructField field : wanted.fields()) {
      Optional<StructField> there = names.find(field.name(), held);

      if (there.filter(found -> fits(found.dataType(), field, columns)).isEmpty()) {
        throw new Problem(
            ProblemKind.SCHEMA_MISMATCH,
            task(),
            "column '"
                + field.name()
                + "' of the history is "
                + there
                    .map(found -> found.dataType().sql().toLowerCase(Locale.ROOT))
                    .orElse("missing")
                + " in the table, and must be "
                + field.dataType().sql().toLowerCase(Locale.ROOT),
            "Name the columns of the history by named(..), or add them to the table.");
      }
    }
  }

  /** The times of a history become wider together with the column that they are times of. */
  private static boolean fits(DataType there, StructField wanted, HistoryColumns columns) {
    return there.equals(wanted.dataType())
        || (columns.rows().drift().changesTable() && Shape.isWider(wanted.dataType(), there));
  }

  private Problem unusable(String reason, String remedy) {
    return new Problem(ProblemKind.BAD_CONFIGURATION, task(), reason, remedy);
  }

  private String task() {
    return "keep the history of rows in " + table;
  }
}
