package io.strandline.spark.internal;

import static java.util.Objects.requireNonNull;

import io.delta.kernel.DataWriteContext;
import io.delta.kernel.Operation;
import io.delta.kernel.Transaction;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.defaults.internal.data.DefaultRowBasedColumnarBatch;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.expressions.Literal;
import io.delta.kernel.hook.PostCommitHook;
import io.delta.kernel.internal.InternalScanFileUtils;
import io.delta.kernel.internal.actions.AddFile;
import io.delta.kernel.internal.actions.SingleAction;
import io.delta.kernel.internal.data.GenericRow;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.transaction.UpdateTableTransactionBuilder;
import io.delta.kernel.types.StringType;
import io.delta.kernel.types.StructField;
import io.delta.kernel.types.StructType;
import io.delta.kernel.types.TimestampType;
import io.delta.kernel.utils.CloseableIterable;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.DataFileStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A commit of a few rows through Delta Kernel, in milliseconds and without a Spark job.
 *
 * <p>Each row is alone in its partition and takes the place of what the partition held. The commit
 * is of the very version that follows the snapshot, or fails: whatever was read in the snapshot
 * still holds in it. For one use by one thread.
 */
public final class SmallCommit {
  private static final String WRITER = "Strandline";
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final int NANOS_PER_MICRO = 1_000;

  private final DeltaRef table;
  private final DeltaSnapshot snapshot;
  private final String partitionColumn;
  private final Transaction transaction;

  private SmallCommit(
      DeltaRef table, DeltaSnapshot snapshot, String partitionColumn, Transaction transaction) {
    this.table = table;
    this.snapshot = snapshot;
    this.partitionColumn = partitionColumn;
    this.transaction = transaction;
  }

  /**
   * What a commit is known by.
   *
   * @param appId what the number is filed under
   * @param number the number, greater than the one that the snapshot holds
   */
  public record RunNumber(String appId, long number) {}

  /**
   * Tells whether this way may be open to a table.
   *
   * <p>It is open to tables partitioned by one column of text that have no other columns than those
   * given, each of text or timestamps. Where a log store was chosen for Spark it is closed: Kernel
   * does not know of that choice, and two writers with different ones do not see each other.
   *
   * @param table the table
   * @param snapshot its version
   * @param partitionColumn the column that it is partitioned by
   * @param columns all columns of the rows
   * @return whether it may be
   */
  public static boolean isOpenTo(
      DeltaRef table, DeltaSnapshot snapshot, String partitionColumn, List<String> columns) {
    return snapshot.partitionColumns().equals(List.of(partitionColumn))
        && isPlain(snapshot.kernel().getSchema(), columns)
        && !Boolean.parseBoolean(snapshot.properties().get("delta.enableChangeDataFeed"))
        && CollectionConverters.asJava(table.spark().conf().getAll()).keySet().stream()
            .noneMatch(key -> key.contains("delta.logStore."));
  }

  private static boolean isPlain(StructType schema, List<String> columns) {
    return Set.copyOf(schema.fieldNames()).equals(Set.copyOf(columns))
        && schema.fields().stream()
            .map(StructField::getDataType)
            .allMatch(type -> type instanceof StringType || type instanceof TimestampType);
  }

  /**
   * Begins a commit.
   *
   * @param table a table that this way may be open to
   * @param snapshot its version
   * @param partitionColumn the column that it is partitioned by
   * @param number what the commit is known by, if by anything
   * @return the commit; empty if the table has a feature that only Spark can write
   */
  public static Optional<SmallCommit> on(
      DeltaRef table, DeltaSnapshot snapshot, String partitionColumn, Optional<RunNumber> number) {
    UpdateTableTransactionBuilder builder =
        snapshot
            .kernel()
            .buildUpdateTableTransaction(WRITER, Operation.WRITE)
            // Kernel would commit on top of others' versions, which nobody has read.
            .withMaxRetries(0);

    try {
      return Optional.of(
          new SmallCommit(
              table,
              snapshot,
              partitionColumn,
              number
                  .map(known -> builder.withTransactionId(known.appId(), known.number()))
                  .orElse(builder)
                  .build(snapshot.engine())));
    } catch (KernelException | UnsupportedOperationException e) {
      // A feature that Kernel cannot write.
      return Optional.empty();
    }
  }

