package io.strandline.samples.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A table that orders have landed in, as it was before the last of them, until those land.
 *
 * <p>So a contender can have run the night before. The files are the kept table's own, by hard
 * links; what lands is the commit that names the last of them.
 */
final class LandedCopy {
  private static final String LOG = "_delta_log";
  private static final String LAST_CHECKPOINT = "_last_checkpoint";

  private final Path kept;
  private final Path copy;
  private final long version;

  private LandedCopy(Path kept, Path copy, long version) {
    this.kept = kept;
    this.copy = copy;
    this.version = version;
  }

  /**
   * Copies a table.
   *
   * @param kept the table
   * @param folder where the copy shall lie
   * @param version the version that has not landed yet; one that the table does not have if all has
   */
  static LandedCopy of(Path kept, Path folder, long version) {
    LandedCopy copy = new LandedCopy(kept, folder, version);
    copy.files().stream().filter(file -> !copy.isLast(file)).forEach(copy::link);
    return copy;
  }

  Path folder() {
    return copy;
  }

  /** Lets the last version land. */
  void land() {
    files().stream().filter(this::isLast).forEach(this::link);
  }

  private List<Path> files() {
    try (Stream<Path> files = Files.walk(kept)) {
      return files.filter(Files::isRegularFile).map(kept::relativize).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Tells whether a file of the log is of the last version; a checksum has a dot before its name.
   */
  private boolean isLast(Path file) {
    String name = file.getFileName().toString().replaceFirst("^\\.", "");
    return file.startsWith(LOG)
        && (name.startsWith(String.format(Locale.ROOT, "%020d.", version))
            || name.startsWith(LAST_CHECKPOINT));
  }

  private void link(Path file) {
    Path to = copy.resolve(file);

    try {
      Files.createDirectories(to.getParent());
      Files.createLink(to, kept.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
