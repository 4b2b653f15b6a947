package io.strandline.target;

import io.strandline.watermark.TableSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What a target tells of a load before a run: the last number, its receipt, and what others did.
 *
 * <p>Comparing the number is cheap and done on every run; the receipt may be looked up only when it
 * is asked for.
 */
public final class TargetStanding {
  private final long number;
  private final Supplier<Optional<Receipt>> receipt;
  private final TableSnapshot snapshot;
  private final List<String> disturbances;
  private final BooleanSupplier rows;

  private TargetStanding(
      long number,
      Supplier<Optional<Receipt>> receipt,
      TableSnapshot snapshot,
      List<String> disturbances,
      BooleanSupplier rows) {
    this.number = number;
    this.receipt = receipt;
    this.snapshot = snapshot;
    this.disturbances = List.copyOf(disturbances);
    this.rows = rows;
  }

  private TargetStanding(long number, Supplier<Optional<Receipt>> receipt, TableSnapshot snapshot) {
    this(number, receipt, snapshot, List.of(), () -> false);
  }

  /**
   * Makes the standing of a target that holds no receipt of the load.
   *
   * @param snapshot what the target is; unknown if it does not exist yet
   * @return the standing
   */
  public static TargetStanding withoutReceipt(TableSnapshot snapshot) {
    return new TargetStanding(0, Optional::empty, snapshot);
  }

  /**
   * Makes the standing of a target whose last receipt can be read.
   *
   * @param receipt the receipt with the highest number
   * @param snapshot what the target is
   * @return the standing
   */
  public static TargetStanding of(Receipt receipt, TableSnapshot snapshot) {
    return new TargetStanding(receipt.number(), () -> Optional.of(receipt), snapshot);
  }

  /**
   * Makes the standing of a target that knows the last number but not, or no longer, its receipt.
   *
   * @param number the number, from 1
   * @param snapshot what the target is
   * @return the standing
   */
  public static TargetStanding ofNumber(long number, TableSnapshot snapshot) {
    return ofNumber(number, snapshot, Optional::empty);
  }

  /**
   * Makes the standing of a target that looks its last receipt up when it is asked for.
   *
   * @param number the number, from 1
   * @param snapshot what the target is
   * @param receipt looks up the receipt of that number; empty if it can no longer be read
   * @return the standing
   */
  public static TargetStanding ofNumber(
      long number, TableSnapshot snapshot, Supplier<Optional<Receipt>> receipt) {
    return new TargetStanding(number, receipt, snapshot);
  }

  /**
   * Adds what others did to the target as a whole since the load saw it last.
   *
   * @param newDisturbances each a clause such as {@code version 9 restored it to version 3}
   * @return the standing
   */
  public TargetStanding disturbedBy(List<String> newDisturbances) {
    return new TargetStanding(number, receipt, snapshot, newDisturbances, rows);
  }

  /**
   * Adds how to find out whether the target holds any row, which is asked only where rows could be
   * appended twice.
   *
   * @param newRows tells whether it does; without this it is taken for empty
   * @return the standing
   */
  public TargetStanding holdingRowsIf(BooleanSupplier newRows) {
    return new TargetStanding(number, receipt, snapshot, disturbances, newRows);
  }

  /** Returns the number of the last run that committed; zero if none did. */
  public long number() {
    return number;
  }

  /** Returns the receipt of that run; empty if there is none or it can no longer be read. */
  public Optional<Receipt> receipt() {
    return receipt.get();
  }

  /** Returns what the target is; unknown if it does not exist yet. */
  public TableSnapshot snapshot() {
    return snapshot;
  }

  /** Tells whether the target holds any row. */
  public boolean holdsRows() {
    return rows.getAsBoolean();
  }

  /** Returns what others did to the target as a whole; empty if it was left alone. */
  public List<String> disturbances() {
    return disturbances;
  }
}
