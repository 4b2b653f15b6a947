package io.strandline.spark.source;

import io.strandline.spark.internal.CommitFile;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.delta.actions.Action;
import org.apache.spark.sql.delta.actions.AddCDCFile;
import org.apache.spark.sql.delta.actions.DeletionVectorDescriptor;
import org.apache.spark.sql.delta.actions.FileAction;
import org.apache.spark.sql.delta.actions.Metadata;

/**
 * How far back the change feed of a table can be read: down to where the log was cut, a file of a
 * change was vacuumed, or the feed was off. Needs no Spark job.
 */
final class FeedHistory {
  /** The property that turns the feed on. */
  static final String ENABLED = "delta.enableChangeDataFeed";

  private final DeltaRef table;
  private final DeltaSnapshot newest;
  private final Configuration configuration;

  private FeedHistory(DeltaRef table, DeltaSnapshot newest) {
    this.table = table;
    this.newest = newest;
    this.configuration =
        ((org.apache.spark.sql.classic.SparkSession) table.spark()).sessionState().newHadoopConf();
  }

  /** What becomes of a version's changes. */
  private record Version(Optional<Metadata> metadata, List<Path> files) {}

  static boolean isOn(DeltaSnapshot snapshot) {
    return Boolean.parseBoolean(snapshot.properties().getOrDefault(ENABLED, "false"));
  }

  /**
   * Finds the first version from which on every change can be read.
   *
   * @param newest the newest version, with the feed on
   * @param from the first version that is asked for
   * @return that version, or a later one; one more than the newest if not even that can be read
   */
  static long firstReadable(DeltaRef table, DeltaSnapshot newest, long from) {
    return new FeedHistory(table, newest).firstReadable(from);
  }

  private long firstReadable(long from) {
    for (long number = newest.version(); number >= from; number--) {
      Optional<Version> version = version(number);

      if (version.isEmpty() || !version.get().files().stream().allMatch(this::exists)) {
        return number + 1;
      }

      boolean isTurnedOn =
          version.get().metadata().isPresent() && number > from && !wasOn(number - 1);

      if (isTurnedOn) {
        return number;
      }
    }

    return from;
  }

  private boolean wasOn(long version) {
    return table.findSnapshot(version).filter(FeedHistory::isOn).isPresent();
  }

  /** Reads what a commit did; empty if its file is gone from the log. */
  private Optional<Version> version(long number) {
    return CommitFile.read(
        newest.location(),
        number,
        configuration,
        lines -> version(lines.map(Action::fromJson).toList()));
  }

  /** Where a commit wrote its changes down they are read; else the rows' own files are. */
  private Version version(List<Action> actions) {
    List<FileAction> files = new ArrayList<>();
    actionsOf(actions, AddCDCFile.class).forEach(files::add);

    if (files.isEmpty()) {
      actionsOf(actions, FileAction.class).filter(FileAction::dataChange).forEach(files::add);
    }

    return new Version(
        actionsOf(actions, Metadata.class).findFirst(),
        files.stream().flatMap(this::paths).toList());
  }

  private static <A extends Action> Stream<A> actionsOf(List<Action> actions, Class<A> type) {
    return actions.stream().filter(type::isInstance).map(type::cast);
  }

  private Stream<Path> paths(FileAction file) {
    Path location = new Path(newest.location());
    DeletionVectorDescriptor vector = file.deletionVector();
    Stream<Path> path = Stream.of(new Path(location, file.toPath()));
    return vector == null || !vector.isOnDisk()
        ? path
        : Stream.concat(path, Stream.of(vector.absolutePath(location)));
  }

  private boolean exists(Path file) {
    try {
      return file.getFileSystem(configuration).exists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