  /**
   * Commits some rows.
   *
   * @param rows the rows, each with the name of its partition; timestamps as {@link Instant}
   * @throws KernelException if another version was committed since the snapshot, so that nothing
   *     was; see {@link Conflicts}
   */
  public void replace(List<Map<String, @Nullable Object>> rows) {
    Engine engine = snapshot.engine();
    List<io.delta.kernel.data.Row> actions = new ArrayList<>();
    Set<String> partitions = new HashSet<>();

    try {
      for (Map<String, @Nullable Object> row : rows) {
        String partition = String.valueOf(row.get(partitionColumn));
        partitions.add(partition);
        addTo(actions, engine, partition, row);
      }

      removeTo(actions, engine, partitions);
      List<PostCommitHook> hooks =
          transaction
              .commit(
                  engine,
                  CloseableIterable.inMemoryIterable(Utils.toCloseableIterator(actions.iterator())))
              .getPostCommitHooks();
      hooks.stream()
          // A checksum of a small table is read by nobody, and costs as much as the commit.
          .filter(hook -> hook.getType() == PostCommitHook.PostCommitHookType.CHECKPOINT)
          .forEach(hook -> tidy(engine, hook));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }

    table.spark().catalog().refreshByPath(snapshot.location());
  }

  private void addTo(
      List<io.delta.kernel.data.Row> actions,
      Engine engine,
      String partition,
      Map<String, @Nullable Object> row)
      throws IOException {
    io.delta.kernel.data.Row state = transaction.getTransactionState(engine);
    Map<String, Literal> partitionValues = Map.of(partitionColumn, Literal.ofString(partition));
    StructType schema = snapshot.kernel().getSchema();
    DataWriteContext context = Transaction.getWriteContext(engine, state, partitionValues);
    FilteredColumnarBatch batch =
        new FilteredColumnarBatch(
            new DefaultRowBasedColumnarBatch(schema, List.of(kernelRow(schema, row))),
            Optional.empty());

    try (CloseableIterator<FilteredColumnarBatch> data =
            Transaction.transformLogicalData(
                engine, state, Utils.singletonCloseableIterator(batch), partitionValues);
        CloseableIterator<DataFileStatus> files =
            engine
                .getParquetHandler()
                .writeParquetFiles(
                    context.getTargetDirectory(), data, context.getStatisticsColumns());
        CloseableIterator<io.delta.kernel.data.Row> added =
            Transaction.generateAppendActions(engine, state, files, context)) {
      added.forEachRemaining(actions::add);
    }
  }

  private static io.delta.kernel.data.Row kernelRow(
      StructType schema, Map<String, @Nullable Object> row) {
    Map<Integer, Object> values = new HashMap<>();

    for (int i = 0; i < schema.length(); i++) {
      Object value = row.get(schema.at(i).getName());

      if (value != null) {
        values.put(i, value);
      }
    }

    return new TimedRow(schema, values);
  }

  /** A row whose numbers are all timestamps; Kernel's own rows hold them, but do not give them. */
  private static final class TimedRow extends GenericRow {
    private final Map<Integer, Object> values;

    TimedRow(StructType schema, Map<Integer, Object> values) {
      super(schema, values);
      this.values = values;
    }

    @Override
    public long getLong(int ordinal) {
      Instant time = (Instant) requireNonNull(values.get(ordinal));
      // ChronoUnit.MICROS.between(..) overflows for years before 1677 on JDK 17.
      return time.getEpochSecond() * MICROS_PER_SECOND + time.getNano() / NANOS_PER_MICRO;
    }
  }

  private void removeTo(
      List<io.delta.kernel.data.Row> actions, Engine engine, Set<String> partitions)
      throws IOException {
    Optional<Long> now = Optional.of(System.currentTimeMillis());

    try (CloseableIterator<FilteredColumnarBatch> batches =
        snapshot.kernel().getScanBuilder().build().getScanFiles(engine)) {
      while (batches.hasNext()) {
        try (CloseableIterator<io.delta.kernel.data.Row> files = batches.next().getRows()) {
          while (files.hasNext()) {
            io.delta.kernel.data.Row file = files.next();

            if (partitions.containsAll(InternalScanFileUtils.getPartitionValues(file).values())) {
              actions.add(
                  SingleAction.createRemoveFileSingleAction(
                      new AddFile(file.getStruct(InternalScanFileUtils.ADD_FILE_ORDINAL))
                          .toRemoveFileRow(true, now)));
            }
          }
        }
      }
    }
  }

  /** Writes a checkpoint where one is due. */
  private static void tidy(Engine engine, PostCommitHook hook) {
    try {
      hook.threadSafeInvoke(engine);
    } catch (IOException | RuntimeException e) {
      // The commit stands without it, and a later one writes the next.
    }
  }
}
