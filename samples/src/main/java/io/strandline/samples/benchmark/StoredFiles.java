package io.strandline.samples.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/** The data files and deletion vectors of tables, as they lie in their folders. */
final class StoredFiles {
  private StoredFiles() {}

  /**
   * A file.
   *
   * @param path where
   * @param bytes how large
   */
  record StoredFile(Path path, long bytes) {}

  /**
   * Lists what is there.
   *
   * @param tables the folders of the tables; they need not be there
   * @return the files, without those of the logs
   */
  static Set<StoredFile> of(Set<Path> tables) {
    Set<StoredFile> found = new HashSet<>();

    for (Path table : tables) {
      if (Files.isDirectory(table)) {
        found.addAll(of(table));
      }
    }

    return found;
  }

  private static Set<StoredFile> of(Path table) {
    Set<StoredFile> found = new HashSet<>();

    try (Stream<Path> paths = Files.walk(table)) {
      for (Path path : paths.filter(Files::isRegularFile).toList()) {
        if (isOfTheTable(table.relativize(path))) {
          found.add(new StoredFile(path, Files.size(path)));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }

    return found;
  }

  /** Checksums are the local file system's, and begin with a dot. */
  private static boolean isOfTheTable(Path path) {
    return !path.startsWith("_delta_log") && !path.getFileName().toString().startsWith(".");
  }
}
