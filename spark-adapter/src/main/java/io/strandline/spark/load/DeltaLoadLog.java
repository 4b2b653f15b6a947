package io.strandline.spark.load;

import io.strandline.load.LoadLog;
import io.strandline.load.LoadLogEntry;
import io.strandline.load.RowCounts;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.NewTable;
import io.strandline.spark.internal.RunSession;
import io.strandline.watermark.StreamRange;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Keeps one row per attempt of a load in a Delta table, which is made when it is first needed.
 *
 * <p>The columns are the parts of a {@link LoadLogEntry}, the counts one by one; {@code ranges} has
 * an element per stream, with watermarks as exact, typed text such as {@code integer:42}. How late
 * the latest of the late rows was is the distance from {@code earliest_late}, null if there are
 * none, to the stored watermark. Each entry is a commit with a small file of its own: compact the
 * table now and then, as with {@code OPTIMIZE}. Immutable and safe for use by several threads; many
 * loads may write one log at once.
 */
public final class DeltaLoadLog implements LoadLog {
  private static final StructType RANGE =
      new StructType()
          .add("stream", DataTypes.StringType)
          .add("stored", DataTypes.StringType)
          .add("after", DataTypes.StringType)
          .add("bound", DataTypes.StringType)
          .add("up_to", DataTypes.StringType)
          .add("next", DataTypes.StringType);

  private static final StructType COLUMNS =
      new StructType()
          .add("load_name", DataTypes.StringType)
          .add("attempt", DataTypes.StringType)
          .add("verb", DataTypes.StringType)
          .add("run_number", DataTypes.LongType)
          .add("outcome", DataTypes.StringType)
          .add("source", DataTypes.StringType)
          .add("target", DataTypes.StringType)
          .add("ranges", DataTypes.createArrayType(RANGE))
          .add("rows_read", DataTypes.LongType)
          .add("rows_inserted", DataTypes.LongType)
          .add("rows_updated", DataTypes.LongType)
          .add("rows_deleted", DataTypes.LongType)
          .add("rows_unchanged", DataTypes.LongType)
          .add("rows_superseded", DataTypes.LongType)
          .add("rows_stale", DataTypes.LongType)
          .add("rows_rejected", DataTypes.LongType)
          .add("rows_filtered", DataTypes.LongType)
          .add("rows_swept", DataTypes.LongType)
          .add("rows_late", DataTypes.LongType)
          .add("earliest_late", DataTypes.StringType)
          .add("rows_waiting", DataTypes.LongType)
          .add("message", DataTypes.StringType)
          .add("started_at", DataTypes.TimestampType)
          .add("finished_at", DataTypes.TimestampType);

  private static final NewTable TABLE = new NewTable(COLUMNS, List.of(), Map.of());

  private final DeltaRef table;

  private DeltaLoadLog(DeltaRef table) {
    this.table = table;
  }

  /**
   * Makes a log in a table of the session's catalogs.
   *
   * @param spark the session
   * @param table the table's name; the table need not exist
   * @return the log
   */
  public static DeltaLoadLog forName(SparkSession spark, String table) {
    return new DeltaLoadLog(DeltaRef.forName(spark, table));
  }

  /**
   * Makes a log in a folder.
   *
   * @param spark the session
   * @param path the folder; it need not exist
   * @return the log
   */
  public static DeltaLoadLog forPath(SparkSession spark, String path) {
    return new DeltaLoadLog(DeltaRef.forPath(spark, path));
  }

  @Override
  public void write(LoadLogEntry entry) {
    TABLE.in(table);
    RowCounts counts = entry.counts();
    Row row =
        RowFactory.create(
            entry.load().value(),
            entry.attempt(),
            entry.verb().name(),
            entry.number(),
            entry.outcome().name(),
            entry.source(),
            entry.target(),
            entry.ranges().stream().map(DeltaLoadLog::range).toArray(Row[]::new),
            counts.read(),
            counts.inserted(),
            counts.updated(),
            counts.deleted(),
            counts.unchanged(),
            counts.superseded(),
            counts.stale(),
            counts.rejected(),
            counts.filtered(),
            counts.swept(),
            entry.late(),
            entry.earliest().isStart() ? null : entry.earliest().typed(),
            entry.waiting(),
            entry.message(),
            micros(entry.startedAt()),
            micros(entry.finishedAt()));
    RunSession.of(table.spark())
        .createDataFrame(List.of(row), COLUMNS)
        .write()
        .format("delta")
        .mode("append")
        .saveAsTable(table.sqlIdentifier());
  }

  private static Row range(StreamRange range) {
    return RowFactory.create(
        range.stream().value(),
        range.stored().typed(),
        range.range().after().typed(),
        range.range().bound().name(),
        range.range().upTo().typed(),
        range.next().typed());
  }

  private static Instant micros(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MICROS);
  }

  /** Returns the name of the table. */
  @Override
  public String toString() {
    return table.name();
  }
}
