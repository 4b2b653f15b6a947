package io.strandline.spark.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What a table's log tells of some columns in files of rows, where every row has a value in each of
 * them.
 *
 * @param rows how many rows the files have, more than none
 * @param least no value of the first column lies below it; it need not be one, since statistics
 *     have whole milliseconds and the beginnings of long texts
 * @param reached there is a row, which may be deleted, whose value of the first column is at least
 *     this
 */
public record FileValues(long rows, Watermark least, Watermark reached) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

  /** Before, zones had offsets with seconds, which statistics leave out. */
  private static final Watermark OFFSETS_OF_MINUTES =
      Watermark.at(Instant.parse("1972-01-08T00:00:00Z"));

  /**
   * Reads the statistics of one file.
   *
   * @param statistics what the log has of the file, as JSON
   * @param deleted how many of the file's rows are deleted
   * @param columns the columns, at least one, by the names that they have in files
   * @return the values; empty if the statistics do not tell, the file has no rows, or some lack a
   *     value
   */
  static Optional<FileValues> of(String statistics, long deleted, StructType columns) {
    try {
      JsonNode found = JSON.readTree(statistics);
      long rows = found.path("numRecords").asLong() - deleted;
      JsonNode missing = found.path("nullCount");
      boolean isComplete =
          Stream.of(columns.fieldNames()).allMatch(name -> missing.path(name).asLong(1) == 0);
      return rows > 0 && isComplete
          ? least(found.path("minValues"), columns.apply(0))
              .map(least -> new FileValues(rows, least, least))
          : Optional.empty();
    } catch (JsonProcessingException | IllegalArgumentException e) {
      // Other writers' statistics are a help, and no promise: the rows tell.
      return Optional.empty();
    }
  }

  private static Optional<Watermark> least(JsonNode values, StructField column) {
    JsonNode value = values.path(column.name());
    return value.isTextual() || value.isNumber()
        ? Columns.kindOf(column.dataType())
            .map(kind -> Watermark.parse(kind, value.asText()))
            .filter(least -> isExact(least, value.asText()))
        : Optional.empty();
  }

  private static boolean isExact(Watermark least, String text) {
    return least.kind() != WatermarkKind.TIMESTAMP
        || text.endsWith("Z")
        || least.isAfter(OFFSETS_OF_MINUTES);
  }

  /** Returns what is known of these files and others together. */
  FileValues and(FileValues others) {
    return new FileValues(
        rows + others.rows,
        least.isAfter(others.least) ? others.least : least,
        Watermark.max(reached, others.reached));
  }
}
