package io.strandline.testkit.spark;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Deletes folders of tests. */
final class Folders {
  private Folders() {}

  static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }

    try {
      MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
