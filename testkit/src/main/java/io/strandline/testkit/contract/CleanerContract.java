package io.strandline.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.clean.Cleaned;
import io.strandline.clean.Cleaner;
import io.strandline.source.Reading;
import io.strandline.testkit.assertion.LoadAssertions;
import io.strandline.testkit.fake.Rows;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What every cleaner promises.
 *
 * @param <D> how the engine holds rows
 */
public interface CleanerContract<D> {

  /** Returns the cleaner. */
  Cleaner<D> cleaner();

  /** Returns rows as the source gives them, with all the dirt that the cleaner has to do with. */
  D dirtyRows();

  /** Returns no rows, with the columns of the dirty ones. */
  D noRows();

  /**
   * Reads rows.
   *
   * @param rows rows, raw or cleaned
   * @return the same rows in memory
   */
  Rows collect(D rows);

  /** The same rows come out each time the same rows go in. */
  @Test
  default void separate_ofTheSameRowsTwice_givesTheSame() {
    Cleaned<D> first = cleaner().separate(dirtyRows());
    Cleaned<D> second = cleaner().separate(dirtyRows());

    LoadAssertions.assertThat(collect(second.accepted())).hasRows(collect(first.accepted()));
    LoadAssertions.assertThat(rejected(second)).hasRows(rejected(first));
  }

  /** Nothing comes out where nothing goes in. */
  @Test
  default void separate_ofNoRows_givesNone() {
    Cleaned<D> cleaned = cleaner().separate(noRows());

    LoadAssertions.assertThat(collect(cleaned.accepted())).hasNoRows();
    LoadAssertions.assertThat(rejected(cleaned)).hasNoRows();
  }

  /** No more rows come out than go in. */
  @Test
  default void separate_ofRows_makesNoMoreOfThem() {
    Cleaned<D> cleaned = cleaner().separate(dirtyRows());

    assertThat(collect(cleaned.accepted()).size() + rejected(cleaned).size())
        .isLessThanOrEqualTo(collect(dirtyRows()).size());
  }

  /** Rejected rows come as they came, each with its reason. */
  @Test
  default void separate_ofRowsItRejects_saysWhy() {
    Rows raw = collect(dirtyRows());

    for (D rejected : cleaner().separate(dirtyRows()).rejected()) {
      Rows rows = collect(rejected);
      assertThat(rows.maps())
          .allSatisfy(
              row -> {
                assertThat(row.get(Reading.REASON_COLUMN)).asString().isNotBlank();
                assertThat(raw.maps())
                    .contains(
                        Rows.of(List.of(row))
                            .select(raw.columns().toArray(String[]::new))
                            .maps()
                            .get(0));
              });
    }
  }

  /** Cleaning without keeping apart gives the rows that keeping apart accepts. */
  @Test
  default void clean_ofRows_givesWhatSeparateAccepts() {
    Rows cleaned = collect(cleaner().clean(dirtyRows()));

    LoadAssertions.assertThat(cleaned)
        .hasRows(
            collect(cleaner().separate(dirtyRows()).accepted())
                .select(cleaned.columns().toArray(String[]::new)));
  }

  private Rows rejected(Cleaned<D> cleaned) {
    return cleaned.rejected().stream().map(this::collect).reduce(Rows.none(), Rows::concat);
  }
}
