package io.strandline.testkit.contract;

import io.strandline.clean.Cleaned;
import io.strandline.clean.Cleaner;
import io.strandline.source.Reading;
import io.strandline.testkit.fake.Rows;
import java.util.List;

/** A cleaner as a user writes one: trims, and refuses orders without an item. */
class CleanerContractTest implements CleanerContract<Rows> {
  @Override
  public Cleaner<Rows> cleaner() {
    return new Cleaner<>() {
      @Override
      public Rows clean(Rows rows) {
        return rows.filter(row -> row.get("item") != null)
            .with("item", row -> String.valueOf(row.get("item")).strip());
      }

      @Override
      public Cleaned<Rows> separate(Rows rows) {
        Rows refused = rows.filter(row -> row.get("item") == null);
        return new Cleaned<>(
            clean(rows), List.of(refused.with(Reading.REASON_COLUMN, row -> "no item")));
      }
    };
  }

  @Override
  public Rows dirtyRows() {
    return Orders.order("A-17", " apples ", Orders.MONDAY)
        .concat(Orders.order("A-18", null, Orders.MONDAY));
  }

  @Override
  public Rows noRows() {
    return Orders.none();
  }

  @Override
  public Rows collect(Rows rows) {
    return rows;
  }
}
