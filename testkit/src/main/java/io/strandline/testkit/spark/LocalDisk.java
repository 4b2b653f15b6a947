package io.strandline.testkit.spark;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The local disk, without a process for every file.
 *
 * <p>Hadoop's own starts {@code chmod} for every file that it creates, and {@code readlink} for
 * every one that it renames, unless its native library is installed: some sixteen processes for one
 * commit of a Delta table, which take longer than the commit. Java can do both itself.
 *
 * <p>Hadoop's own also looks whether a name is free before it renames a file, and the system then
 * replaces what another process has put there meanwhile: of two processes that commit the same
 * version of a table at once, both would believe that they have done it. Here one of them fails.
 */
final class LocalDisk extends RawLocalFileSystem {
  private static final boolean IS_POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  /** Returns the settings by which Spark takes this disk for files, and Delta for its logs. */
  static Map<String, String> settings() {
    return Map.of(
        "spark.hadoop.fs.file.impl", LocalDiskFiles.class.getName(),
        "spark.hadoop.fs.AbstractFileSystem.file.impl", LocalDiskContext.class.getName());
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    if (!IS_POSIX || permission.getStickyBit()) {
      super.setPermission(path, permission);
      return;
    }

    Files.setPosixFilePermissions(
        pathToFile(path).toPath(),
        PosixFilePermissions.fromString(
            permission.getUserAction().SYMBOL
                + permission.getGroupAction().SYMBOL
                + permission.getOtherAction().SYMBOL));
  }

  @Override
  public FileStatus getFileLinkStatus(Path path) throws IOException {
    return Files.isSymbolicLink(pathToFile(path).toPath())
        ? super.getFileLinkStatus(path)
        : getFileStatus(path);
  }

  /**
   * Gives a file a second name, which the system does only if that is free, and takes the first one
   * from it. Where files cannot have two names, it is renamed as Hadoop does it.
   */
  @Override
  @SuppressWarnings("deprecation")
  protected void rename(Path source, Path destination, Rename... options) throws IOException {
    java.nio.file.Path from = pathToFile(source).toPath();

    if (List.of(options).contains(Rename.OVERWRITE) || !Files.isRegularFile(from)) {
      super.rename(source, destination, options);
      return;
    }

    try {
      Files.createLink(pathToFile(destination).toPath(), from);
    } catch (java.nio.file.FileAlreadyExistsException e) {
      throw new FileAlreadyExistsException(destination + " is there already");
    } catch (UnsupportedOperationException | FileSystemException e) {
      super.rename(source, destination, options);
      return;
    }

    Files.delete(from);
  }
}
