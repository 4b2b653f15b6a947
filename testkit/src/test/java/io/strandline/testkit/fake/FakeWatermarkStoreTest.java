package io.strandline.testkit.fake;

import io.strandline.testkit.contract.WatermarkStoreContract;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkStore;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

class FakeWatermarkStoreTest implements WatermarkStoreContract {
  @Override
  public WatermarkStore newStore() {
    return FakeWatermarkStore.empty();
  }

  @Override
  public Optional<Operator> operator(WatermarkStore store) {
    return Optional.of(new Hand((FakeWatermarkStore) store));
  }

  @Nested
  class WithoutNumbers implements WatermarkStoreContract {
    @Override
    public WatermarkStore newStore() {
      return FakeWatermarkStore.withoutNumbers("load_control");
    }

    @Override
    public Optional<Operator> operator(WatermarkStore store) {
      return Optional.of(new Hand((FakeWatermarkStore) store));
    }
  }

  private record Hand(FakeWatermarkStore store) implements WatermarkStoreContract.Operator {
    @Override
    public void edit(LoadName load, Watermark value) {
      store.edit(load, value);
    }

    @Override
    public void delete(LoadName load) {
      store.delete(load);
    }

    @Override
    public void duplicate(LoadName load) {
      store.duplicate(load);
    }
  }
}
