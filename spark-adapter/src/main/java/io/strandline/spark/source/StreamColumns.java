package io.strandline.spark.source;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.watermark.StreamName;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;

/** Matches the columns of two streams by name. */
final class StreamColumns {
  private StreamColumns() {}

  /**
   * Unites the rows of two streams.
   *
   * @param stream a stream
   * @param rows its rows
   * @param other another stream
   * @param otherRows its rows
   * @return the rows of both, with the columns in the order of the first
   * @throws Problem of kind {@code BAD_CONFIGURATION} if one has columns that the other has not, or
   *     has with another type
   */
  static Dataset<Row> union(
      StreamName stream, Dataset<Row> rows, StreamName other, Dataset<Row> otherRows) {
    boolean isCaseSensitive =
        Boolean.parseBoolean(rows.sparkSession().conf().get("spark.sql.caseSensitive"));
    Map<String, StructField> columns = byName(rows, isCaseSensitive);
    Map<String, StructField> otherColumns = byName(otherRows, isCaseSensitive);
    List<String> differences = new ArrayList<>();
    columns.forEach(
        (name, column) -> {
          StructField same = otherColumns.get(name);

          if (same == null) {
            differences.add("column '" + column.name() + "' is missing in '" + other + "'");
          } else if (!text(column.dataType()).equals(text(same.dataType()))) {
            differences.add(
                "column '"
                    + column.name()
                    + "' is "
                    + text(column.dataType())
                    + " in '"
                    + stream
                    + "' and "
                    + text(same.dataType())
                    + " in '"
                    + other
                    + "'");
          }
        });
    otherColumns.forEach(
        (name, column) -> {
          if (!columns.containsKey(name)) {
            differences.add("column '" + column.name() + "' is missing in '" + stream + "'");
          }
        });

    if (!differences.isEmpty()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "read the streams '" + stream + "' and '" + other + "' as one",
          String.join(", and ", differences),
          "Read one of them as a QuerySource that selects the columns of the other.");
    }

    return rows.unionByName(otherRows);
  }

  private static Map<String, StructField> byName(Dataset<Row> rows, boolean isCaseSensitive) {
    Map<String, StructField> columns = new TreeMap<>();

    for (StructField field : rows.schema().fields()) {
      columns.put(isCaseSensitive ? field.name() : field.name().toLowerCase(Locale.ROOT), field);
    }

    return columns;
  }

  private static String text(DataType type) {
    return type.catalogString();
  }
}
