package io.strandline.samples.nightlyorders;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Four days of a real shop's orders, which lie beside the project where somebody has put them. */
final class OnlineRetail {
  private static final Path BESIDE_THE_PROJECT =
      Path.of("..", "shared", "data", "online-retail-by-day");

  private OnlineRetail() {}

  /** Returns the files in their order; skips the test if they are not there. */
  static List<Path> files() {
    Path folder = projectRoot().resolve(BESIDE_THE_PROJECT).normalize();
    assumeThat(folder).as("the real orders, which are no part of the project").isDirectory();

    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".csv")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path projectRoot() {
    Path folder = Path.of("").toAbsolutePath();

    while (!Files.isDirectory(folder.resolve(".mvn")) && folder.getParent() != null) {
      folder = folder.getParent();
    }

    return folder;
  }
}
