package io.strandline.spark.target;

import io.strandline.target.Deletes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a user declared of a merge, by the names that the cleaned rows have.
 *
 * @param keys what tells rows apart
 * @param order where the sequence comes from
 * @param sequence the declared sequence; empty unless the order is {@code DECLARED}
 * @param ties what decides between versions of equal sequence and cursor
 * @param stamped what is written but neither compared nor hashed
 * @param nullKeys what becomes of rows without a key
 * @param deletes which rows are deletes; null if none is
 */
record MergeDeclaration(
    List<String> keys,
    Order order,
    List<String> sequence,
    List<String> ties,
    List<String> stamped,
    NullKeys nullKeys,
    @Nullable Deletes deletes) {

  /** Where the sequence comes from. */
  enum Order {
    WATERMARK,
    DECLARED,
    LAST_READ
  }

  /** Copies the lists. */
  MergeDeclaration {
    keys = List.copyOf(keys);
    sequence = List.copyOf(sequence);
    ties = List.copyOf(ties);
    stamped = List.copyOf(stamped);
  }

  static MergeDeclaration matchedOn(List<String> keys) {
    return new MergeDeclaration(
        keys, Order.WATERMARK, List.of(), List.of(), List.of(), NullKeys.REJECTED, null);
  }

  MergeDeclaration sequencedBy(List<String> columns) {
    requireOrder("sequencedBy(..)", Order.LAST_READ, "lastReadWins()");
    return new MergeDeclaration(keys, Order.DECLARED, columns, ties, stamped, nullKeys, deletes);
  }

  MergeDeclaration lastReadWins() {
    requireOrder("lastReadWins()", Order.DECLARED, "sequencedBy(..)");
    return new MergeDeclaration(keys, Order.LAST_READ, List.of(), ties, stamped, nullKeys, deletes);
  }

  MergeDeclaration tieBrokenBy(List<String> columns) {
    return new MergeDeclaration(keys, order, sequence, columns, stamped, nullKeys, deletes);
  }

  MergeDeclaration stamped(List<String> columns) {
    return new MergeDeclaration(keys, order, sequence, ties, columns, nullKeys, deletes);
  }

  MergeDeclaration nullKeysMatch() {
    return new MergeDeclaration(keys, order, sequence, ties, stamped, NullKeys.MATCHED, deletes);
  }

  MergeDeclaration deletedWhen(Deletes newDeletes) {
    return new MergeDeclaration(keys, order, sequence, ties, stamped, nullKeys, newDeletes);
  }

  private void requireOrder(String call, Order contradiction, String earlierCall) {
    if (order == contradiction) {
      throw new IllegalArgumentException(
          "Cannot call "
              + call
              + ": "
              + earlierCall
              + " was called before, and only one of them can say which row is newer.");
    }
  }

  /** Returns what is remembered of the declaration: keys, sequence and mode. */
  @Override
  public String toString() {
    List<String> words = new ArrayList<>();
    words.add("merged on " + String.join(", ", keys));
    words.add(
        switch (order) {
          case WATERMARK -> "sequenced by the watermark";
          case DECLARED -> "sequenced by " + String.join(", ", sequence);
          case LAST_READ -> "the row read last wins";
        });

    if (nullKeys == NullKeys.MATCHED) {
      words.add("null keys match");
    }

    if (deletes != null) {
      words.add(deletes.toString());
    }

    return String.join("; ", words);
  }
}
