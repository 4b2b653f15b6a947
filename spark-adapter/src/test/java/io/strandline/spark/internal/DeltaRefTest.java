package io.strandline.spark.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tables by name and by folder. */
@ExtendWith(LakehouseExtension.class)
class DeltaRefTest {
  @TempDir Path folder;

  @Test
  void forPath_ofARelativeFolder_isTheTableThere(Lakehouse lakehouse) {
    String given = Path.of("").toAbsolutePath().relativize(folder.resolve("silver")).toString();
    DeltaRef table = DeltaRef.forPath(lakehouse.spark(), given);

    assertThat(table.exists()).isFalse();

    lakehouse.spark().range(3).write().format("delta").save(folder.resolve("silver").toString());

    assertThat(table.exists()).isTrue();
    assertThat(table.newest().count()).isEqualTo(3);
    assertThat(table.at(0).count()).isEqualTo(3);
    assertThat(table.name()).isEqualTo(given);
  }
}
