package io.strandline.clean;

import java.util.List;

/**
 * Turns raw rows into what the target expects.
 *
 * <p>Any function from rows to rows is a cleaner; rows that it filters out are counted as filtered.
 * A cleaner that knows why it refuses a row overrides {@link #separate} as well. A cleaner must
 * give the same rows each time it is given the same rows, and is safe for use by several threads.
 *
 * @param <D> how the engine holds rows
 */
@FunctionalInterface
public interface Cleaner<D> {

  /**
   * Cleans rows.
   *
   * @param rows the rows as they came
   * @return the rows as the target expects them
   */
  D clean(D rows);

  /**
   * Cleans rows and keeps those apart that cannot be used.
   *
   * <p>The accepted rows are those of {@link #clean}, perhaps with the reserved columns of {@link
   * Cleaned}. Accepts, unless overridden, whatever {@link #clean} returns.
   *
   * @param rows the rows as they came
   * @return the accepted rows, and the rejected ones with their reasons
   */
  default Cleaned<D> separate(D rows) {
    return Cleaned.accepting(clean(rows));
  }

  /**
   * Cleans rows of which only the key is needed, to compare it with the target's.
   *
   * <p>Cleans the whole rows, unless overridden. A row that this drops counts as gone from the
   * source; so a cleaner that refuses rows for other columns than the key overrides it.
   *
   * @param rows the rows as they came
   * @param keys the key columns, as they are named after cleaning
   * @return rows that have these columns, and perhaps others
   */
  default D cleanKeys(D rows, List<String> keys) {
    return clean(rows);
  }

  /**
   * Returns a cleaner that cleans with this one, and what it accepts with another.
   *
   * <p>What either rejects is rejected. A plain function that follows one of declared columns sees
   * the reserved columns of {@link Cleaned} too; if it drops them, rows that the target rejects are
   * kept as they were cleaned, and warnings are not counted.
   *
   * @param next cleans what this one accepts
   * @return the two as one
   */
  default Cleaner<D> andThen(Cleaner<D> next) {
    return new CleanerPair<>(this, next);
  }

  /**
   * Returns a cleaner that cleans with another one, and what it accepts with this.
   *
   * <pre>{@code
   * DeclaredCleaner.of(..).after(Orders::prepare)
   * }</pre>
   *
   * @param first cleans before this one
   * @return the two as one
   */
  default Cleaner<D> after(Cleaner<D> first) {
    return new CleanerPair<>(first, this);
  }

  /**
   * Returns a cleaner that changes nothing, for sources whose rows are already what the target
   * expects.
   *
   * @param <D> how the engine holds rows
   * @return the cleaner
   */
  static <D> Cleaner<D> none() {
    return rows -> rows;
  }
}
