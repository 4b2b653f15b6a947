package io.strandline.samples;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder that a sample works in: one that is kept, or one that is gone after it. */
public final class SampleFolder implements AutoCloseable {
  private final Path path;
  private final Fate fate;

  private enum Fate {
    KEPT,
    DELETED
  }

  private SampleFolder(Path path, Fate fate) {
    this.path = path;
    this.fate = fate;
  }

  /**
   * Makes a folder that is kept.
   *
   * @param path where; it may be there already
   * @return the folder
   */
  public static SampleFolder kept(Path path) {
    try {
      return new SampleFolder(Files.createDirectories(path).toRealPath(), Fate.KEPT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Makes a folder that is deleted when it is closed.
   *
   * @param name what its name begins with
   * @return the folder
   */
  public static SampleFolder temporary(String name) {
    try {
      return new SampleFolder(Files.createTempDirectory(name), Fate.DELETED);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns where the folder is. */
  public Path path() {
    return path;
  }

  /** Tells whether the folder is there after the sample. */
  public boolean isKept() {
    return fate == Fate.KEPT;
  }

  @Override
  public void close() {
    if (isKept()) {
      return;
    }

    try {
      MoreFiles.deleteRecursively(path, RecursiveDeleteOption.ALLOW_INSECURE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the path. */
  @Override
  public String toString() {
    return path.toString();
  }
}
