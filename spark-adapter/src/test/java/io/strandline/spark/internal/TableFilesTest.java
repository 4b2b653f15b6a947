package io.strandline.spark.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delta.kernel.defaults.engine.fileio.FileIO;
import io.delta.kernel.defaults.engine.hadoopio.HadoopFileIO;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableFilesTest {
  private final FileIO ours = new TableFiles(new Configuration());

  @TempDir Path folder;

  @Test
  void listFrom_ofALocalFolder_isAsHadoopListsIt() throws IOException {
    for (String name : List.of("0010.json", "0009.json", "0011.json", "0011.checkpoint.parquet")) {
      Files.writeString(folder.resolve(name), name);
      Files.writeString(folder.resolve("." + name + ".crc"), "checksum");
    }

    Files.writeString(folder.resolve("_last_checkpoint"), "11");
    Files.createDirectory(folder.resolve("_sidecars"));
    String first = folder.toUri() + "0010.";

    assertThat(listed(ours, first))
        .isEqualTo(listed(new HadoopFileIO(new Configuration()), first))
        .extracting(status -> Path.of(status.getPath()).getFileName().toString())
        .containsExactly(
            "0010.json", "0011.checkpoint.parquet", "0011.json", "_last_checkpoint", "_sidecars");
  }

  @Test
  void listFrom_ofAMissingFolder_isToldAsHadoopTellsIt() {
    String missing = folder.resolve("missing").toUri() + "/0010.";

    assertThatThrownBy(() -> listed(ours, missing)).isInstanceOf(FileNotFoundException.class);
  }

  private static List<FileStatus> listed(FileIO files, String first) throws IOException {
    try (CloseableIterator<FileStatus> found = files.listFrom(first)) {
      return found.toInMemoryList();
    }
  }
}
