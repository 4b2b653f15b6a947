package io.strandline.spark.target;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TableLayoutTest {
  @Test
  void clusteredBy_ofAPartitionedLayout_isRefused() {
    TableLayout partitioned = TableLayout.plain().partitionedBy("day");

    assertThatThrownBy(() -> partitioned.clusteredBy("order_id"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot both partition and cluster a table: Delta knows one or the other.");
  }
}
