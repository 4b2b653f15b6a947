package io.strandline.testkit.fake;

import static java.util.stream.Collectors.joining;

import io.strandline.clean.Cleaned;
import io.strandline.clean.Cleaner;
import io.strandline.clean.Severity;
import io.strandline.source.Reading;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A cleaner in memory that changes each row and checks it, and says of a row all that a cleaner can
 * say: why it is rejected, what it looked like before, and which checks warn of it.
 *
 * <p>Immutable.
 *
 * <pre>{@code
 * FakeCleaner.of(row -> row)
 *     .check("the item is blank", Severity.REJECT, row -> !"".equals(row.get("item")));
 * }</pre>
 */
public final class FakeCleaner implements Cleaner<Rows> {
  private final UnaryOperator<Map<String, @Nullable Object>> change;
  private final List<Check> checks;

  private record Check(
      String message, Severity severity, Predicate<Map<String, @Nullable Object>> condition) {}

  private FakeCleaner(UnaryOperator<Map<String, @Nullable Object>> change, List<Check> checks) {
    this.change = change;
    this.checks = List.copyOf(checks);
  }

  /**
   * Makes a cleaner without checks.
   *
   * @param change makes the clean row from the raw one, which it cannot change in place
   * @return the cleaner
   */
  public static FakeCleaner of(UnaryOperator<Map<String, @Nullable Object>> change) {
    return new FakeCleaner(change, List.of());
  }

  /**
   * Adds a check.
   *
   * @param message what is said of rows that do not pass
   * @param severity what becomes of them
   * @param condition true for rows that pass; asked of clean rows
   * @return a cleaner with that check too
   */
  public FakeCleaner check(
      String message, Severity severity, Predicate<Map<String, @Nullable Object>> condition) {
    List<Check> more = new ArrayList<>(checks);
    more.add(new Check(message, severity, condition));
    return new FakeCleaner(change, more);
  }

  @Override
  public Rows clean(Rows rows) {
    return CheckedRows.plain(separate(rows).accepted());
  }

  @Override
  public Cleaned<Rows> separate(Rows rows) {
    List<Map<String, @Nullable Object>> accepted = new ArrayList<>();
    List<Map<String, @Nullable Object>> rejected = new ArrayList<>();

    for (Map<String, @Nullable Object> row : rows.maps()) {
      Map<String, @Nullable Object> raw = raw(row);
      Map<String, @Nullable Object> clean =
          new LinkedHashMap<>(change.apply(CheckedRows.plain(Rows.of(List.of(row))).maps().get(0)));
      String reason =
          checks.stream()
              .filter(check -> check.severity() != Severity.WARN)
              .filter(check -> !check.condition().test(clean))
              .map(Check::message)
              .collect(joining("; "));

      if (reason.isEmpty()) {
        Map<String, Boolean> warned = broken(Severity.WARN, clean);
        clean.put(Cleaned.RAW_COLUMN, raw);
        clean.put(Cleaned.WARNED_COLUMN, warned);
        accepted.add(clean);
      } else {
        raw.put(Reading.REASON_COLUMN, reason);
        raw.put(Cleaned.FAILED_COLUMN, broken(Severity.FAIL, clean));
        rejected.add(raw);
      }
    }

    return new Cleaned<>(
        accepted.isEmpty() ? Rows.none() : Rows.of(accepted),
        rejected.isEmpty() ? List.of() : List.of(Rows.of(rejected)));
  }

  private Map<String, Boolean> broken(Severity severity, Map<String, @Nullable Object> clean) {
    Map<String, Boolean> broken = new LinkedHashMap<>();
    checks.stream()
        .filter(check -> check.severity() == severity)
        .forEach(check -> broken.put(check.message(), !check.condition().test(clean)));
    return Collections.unmodifiableMap(broken);
  }

  private static Map<String, @Nullable Object> raw(Map<String, @Nullable Object> row) {
    Map<String, @Nullable Object> kept = CheckedRows.structure(row, Cleaned.RAW_COLUMN);
    return new LinkedHashMap<>(kept.isEmpty() ? row : kept);
  }

  @Override
  public Rows cleanKeys(Rows rows, List<String> keys) {
    return rows.map(change);
  }
}
