package io.strandline.spark.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.Snapshot;
import org.apache.spark.sql.delta.actions.Action;
import org.apache.spark.sql.delta.actions.AddFile;
import org.apache.spark.sql.delta.actions.CommitInfo;
import org.apache.spark.sql.delta.actions.SetTransaction;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The files that were added to a table since a version, where nothing else has happened to it.
 *
 * <p>All that is new lies in them. Statistics could not tell so much: they have whole milliseconds,
 * and never leave out a file with rows of the very watermark.
 */
final class AppendedFiles {
  /** So many commits are read at most: each is a file of its own, which costs a round trip. */
  private static final long MOST_COMMITS = 50;

  /** So many files are held in memory at most. */
  private static final int MOST_FILES = 10_000;

  private AppendedFiles() {}

  /**
   * Returns the rows of one version that are in no earlier one.
   *
   * @param table the table
   * @param snapshot the version
   * @param since the earlier version
   * @return the rows; empty if anything but appends came between, or too many of them, or the log
   *     does not tell
   */
  static Optional<PinnedRows> rows(DeltaRef table, DeltaSnapshot snapshot, long since) {
    if (snapshot.version() - since > MOST_COMMITS) {
      return Optional.empty();
    }

    Configuration configuration =
        ((org.apache.spark.sql.classic.SparkSession) table.spark()).sessionState().newHadoopConf();
    List<AddFile> files = new ArrayList<>();

    for (long version = since + 1; version <= snapshot.version(); version++) {
      Optional<List<AddFile>> added = added(snapshot.location(), version, configuration);

      if (added.isEmpty() || files.size() + added.get().size() > MOST_FILES) {
        return Optional.empty();
      }

      files.addAll(added.get());
    }

    return pinned(table, snapshot, files);
  }

  /** Reads which files a commit has added; empty if it has done anything else, or is gone. */
  private static Optional<List<AddFile>> added(
      String table, long version, Configuration configuration) {
    return CommitFile.read(table, version, configuration, AppendedFiles::added)
        .flatMap(found -> found);
  }

  private static Optional<List<AddFile>> added(Stream<String> lines) {
    List<AddFile> added = new ArrayList<>();

    for (Action action : (Iterable<Action>) lines.map(Action::fromJson)::iterator) {
      if (action instanceof AddFile add && add.dataChange() && add.deletionVector() == null) {
        added.add(add);
      } else if (!(action instanceof CommitInfo || action instanceof SetTransaction)) {
        return Optional.empty();
      }
    }

    return Optional.of(added);
  }

  private static Optional<PinnedRows> pinned(
      DeltaRef table, DeltaSnapshot snapshot, List<AddFile> files) {
    org.apache.spark.sql.classic.SparkSession session =
        (org.apache.spark.sql.classic.SparkSession) table.spark();
    // Delta asks the thread for its session.
    return session.withActive(
        () -> {
          DeltaLog log = DeltaLog.forTable(session, new Path(snapshot.location()));
          Snapshot newest = log.update(false, Option.empty(), Option.empty());
          return newest.version() == snapshot.version()
                  && newest.metadata().id().equals(snapshot.tableId())
              ? Optional.of(
                  new PinnedRows(
                      log.createDataFrame(
                          newest,
                          CollectionConverters.asScala(files).toList(),
                          false,
                          Option.empty()),
                      columns -> values(files, snapshot.columnsOfFiles(columns))))
              : Optional.empty();
        });
  }

  private static Optional<FileValues> values(List<AddFile> files, StructType columns) {
    List<FileValues> known =
        files.stream()
            .flatMap(file -> Stream.ofNullable(file.stats()))
            .flatMap(statistics -> FileValues.of(statistics, 0, columns).stream())
            .toList();
    return known.size() == files.size() ? known.stream().reduce(FileValues::and) : Optional.empty();
  }
}
