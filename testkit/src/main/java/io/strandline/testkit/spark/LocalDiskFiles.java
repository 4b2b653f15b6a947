package io.strandline.testkit.spark;

import org.apache.hadoop.fs.LocalFileSystem;

/** The local disk as Spark reads and writes it, with checksums; Hadoop makes it by its name. */
final class LocalDiskFiles extends LocalFileSystem {
  LocalDiskFiles() {
    super(new LocalDisk());
  }
}
