package io.strandline.spark.proof;

import static java.util.Comparator.comparing;

import io.strandline.testkit.fake.Rows;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Days of orders, made from a seed, and what must have become of them: found without the library
 * and without Spark, by looking at all days at once.
 *
 * <p>Each day brings new orders, corrections, versions that come late, twins of one version, rows
 * that came before, and rows without a usable key. The same seed makes the same days, however many
 * are asked for. For one thread.
 */
final class OrderHistory {
  static final String COLUMNS =
      "order_id STRING, status STRING, version BIGINT, amount DECIMAL(18, 2), ordered_at TIMESTAMP";

  private static final Instant FIRST_EVENING = Instant.parse("2026-10-20T21:30:00.123456Z");

  /** The newest of several versions is the greatest: by version, landing, then the tie column. */
  private static final Comparator<Order> OLDEST_FIRST =
      comparing(Order::version).thenComparing(Order::day).thenComparing(Order::amount);

  private final Random random;
  private final List<List<Order>> days = new ArrayList<>();
  private final List<Long> newestVersions = new ArrayList<>();

  OrderHistory(long seed) {
    this.random = new Random(seed);
  }

  /** A row as it landed. */
  record Order(
      @Nullable String id,
      String status,
      long version,
      BigDecimal amount,
      Instant orderedAt,
      int day) {
    boolean isUsable() {
      return id != null && !id.isBlank();
    }

    String reason() {
      return "key column 'order_id' is " + (id == null ? "null" : "blank");
    }
  }

  /** Returns when a day lands; the first day is 1. */
  static Instant evening(int day) {
    return FIRST_EVENING.plus(Duration.ofDays(day));
  }

  /** Returns the orders of one day. */
  List<Order> day(int day) {
    while (days.size() < day) {
      days.add(made(days.size() + 1));
    }

    return days.get(day - 1);
  }

  /** Tells whether a day ends with a load; else the next one loads two days at once. */
  static boolean isLoadedAfter(int day) {
    return day % 4 != 2;
  }

  /** Returns what must have landed up to a day. */
  Rows landed(int lastDay) {
    return stamped(orders(lastDay));
  }

  /** Returns what a table that is merged by key must hold up to a day: of each key the newest. */
  Rows newest(int lastDay) {
    Map<String, Order> newest = new TreeMap<>();

    for (Order order : usable(lastDay)) {
      newest.merge(
          String.valueOf(order.id()),
          order,
          (one, other) -> OLDEST_FIRST.compare(one, other) >= 0 ? one : other);
    }

    return unstamped(newest.values().stream().toList());
  }

  /** Returns the orders that are gone for good on a day: one more each day, from the second on. */
  Set<String> gone(int day) {
    Set<String> gone = new LinkedHashSet<>();

    for (int before = 1; before < day; before++) {
      // The first two of a day are new on it; the first comes again on the next.
      gone.add(String.valueOf(day(before).get(1).id()));
    }

    return gone;
  }

  /** Returns the orders with a key up to a day, as they landed. */
  List<Order> usable(int lastDay) {
    return orders(lastDay).stream().filter(Order::isUsable).toList();
  }

  /** Returns what the quarantine must hold up to a day: each row without a key once, with why. */
  Rows rejected(int lastDay) {
    Rows rows = Rows.columns("reason").concat(stamped(List.of()));
    Set<Order> rejected = new LinkedHashSet<>(orders(lastDay));
    rejected.removeIf(Order::isUsable);

    for (Order order : rejected) {
      rows = rows.concat(stamped(List.of(order)).with("reason", row -> order.reason()));
    }

    return rows;
  }

  private List<Order> orders(int lastDay) {
    day(lastDay);
    return days.subList(0, lastDay).stream().flatMap(List::stream).toList();
  }

  private List<Order> made(int day) {
    List<Order> orders = new ArrayList<>();
    Stream.generate(() -> newOrder(day)).limit(2 + random.nextInt(3)).forEach(orders::add);
    Stream.generate(() -> correction(day)).limit(1 + random.nextInt(3)).forEach(orders::add);
    Stream.generate(() -> lateVersion(day)).limit(1 + random.nextInt(2)).forEach(orders::add);
    Order twin = orders.get(random.nextInt(orders.size()));
    orders.add(dearer(twin, 1 + random.nextInt(3)));
    orders.add(twin);

    if (day > 1) {
      Order before = days.get(day - 2).get(0);
      orders.add(
          order(before.id(), before.version(), before.amount().subtract(price(before)), day));
    }

    Order withoutKey = order(random.nextBoolean() ? null : " ", day, BigDecimal.ZERO, day);
    orders.add(withoutKey);

    if (random.nextBoolean()) {
      orders.add(withoutKey);
    }

    return List.copyOf(orders);
  }

  private Order newOrder(int day) {
    newestVersions.add(1L);
    return order(id(newestVersions.size() - 1), 1, BigDecimal.ZERO, day);
  }

  /** Now and then a version is left out, which may come late. */
  private Order correction(int day) {
    int index = random.nextInt(newestVersions.size());
    long version = newestVersions.get(index) + 1 + random.nextInt(2);
    newestVersions.set(index, version);
    return order(id(index), version, BigDecimal.ZERO, day);
  }

  private Order lateVersion(int day) {
    int index = random.nextInt(newestVersions.size());
    long version = 1 + random.nextLong(newestVersions.get(index));
    return order(id(index), version, BigDecimal.ZERO, day);
  }

  private static String id(int index) {
    return "A-" + index;
  }

  private static Order dearer(Order order, int by) {
    return order(
        order.id(),
        order.version(),
        order.amount().subtract(price(order)).add(BigDecimal.valueOf(by)),
        order.day());
  }

  private static Order order(@Nullable String id, long version, BigDecimal extra, int day) {
    return new Order(
        id,
        "status " + version % 3,
        version,
        price(version).add(extra),
        FIRST_EVENING.plus(Duration.ofHours(version)),
        day);
  }

  private static BigDecimal price(Order order) {
    return price(order.version());
  }

  private static BigDecimal price(long version) {
    return BigDecimal.valueOf(1_000 + version, 2);
  }

  private static Rows stamped(List<Order> orders) {
    Rows rows = Rows.columns("order_id", "status", "version", "amount", "ordered_at", "_loaded_at");

    for (Order order : orders) {
      rows =
          rows.row(
              order.id(),
              order.status(),
              order.version(),
              order.amount(),
              order.orderedAt(),
              evening(order.day()));
    }

    return rows;
  }

  private static Rows unstamped(List<Order> orders) {
    return stamped(orders).select("order_id", "status", "version", "amount", "ordered_at");
  }
}
