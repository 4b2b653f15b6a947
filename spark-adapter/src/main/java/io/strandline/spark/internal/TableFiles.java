package io.strandline.spark.internal;

import io.delta.kernel.defaults.engine.hadoopio.HadoopFileIO;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The files of a table as Delta Kernel reads them, which on a local disk looks only at those of a
 * log that it was asked for.
 *
 * <p>Hadoop asks a local disk for the size of every file in the folder, which for a log of ten
 * thousand commits takes longer than all else that is done with it, and then throws most away.
 */
final class TableFiles extends HadoopFileIO {
  private final Configuration configuration;

  TableFiles(Configuration configuration) {
    super(configuration);
    this.configuration = configuration;
  }

  @Override
  public CloseableIterator<FileStatus> listFrom(String path) throws IOException {
    Path first = new Path(path);

    if (!(first.getFileSystem(configuration) instanceof LocalFileSystem disk)) {
      return super.listFrom(path);
    }

    File folder = disk.pathToFile(first.getParent());
    String[] names = folder.list();

    if (names == null) {
      // Whatever is wrong with the folder is told there.
      return super.listFrom(path);
    }

    List<FileStatus> found = new ArrayList<>();

    for (String name : names) {
      if (name.compareTo(first.getName()) >= 0) {
        status(first.getParent(), new File(folder, name)).ifPresent(found::add);
      }
    }

    found.sort(Comparator.comparing(FileStatus::getPath));
    return Utils.toCloseableIterator(found.iterator());
  }

  /** Looks at a file; empty if it was deleted since the folder was listed. */
  private static Optional<FileStatus> status(Path folder, File file) throws IOException {
    try {
      BasicFileAttributes found = Files.readAttributes(file.toPath(), BasicFileAttributes.class);
      return Optional.of(
          FileStatus.of(
              new Path(folder, file.getName()).toString(),
              found.size(),
              found.lastModifiedTime().toMillis()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
