package io.strandline.spark.source;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;

/**
 * A folder, or a pattern of folders and files, whose files are listed.
 *
 * <p>Names that begin with {@code _} or {@code .} are left out, files and folders alike: writers
 * call so what is not finished. So are the names under which {@code hadoop fs -put} copies.
 */
final class FileFolder {
  private static final String BEING_COPIED = "._COPYING_";

  private final SparkSession spark;
  private final String location;

  FileFolder(SparkSession spark, String location) {
    this.spark = spark;
    this.location = location;
  }

  /** Returns the location as it was given. */
  String location() {
    return location;
  }

  /** Returns the location with its file system, by which it is known in a ledger. */
  String qualifiedLocation() {
    Path path = new Path(location);
    return inFileSystem(path, files -> files.makeQualified(path).toString());
  }

  /**
   * Lists all files below the location.
   *
   * @param isSkipped tells which folders are not even listed, by their paths
   * @return the files, in the order in which they arrived
   * @throws Problem of kind {@code BAD_CONFIGURATION} if there is no such folder, nor a file that
   *     fits the pattern
   */
  List<FoundFile> list(Predicate<String> isSkipped) {
    Path pattern = new Path(location);
    return inFileSystem(
        pattern,
        files -> {
          FileStatus[] roots = files.globStatus(pattern);

          if (roots == null) {
            throw new Problem(
                ProblemKind.BAD_CONFIGURATION,
                "list the files of " + location,
                "there is no such folder",
                "Make the folder, or correct its name.");
          }

          List<FoundFile> found = new ArrayList<>();

          for (FileStatus root : roots) {
            collect(files, root, isSkipped, found);
          }

          found.sort(FoundFile.BY_ARRIVAL);
          return List.copyOf(found);
        });
  }

  private static void collect(
      FileSystem files, FileStatus status, Predicate<String> isSkipped, List<FoundFile> found)
      throws IOException {
    if (isHidden(status.getPath().getName())) {
      return;
    }

    if (status.isFile()) {
      found.add(found(status));
      return;
    }

    if (isSkipped.test(status.getPath().toString())) {
      return;
    }

    for (FileStatus inside : files.listStatus(status.getPath())) {
      collect(files, inside, isSkipped, found);
    }
  }

  private static boolean isHidden(String name) {
    return name.startsWith("_") || name.startsWith(".") || name.endsWith(BEING_COPIED);
  }

  private static FoundFile found(FileStatus status) {
    return new FoundFile(
        status.getPath().toString(),
        Instant.ofEpochMilli(status.getModificationTime()),
        status.getLen());
  }

  /**
   * Looks at one file again.
   *
   * @param path where it was found
   * @return the file as it is now; empty if it is gone
   */
  Optional<FoundFile> look(String path) {
    Path file = new Path(path);
    return inFileSystem(
        file,
        files -> {
          try {
            return Optional.of(found(files.getFileStatus(file)));
          } catch (FileNotFoundException e) {
            return Optional.empty();
          }
        });
  }

  /** Returns the settings that file systems are made with. */
  Configuration configuration() {
    return ((org.apache.spark.sql.classic.SparkSession) spark).sessionState().newHadoopConf();
  }

  private <T> T inFileSystem(Path path, Work<T> work) {
    try {
      return work.in(path.getFileSystem(configuration()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @FunctionalInterface
  private interface Work<T> {
    T in(FileSystem files) throws IOException;
  }

  @Override
  public String toString() {
    return location;
  }
}
