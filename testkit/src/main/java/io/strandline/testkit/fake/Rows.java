package io.strandline.testkit.fake;

import static java.util.stream.Collectors.joining;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rows in memory: how the fakes hold them.
 *
 * <p>A row is a map from column to value, in the order of the columns; a value may be null. Whole
 * numbers are held as {@code Long}, floating ones as {@code Double}, and decimals without zeros at
 * their end, so that {@code 1} and {@code 1L} are the same value. Immutable, as long as the values
 * are.
 *
 * <pre>{@code
 * Rows orders =
 *     Rows.columns("order_id", "item", "loaded_at")
 *         .row("A-17", "apples", MONDAY)
 *         .row("A-18", null, MONDAY);
 * }</pre>
 */
public final class Rows {
  private final List<String> columns;
  private final List<Map<String, @Nullable Object>> maps;

  private Rows(List<String> columns, List<Map<String, @Nullable Object>> maps) {
    this.columns = List.copyOf(columns);
    this.maps = Collections.unmodifiableList(maps);
  }

  /**
   * Makes no rows yet, of the given columns.
   *
   * @param names the columns, in their order
   * @return the empty rows; call {@link #row} to add some
   * @throws IllegalArgumentException if a name stands twice
   */
  public static Rows columns(String... names) {
    return new Rows(requireDistinct(List.of(names)), List.of());
  }

  /** Returns no rows, of no columns. */
  public static Rows none() {
    return new Rows(List.of(), List.of());
  }

  /**
   * Makes rows from maps.
   *
   * @param rows the rows; a column that one of them lacks is null there
   * @return the rows
   */
  public static Rows of(List<? extends Map<String, ? extends @Nullable Object>> rows) {
    Set<String> names = new LinkedHashSet<>();
    rows.forEach(row -> names.addAll(row.keySet()));
    return new Rows(List.copyOf(names), rows.stream().map(row -> fitted(names, row)).toList());
  }

  /**
   * Adds a row.
   *
   * @param values a value for each column, in their order
   * @return the rows with that one at their end
   * @throws IllegalArgumentException if there are more or fewer values than columns
   */
  public Rows row(@Nullable Object... values) {
    if (values.length != columns.size()) {
      throw new IllegalArgumentException(
          "Cannot make a row of "
              + values.length
              + " values: there are "
              + columns.size()
              + " columns, "
              + columns
              + ".");
    }

    Map<String, @Nullable Object> row = new LinkedHashMap<>();

    for (int i = 0; i < values.length; i++) {
      row.put(columns.get(i), canonical(values[i]));
    }

    List<Map<String, @Nullable Object>> more = new ArrayList<>(maps);
    more.add(Collections.unmodifiableMap(row));
    return new Rows(columns, more);
  }

  /** Returns the columns, in their order. */
  public List<String> columns() {
    return columns;
  }

  /** Returns the rows as maps, in their order; neither list nor maps can be changed. */
  public List<Map<String, @Nullable Object>> maps() {
    return maps;
  }

  /** Returns how many rows there are. */
  public int size() {
    return maps.size();
  }

  /** Tells whether there are no rows. */
  public boolean isEmpty() {
    return maps.isEmpty();
  }

  /** Returns the rows one by one. */
  public Stream<Map<String, @Nullable Object>> stream() {
    return maps.stream();
  }

  /**
   * Puts other rows behind these.
   *
   * @param more the other rows; columns are matched by name, and null where one side lacks them
   * @return all rows
   */
  public Rows concat(Rows more) {
    Set<String> names = new LinkedHashSet<>(columns);
    names.addAll(more.columns);
    return new Rows(
        List.copyOf(names),
        Stream.concat(stream(), more.stream()).map(row -> fitted(names, row)).toList());
  }

  /**
   * Keeps some of the rows.
   *
   * @param condition true for the rows to keep
   * @return those rows
   */
  public Rows filter(Predicate<Map<String, @Nullable Object>> condition) {
    return new Rows(columns, stream().filter(condition).toList());
  }

  /**
   * Changes each row.
   *
   * @param change makes the new row from the old one, which it cannot change in place
   * @return the new rows
   */
  public Rows map(UnaryOperator<Map<String, @Nullable Object>> change) {
    return isEmpty() ? this : of(stream().map(change).toList());
  }

  /**
   * Sets a column in each row, or adds it.
   *
   * @param column the column
   * @param value makes its value from the row
   * @return the rows with that column
   */
  public Rows with(String column, Function<Map<String, @Nullable Object>, @Nullable Object> value) {
    Set<String> names = new LinkedHashSet<>(columns);
    names.add(column);
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();

    for (Map<String, @Nullable Object> row : maps) {
      Map<String, @Nullable Object> changed = new LinkedHashMap<>(row);
      changed.put(column, value.apply(row));
      rows.add(fitted(names, changed));
    }

    return new Rows(List.copyOf(names), rows);
  }

  /**
   * Keeps some of the columns, in the given order.
   *
   * @param names the columns to keep; one that is not there becomes null
   * @return the rows with those columns
   */
  public Rows select(String... names) {
    Set<String> kept = new LinkedHashSet<>(requireDistinct(List.of(names)));
    return new Rows(List.copyOf(kept), stream().map(row -> fitted(kept, row)).toList());
  }

  private static Map<String, @Nullable Object> fitted(
      Set<String> names, Map<String, ? extends @Nullable Object> row) {
    Map<String, @Nullable Object> fitted = new LinkedHashMap<>();

    for (String name : names) {
      fitted.put(name, canonical(row.get(name)));
    }

    return Collections.unmodifiableMap(fitted);
  }

  /** Makes equal numbers equal, whatever type they were written in. */
  private static @Nullable Object canonical(@Nullable Object value) {
    if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      return ((Number) value).longValue();
    }

    if (value instanceof Float number) {
      return number.doubleValue();
    }

    if (value instanceof BigInteger number) {
      return new BigDecimal(number);
    }

    if (value instanceof BigDecimal number) {
      BigDecimal stripped = number.stripTrailingZeros();
      return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    return value;
  }

  private static List<String> requireDistinct(List<String> names) {
    if (new LinkedHashSet<>(names).size() < names.size()) {
      throw new IllegalArgumentException(
          "Cannot make rows of the columns " + names + ": one of them stands twice.");
    }

    return names;
  }

  /** Tells whether the other has the same rows in the same order, whatever the columns' order. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Rows rows && maps.equals(rows.maps);
  }

  @Override
  public int hashCode() {
    return maps.hashCode();
  }

  /** Returns the columns and each row on a line of its own. */
  @Override
  public String toString() {
    return Stream.concat(
            Stream.of(columns.toString()), stream().map(row -> row.values().toString()))
        .collect(joining("\n"));
  }
}
