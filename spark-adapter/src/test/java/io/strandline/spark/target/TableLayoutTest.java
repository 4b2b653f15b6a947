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

  @Test
  void partitionedBy_ofANameWithABacktick_isRefused() {
    assertThatThrownBy(() -> TableLayout.plain().partitionedBy("day", "it`s"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot partition a table by column 'it`s': Delta cannot merge into a table whose"
                + " partition column has a backtick in its name. Rename the column, or cluster the"
                + " table by it.");
  }
}
