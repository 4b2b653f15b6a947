package io.strandline.spark.watermark;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.States;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StoreState;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * One version of a watermark table, its columns found and their types checked.
 *
 * @param title what the table is called in messages
 * @param snapshot the version
 * @param name the column of the row's name, as the table spells it
 * @param value the column of the watermark
 * @param updated the column of the time of the last change; null if there is none
 * @param typed the column for what the value column cannot hold; null if there is none
 * @param state the column of the state; null if there is none
 */
record ControlTable(
    String title,
    DeltaSnapshot snapshot,
    String name,
    ValueColumn value,
    @Nullable StructField updated,
    @Nullable String typed,
    @Nullable String state) {

  /** A row as it stands in the table: the columns that a move compares, and what they say. */
  record FoundRow(
      @Nullable Object value,
      @Nullable String typed,
      @Nullable Object updated,
      StoredStream stream) {}

  static ControlTable of(String title, DeltaSnapshot snapshot, ControlColumns columns) {
    StructType schema = snapshot.schema();
    StructField name = required(title, schema, columns.name(), columns);
    StructField value = required(title, schema, columns.value(), columns);
    requireText(title, name);
    StructField updated = optional(title, schema, columns.updated(), columns);
    StructField typed = optional(title, schema, columns.typed(), columns);
    StructField state = optional(title, schema, columns.state(), columns);

    if (updated != null
        && !(updated.dataType() instanceof TimestampType)
        && !(updated.dataType() instanceof TimestampNTZType)) {
      throw unusable(title, updated, "a timestamp");
    }

    if (typed != null) {
      requireText(title, typed);
    }

    if (state != null) {
      requireText(title, state);
    }

    ValueColumn valueColumn = new ValueColumn(value.name(), value.dataType(), columns.kind());

    if (valueColumn.kind().isEmpty() && !valueColumn.isSelfDescribing()) {
      WatermarkKind declared = columns.kind();
      throw unusable(
          title,
          value,
          declared == null
              ? "a timestamp, a date, a whole or decimal number, or text"
              : "one that holds watermarks of kind " + declared.word());
    }

    return new ControlTable(
        title,
        snapshot,
        name.name(),
        valueColumn,
        updated,
        typed == null ? null : typed.name(),
        state == null ? null : state.name());
  }

  private static StructField required(
      String title, StructType schema, String column, ControlColumns columns) {
    return find(schema, column)
        .orElseThrow(
            () ->
                new Problem(
                    ProblemKind.BAD_CONFIGURATION,
                    "keep watermarks in " + title,
                    "the table has no column '"
                        + column
                        + "'; its columns are "
                        + String.join(", ", schema.fieldNames()),
                    (columns.origin() == ControlColumns.Origin.OWN
                            ? "Name its columns with nameColumn(..) and valueColumn(..)."
                            : "Name a column that it has.")
                        + Columns.nearMiss(column, Arrays.asList(schema.fieldNames()))));
  }

  private static @Nullable StructField optional(
      String title, StructType schema, @Nullable String column, ControlColumns columns) {
    if (column == null) {
      return null;
    }

    return columns.origin() == ControlColumns.Origin.OWN
        ? find(schema, column).orElse(null)
        : required(title, schema, column, columns);
  }

  /** Finds a column by its exact name, or as Spark does, whatever the case. */
  private static Optional<StructField> find(StructType schema, String column) {
    return Arrays.stream(schema.fields())
        .filter(field -> field.name().equals(column))
        .findFirst()
        .or(
            () ->
                Arrays.stream(schema.fields())
                    .filter(
                        field ->
                            field
                                .name()
                                .toLowerCase(Locale.ROOT)
                                .equals(column.toLowerCase(Locale.ROOT)))
                    .findFirst());
  }

  private static void requireText(String title, StructField field) {
    if (!(field.dataType() instanceof StringType)) {
      throw unusable(title, field, "text");
    }
  }

  private static Problem unusable(String title, StructField field, String wanted) {
    return new Problem(
        ProblemKind.BAD_CONFIGURATION,
        "keep watermarks in " + title,
        "column '" + field.name() + "' is of type " + field.dataType().sql() + ", not " + wanted,
        "Name another column, or change its type.");
  }

  /** Tells whether the row of every name is a partition of its own. */
  boolean isPartitionedByName() {
    return snapshot.partitionColumns().stream().anyMatch(column -> column.equalsIgnoreCase(name));
  }

  /** Returns the columns that are read. */
  List<String> columns() {
    List<String> columns = new ArrayList<>(List.of(name, value.name()));

    if (updated != null) {
      columns.add(updated.name());
    }

    if (typed != null) {
      columns.add(typed);
    }

    if (state != null) {
      columns.add(state);
    }

    return columns;
  }

  /**
   * Reads the row of a name.
   *
   * @param load the load, for messages
   * @param rowName the name
   * @return the row; empty if there is none
   * @throws Problem of kind {@code MULTIPLE_WATERMARK_ROWS} if there are several
   */
  Optional<FoundRow> row(LoadName load, String rowName) {
    List<Map<String, @Nullable Object>> rows = snapshot.rows(columns(), name, rowName);

    if (rows.size() > 1) {
      throw new Problem(
          ProblemKind.MULTIPLE_WATERMARK_ROWS,
          "tell how far load '" + load + "' got",
          title
              + " has "
              + rows.size()
              + " rows of name '"
              + rowName
              + "', holding "
              + String.join(" and ", rows.stream().map(this::text).sorted().toList()),
          "Delete all of them but the one that is true.");
    }

    return rows.stream().findFirst().map(row -> found(rowName, row));
  }

  private String text(Map<String, @Nullable Object> row) {
    Object typedText = typed == null ? null : row.get(typed);
    Object plain = row.get(value.name());
    return plain == null && typedText != null ? typedText.toString() : String.valueOf(plain);
  }

  private FoundRow found(String rowName, Map<String, @Nullable Object> row) {
    Object rawValue = row.get(value.name());
    String typedText = typed == null ? null : (String) row.get(typed);
    Object rawUpdated = updated == null ? null : row.get(updated.name());
    String stateText = state == null ? null : (String) row.get(state);
    return new FoundRow(
        value.raw(rawValue),
        typedText,
        rawUpdated,
        new StoredStream(
            watermark(rowName, rawValue, typedText),
            instant(rawUpdated),
            stateText == null ? StoreState.none() : States.fromJson(stateText)));
  }

  private static Instant instant(@Nullable Object raw) {
    if (raw instanceof LocalDateTime time) {
      return time.toInstant(ZoneOffset.UTC);
    }

    return raw instanceof Instant time ? time : Instant.MIN;
  }

  private Watermark watermark(
      String rowName, @Nullable Object rawValue, @Nullable String typedText) {
    Watermark plain;

    try {
      plain = value.read(rawValue);
    } catch (RuntimeException e) {
      throw unreadable(rowName, value.name(), String.valueOf(rawValue), e);
    }

    if (typed == null || typedText == null || typedText.isBlank()) {
      return plain;
    }

    Watermark exact;

    try {
      exact = Watermark.parse(typedText);
    } catch (RuntimeException e) {
      throw unreadable(rowName, typed, typedText, e);
    }

    if (plain.isStart() || plain.equals(exact)) {
      return exact;
    }

    throw new Problem(
        ProblemKind.DECISION_NEEDED,
        "tell what row '" + rowName + "' of " + title + " says",
        "column '"
            + value.name()
            + "' holds "
            + plain
            + " and column '"
            + typed
            + "' holds '"
            + typedText
            + "', and only one of them may be filled",
        "Set the other one to null.");
  }

  private Problem unreadable(String rowName, String column, String text, RuntimeException cause) {
    String remedy =
        value.isSelfDescribing() || column.equals(typed)
            ? "Write the kind before it, such as 'integer:42' or 'timestamp:2026-07-01T00:00:00Z'"
                + (column.equals(typed)
                    ? "."
                    : ", or say what the text stands for with valueColumn(\""
                        + column
                        + "\", WatermarkKind.LOCAL_TIMESTAMP) or whichever kind it is.")
            : "Write a value of that kind.";
    return new Problem(
        ProblemKind.BAD_CONFIGURATION,
        "tell what row '" + rowName + "' of " + title + " says",
        "column '"
            + column
            + "' holds '"
            + text
            + "', which is no watermark"
            + (value.declared() == null || column.equals(typed)
                ? ""
                : " of kind " + value.declared().word()),
        remedy,
        cause);
  }

  /**
   * Refuses a watermark for which no column has room.
   *
   * @throws Problem of kind {@code BAD_CONFIGURATION} if neither column holds the watermark exactly
   */
  void requireRoomFor(Watermark watermark) {
    if (watermark.isStart() || value.holds(watermark) || typed != null) {
      return;
    }

    throw new Problem(
        ProblemKind.BAD_CONFIGURATION,
        "keep watermark " + watermark + " in " + title,
        "column '"
            + value.name()
            + "' of type "
            + value.type().sql()
            + " cannot hold this value of kind "
            + watermark.kind().word()
            + " exactly",
        "Add a column of text for such watermarks (ALTER TABLE .. ADD COLUMN typed_value STRING);"
            + " in a table of other make, name one with typedColumn(..).");
  }

  /** Returns what to write to the value column; null if the watermark stands elsewhere. */
  @Nullable Object valueOf(Watermark watermark) {
    return !watermark.isStart() && value.holds(watermark) ? value.write(watermark) : null;
  }

  /** Returns what to write to the column of typed text; null if the watermark stands elsewhere. */
  @Nullable String typedOf(Watermark watermark) {
    return watermark.isStart() || value.holds(watermark) ? null : watermark.typed();
  }

  /** Returns what to write to the column of the time of the last change. */
  @Nullable Object updatedAt(Instant now) {
    if (updated == null) {
      return null;
    }

    return updated.dataType() instanceof TimestampNTZType
        ? LocalDateTime.ofInstant(now, ZoneOffset.UTC)
        : now;
  }

  /** Returns the type of the column of the time of the last change; any type if there is none. */
  DataType updatedType() {
    return updated == null ? DataTypes.TimestampType : updated.dataType();
  }
}
