package io.strandline.testkit.contract;

import io.strandline.testkit.fake.Rows;
import io.strandline.watermark.Watermark;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The rows that contracts work with: orders, with the columns {@code order_id}, {@code item} and
 * {@code loaded_at}.
 */
public final class Orders {
  /** The columns and their types, as SQL has them. */
  public static final String SCHEMA = "order_id STRING, item STRING, loaded_at TIMESTAMP";

  /**
   * A point in time, to the microsecond, as the next two are; each is later than the one before.
   */
  public static final Instant MONDAY = Instant.parse("2024-06-03T08:00:00.000001Z");

  /** A day after {@link #MONDAY}. */
  public static final Instant TUESDAY = Instant.parse("2024-06-04T08:00:00.123456Z");

  /** A day after {@link #TUESDAY}. */
  public static final Instant WEDNESDAY = Instant.parse("2024-06-05T08:00:00Z");

  private Orders() {}

  /** Returns no orders, of the three columns. */
  public static Rows none() {
    return Rows.columns("order_id", "item", "loaded_at");
  }

  /**
   * Makes one order.
   *
   * @param id the key
   * @param item the item
   * @param loadedAt when it was loaded
   * @return the order
   */
  public static Rows order(@Nullable String id, @Nullable String item, @Nullable Instant loadedAt) {
    return none().row(id, item, loadedAt);
  }

  static Watermark watermark(Instant value) {
    return Watermark.at(value);
  }
}
