package io.strandline.spark.internal;

import io.delta.kernel.Scan;
import io.delta.kernel.Snapshot;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.engine.FileReadResult;
import io.delta.kernel.exceptions.CheckpointAlreadyExistsException;
import io.delta.kernel.expressions.Column;
import io.delta.kernel.expressions.Literal;
import io.delta.kernel.internal.InternalScanFileUtils;
import io.delta.kernel.internal.ScanImpl;
import io.delta.kernel.internal.SnapshotImpl;
import io.delta.kernel.internal.actions.AddFile;
import io.delta.kernel.internal.actions.DeletionVectorDescriptor;
import io.delta.kernel.internal.data.ScanStateRow;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.types.ByteType;
import io.delta.kernel.types.DataType;
import io.delta.kernel.types.DateType;
import io.delta.kernel.types.DecimalType;
import io.delta.kernel.types.IntegerType;
import io.delta.kernel.types.LongType;
import io.delta.kernel.types.ShortType;
import io.delta.kernel.types.StringType;
import io.delta.kernel.types.StructField;
import io.delta.kernel.types.StructType;
import io.delta.kernel.types.TimestampNTZType;
import io.delta.kernel.types.TimestampType;
import io.delta.kernel.utils.CloseableIterator;
import io.strandline.watermark.TableSnapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.apache.spark.sql.delta.DeltaColumnMapping;
import org.jspecify.annotations.Nullable;

/**
 * One version of a Delta table, read from its log without a Spark job.
 *
 * <p>Immutable; safe for use by several threads.
 */
public final class DeltaSnapshot {
  private final Engine engine;
  private final Snapshot snapshot;
  private final String location;

  DeltaSnapshot(Engine engine, Snapshot snapshot, String location) {
    this.engine = engine;
    this.snapshot = snapshot;
    this.location = location;
  }

  Engine engine() {
    return engine;
  }

  Snapshot kernel() {
    return snapshot;
  }

  /** Returns the version. */
  public long version() {
    return snapshot.getVersion();
  }

  /** Returns when the version was committed. */
  public Instant committedAt() {
    return Instant.ofEpochMilli(snapshot.getTimestamp(engine));
  }

  /** Returns the id that the table was given when it was made. */
  public String tableId() {
    return snapshot.getMetadata().getId();
  }

  /** Returns the folder that the table lies in. */
  public String location() {
    return location;
  }

  /** Returns table id and version in the core's words. */
  public TableSnapshot asTableSnapshot() {
    return new TableSnapshot(tableId(), version());
  }

  /** Returns the columns as Spark has them. */
  public org.apache.spark.sql.types.StructType schema() {
    return (org.apache.spark.sql.types.StructType)
        org.apache.spark.sql.types.DataType.fromJson(snapshot.getMetadata().getSchemaString());
  }

  /** Returns the columns that the table is partitioned by. */
  public List<String> partitionColumns() {
    return List.copyOf(snapshot.getPartitionColumnNames());
  }

  /** Returns the table's properties. */
  public Map<String, String> properties() {
    return Map.copyOf(snapshot.getTableProperties());
  }

  /**
   * Returns the number that the table's log holds for an application.
   *
   * @param appId the application id
   * @return the number; zero if there is none
   */
  public long transaction(String appId) {
    return snapshot.getLatestTransactionVersion(engine, appId).orElse(0L);
  }

  /** Tells whether the table has any file of rows; the rows may all be deleted in it. */
  public boolean hasFiles() {
    return hasFile(scan().getScanFiles(engine), file -> true);
  }

  /**
   * Hands over the size of every file of rows, in bytes.
   *
   * @param sizes takes them, in no order
   */
  public void eachFileSize(LongConsumer sizes) {
    hasFile(
        scan().getScanFiles(engine),
        file -> {
          sizes.accept(InternalScanFileUtils.getAddFileStatus(file).getSize());
          return false;
        });
  }

  /**
   * Returns what the log tells of some columns in all files of rows.
   *
   * @param columns the columns, at least one, by their exact names
   * @return the values; empty if the log does not tell of all files, or there are none
   */
  public Optional<FileValues> values(List<String> columns) {
    org.apache.spark.sql.types.StructType inFiles = columnsOfFiles(columns);
    List<FileValues> all = new ArrayList<>();
    boolean isUnknown =
        hasFile(
            ((ScanImpl) scan()).getScanFiles(engine, true),
            file -> {
              Optional<FileValues> values = valuesOf(file, inFiles);
              values.ifPresent(all::add);
              return values.isEmpty();
            });
    return isUnknown ? Optional.empty() : all.stream().reduce(FileValues::and);
  }

  private static Optional<FileValues> valuesOf(
      io.delta.kernel.data.Row file, org.apache.spark.sql.types.StructType columns) {
    AddFile added = new AddFile(file.getStruct(InternalScanFileUtils.ADD_FILE_ORDINAL));
    long deleted =
        added.getDeletionVector().map(DeletionVectorDescriptor::getCardinality).orElse(0L);
    return added.getStatsJson().flatMap(json -> FileValues.of(json, deleted, columns));
  }

  /** Returns columns by the names that they have in files, and in their statistics. */
  org.apache.spark.sql.types.StructType columnsOfFiles(List<String> columns) {
    org.apache.spark.sql.types.StructType schema = schema();
    org.apache.spark.sql.types.StructType inFiles = new org.apache.spark.sql.types.StructType();

    for (String name : columns) {
      org.apache.spark.sql.types.StructField column = schema.apply(name);
      inFiles = inFiles.add(DeltaColumnMapping.getPhysicalName(column), column.dataType());
    }

    return inFiles;
  }

