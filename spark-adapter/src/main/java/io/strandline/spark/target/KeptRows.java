package io.strandline.spark.target;

import com.google.common.collect.AbstractIterator;
import java.util.Arrays;
import java.util.Iterator;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.LogicalRDD$;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.unsafe.Platform;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * Rows that the executors keep, in memory and where that is full on disk, as the first look at them
 * has computed them. If an executor is lost with what it kept, later looks fail; nothing is
 * computed a second time.
 *
 * <p>This is what {@link Dataset#localCheckpoint(boolean)} does, only that it keeps an object for
 * every row, which the garbage collector moves about for as long as computing them took: ten
 * million rows cost it 7 seconds of 21. Here many rows lie in one array, as Spark lays them out
 * itself. Safe for use by several threads.
 */
final class KeptRows {
  /**
   * The bytes of an array, unless one row needs more. The garbage collector of Java 17 treats an
   * array of half a megabyte and more as a case of its own, and Spark looks after every sixteenth
   * whether there is still room.
   */
  private static final int BLOCK_SIZE = 256 << 10;

  /** In front of each row stands its size; rows are laid out in words of eight bytes. */
  private static final int SIZE_OF_HEADER = Long.BYTES;

  private final JavaRDD<byte[]> blocks;
  private final Dataset<Row> rows;

  private KeptRows(JavaRDD<byte[]> blocks, Dataset<Row> rows) {
    this.blocks = blocks;
    this.rows = rows;
  }

  /**
   * Keeps rows from the first look at them on, which must be at all of them.
   *
   * @param computed the rows
   * @return the rows, which nothing has computed yet
   */
  static KeptRows of(Dataset<Row> computed) {
    org.apache.spark.sql.classic.Dataset<Row> dataset =
        (org.apache.spark.sql.classic.Dataset<Row>) computed;
    QueryExecution query = dataset.queryExecution();
    // So that whoever listens to Spark's queries is told of this one, as of Spark's own checkpoint.
    JavaRDD<InternalRow> found =
        SQLExecution.withNewExecutionId(
                query, Option.apply("localCheckpoint"), () -> query.executedPlan().execute())
            .toJavaRDD();
    int columns = computed.columns().length;
    JavaRDD<byte[]> blocks =
        found.mapPartitions(Packed::new).persist(StorageLevel.MEMORY_AND_DISK());
    blocks.rdd().localCheckpoint();
    return new KeptRows(
        blocks,
        org.apache.spark.sql.classic.Dataset.ofRows(
            dataset.sparkSession(),
            LogicalRDD$.MODULE$.fromDataset(
                blocks.mapPartitions(packed -> new Unpacked(packed, columns)).rdd(),
                dataset,
                false)));
  }

  /** Returns the rows. */
  Dataset<Row> rows() {
    return rows;
  }

  /** Lets the executors forget the rows; they are gone then. */
  void release() {
    blocks.unpersist(false);
  }

  /** Puts rows into arrays. What is left of an array is zero, which is the size of no row. */
  private static final class Packed extends AbstractIterator<byte[]> {
    private final Iterator<InternalRow> rows;
    private @Nullable UnsafeRow next;

    Packed(Iterator<InternalRow> rows) {
      this.rows = rows;
      this.next = nextRow();
    }

    private @Nullable UnsafeRow nextRow() {
      // A plan of Spark's gives its rows in this form; Spark collects them by it.
      return rows.hasNext() ? (UnsafeRow) rows.next() : null;
    }

    @Override
    protected byte @Nullable [] computeNext() {
      if (next == null) {
        return endOfData();
      }

      byte[] block = new byte[Math.max(BLOCK_SIZE, sizeOf(next))];
      int used = 0;

      while (next != null && used + sizeOf(next) <= block.length) {
        int size = sizeOf(next);
        long at = Platform.BYTE_ARRAY_OFFSET + (long) used;
        Platform.putLong(block, at, size);
        next.writeToMemory(block, at + SIZE_OF_HEADER);
        used += size;
        next = nextRow();
      }

      return next == null ? Arrays.copyOf(block, used) : block;
    }

    private static int sizeOf(UnsafeRow row) {
      return SIZE_OF_HEADER + row.getSizeInBytes();
    }
  }

  /** Finds the rows again. None is copied: a row is what its array says, and no array changes. */
  private static final class Unpacked extends AbstractIterator<InternalRow> {
    private final Iterator<byte[]> blocks;
    private final int columns;
    private byte[] block = new byte[0];
    private int used;

    Unpacked(Iterator<byte[]> blocks, int columns) {
      this.blocks = blocks;
      this.columns = columns;
    }

    @Override
    protected @Nullable InternalRow computeNext() {
      while (size() == 0) {
        if (!blocks.hasNext()) {
          return endOfData();
        }

        block = blocks.next();
        used = 0;
      }

      int size = size();
      UnsafeRow row = new UnsafeRow(columns);
      row.pointTo(
          block, Platform.BYTE_ARRAY_OFFSET + (long) used + SIZE_OF_HEADER, size - SIZE_OF_HEADER);
      used += size;
      return row;
    }

    private int size() {
      return used < block.length
          ? (int) Platform.getLong(block, Platform.BYTE_ARRAY_OFFSET + (long) used)
          : 0;
    }
  }
}
