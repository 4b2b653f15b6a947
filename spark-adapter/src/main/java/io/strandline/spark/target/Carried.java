package io.strandline.spark.target;

import io.strandline.clean.Cleaned;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/** The reserved columns of a cleaner, which go with accepted rows and are not stored. */
final class Carried {
  private static final List<String> NAMES = List.of(Cleaned.RAW_COLUMN, Cleaned.WARNED_COLUMN);

  private Carried() {}

  static boolean isCarried(String column) {
    return NAMES.contains(column);
  }

  static Dataset<Row> dropped(Dataset<Row> rows) {
    return rows.drop(NAMES.toArray(String[]::new));
  }

  /** Returns the names of those that the rows have. */
  static List<String> names(Dataset<Row> rows) {
    return Arrays.stream(rows.columns()).filter(Carried::isCarried).toList();
  }

  static boolean has(Dataset<Row> rows, String column) {
    return List.of(rows.columns()).contains(column);
  }

  /** Returns the names of the fields of a column that is a structure; empty if there is none. */
  static List<String> fields(Dataset<Row> rows, String column) {
    return Optional.of(rows)
        .filter(some -> has(some, column))
        .map(some -> some.schema().apply(column).dataType())
        .filter(StructType.class::isInstance)
        .map(type -> List.of(((StructType) type).fieldNames()))
        .orElse(List.of());
  }
}