  private Scan scan() {
    return snapshot.getScanBuilder().build();
  }

  /** Looks at files one after the other, until one is as asked for. */
  private static boolean hasFile(
      CloseableIterator<FilteredColumnarBatch> found, Predicate<io.delta.kernel.data.Row> asked) {
    try (CloseableIterator<FilteredColumnarBatch> batches = found) {
      while (batches.hasNext()) {
        try (CloseableIterator<io.delta.kernel.data.Row> files = batches.next().getRows()) {
          while (files.hasNext()) {
            if (asked.test(files.next())) {
              return true;
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }

    return false;
  }

  /** Writes a checkpoint of this version, unless it has one: readers then need no log before it. */
  public void checkpoint() {
    // Where a file is renamed onto another one without a word, as on a local disk, the checkpoint
    // would be replaced under readers that have listed it, this snapshot among them.
    if (hasCheckpoint()) {
      return;
    }

    try {
      snapshot.writeCheckpoint(engine);
    } catch (CheckpointAlreadyExistsException e) {
      // It is there, which is all that was asked for.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean hasCheckpoint() {
    return ((SnapshotImpl) snapshot)
        .getLogSegment()
        .getCheckpointVersionOpt()
        .filter(version -> version == version())
        .isPresent();
  }

  /**
   * Reads the rows of a small table that have a given text in a column.
   *
   * <p>Timestamps come as {@link Instant}, zone-less ones as {@link LocalDateTime}, dates as {@link
   * LocalDate}, whole numbers as {@link Long}, decimals as {@link java.math.BigDecimal}, text as
   * {@link String}.
   *
   * @param columns the columns to read, by their exact names
   * @param column one of them, of text; files are pruned by it if the table is partitioned by it
   * @param text the text
   * @return the rows, in no order
   * @throws IllegalArgumentException if a column is of another type than those above
   */
  public List<Map<String, @Nullable Object>> rows(
      List<String> columns, String column, String text) {
    StructType schema = new StructType();

    for (String name : columns) {
      schema = schema.add(snapshot.getSchema().get(name));
    }

    io.delta.kernel.expressions.Predicate filter =
        new io.delta.kernel.expressions.Predicate("=", new Column(column), Literal.ofString(text));
    Scan scan = snapshot.getScanBuilder().withReadSchema(schema).withFilter(filter).build();
    io.delta.kernel.data.Row state = scan.getScanState(engine);
    StructType physical = ScanStateRow.getPhysicalDataReadSchema(state);
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();

    try (CloseableIterator<FilteredColumnarBatch> batches = scan.getScanFiles(engine)) {
      while (batches.hasNext()) {
        try (CloseableIterator<io.delta.kernel.data.Row> files = batches.next().getRows()) {
          while (files.hasNext()) {
            readFile(state, physical, files.next(), schema, rows);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }

    rows.removeIf(row -> !text.equals(row.get(column)));
    return rows;
  }

  private void readFile(
      io.delta.kernel.data.Row state,
      StructType physical,
      io.delta.kernel.data.Row file,
      StructType schema,
      List<Map<String, @Nullable Object>> rows)
      throws IOException {
    try (CloseableIterator<FileReadResult> read =
            engine
                .getParquetHandler()
                .readParquetFiles(
                    Utils.singletonCloseableIterator(InternalScanFileUtils.getAddFileStatus(file)),
                    physical,
                    Optional.empty());
        CloseableIterator<FilteredColumnarBatch> logical =
            Scan.transformPhysicalData(engine, state, file, read.map(FileReadResult::getData))) {
      while (logical.hasNext()) {
        try (CloseableIterator<io.delta.kernel.data.Row> batch = logical.next().getRows()) {
          while (batch.hasNext()) {
            rows.add(values(batch.next(), schema));
          }
        }
      }
    }
  }

  private static Map<String, @Nullable Object> values(
      io.delta.kernel.data.Row row, StructType schema) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();

    for (int i = 0; i < schema.length(); i++) {
      StructField field = schema.at(i);
      values.put(field.getName(), row.isNullAt(i) ? null : value(row, i, field.getDataType()));
    }

    return values;
  }

  private static Object value(io.delta.kernel.data.Row row, int i, DataType type) {
    if (type instanceof StringType) {
      return row.getString(i);
    }

    if (type instanceof TimestampType) {
      return Instant.EPOCH.plus(row.getLong(i), ChronoUnit.MICROS);
    }

    if (type instanceof TimestampNTZType) {
      return LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC)
          .plus(row.getLong(i), ChronoUnit.MICROS);
    }

    if (type instanceof DateType) {
      return LocalDate.ofEpochDay(row.getInt(i));
    }

    if (type instanceof LongType) {
      return row.getLong(i);
    }

    if (type instanceof IntegerType) {
      return (long) row.getInt(i);
    }

    if (type instanceof ShortType) {
      return (long) row.getShort(i);
    }

    if (type instanceof ByteType) {
      return (long) row.getByte(i);
    }

    if (type instanceof DecimalType) {
      return row.getDecimal(i);
    }

    throw new IllegalArgumentException(
        "Cannot read column '" + row.getSchema().at(i).getName() + "' of type " + type + ".");
  }
}
