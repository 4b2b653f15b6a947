package io.strandline.testkit.fake;

import io.strandline.source.Cursor;
import io.strandline.source.IncrementalSource;
import io.strandline.testkit.contract.IncrementalSourceContract;
import org.junit.jupiter.api.Nested;

class FakeSourceContractTest implements IncrementalSourceContract<Rows> {
  private FakeSource source = FakeSource.named("bronze_orders");

  @Override
  public IncrementalSource<Rows> newSource(Cursor cursor) {
    source = source.newerBy(cursor);
    return source;
  }

  @Override
  public void land(Rows rows) {
    source.land(rows);
  }

  @Override
  public Rows collect(Rows rows) {
    return rows;
  }

  @Nested
  class WithoutVersions implements IncrementalSourceContract<Rows> {
    @Override
    public IncrementalSource<Rows> newSource(Cursor cursor) {
      source = source.newerBy(cursor).withoutVersions();
      return source;
    }

    @Override
    public void land(Rows rows) {
      source.land(rows);
    }

    @Override
    public Rows collect(Rows rows) {
      return rows;
    }

    @Override
    public boolean knowsVersions() {
      return false;
    }
  }
}
