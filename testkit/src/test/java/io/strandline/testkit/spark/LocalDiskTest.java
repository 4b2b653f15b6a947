package io.strandline.testkit.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Options.Rename;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalDiskTest {
  private static final int RACERS = 4;

  @TempDir private Path folder;

  @Test
  void rename_ofSeveralFilesToOneNameAtOnce_succeedsForOneWhoseFileIsThere() throws Exception {
    ExecutorService racers = Executors.newFixedThreadPool(RACERS);

    try {
      for (int race = 0; race < 100; race++) {
        CyclicBarrier start = new CyclicBarrier(RACERS);
        Path goal = folder.resolve("goal" + race);
        List<Callable<Boolean>> renames = new ArrayList<>();

        for (int racer = 0; racer < RACERS; racer++) {
          Path file = Files.writeString(folder.resolve(race + "-" + racer), "of racer " + racer);
          renames.add(
              () -> {
                start.await();
                return isRenamed(file, goal);
              });
        }

        List<Integer> winners = new ArrayList<>();
        List<Future<Boolean>> ends = racers.invokeAll(renames);

        for (int racer = 0; racer < RACERS; racer++) {
          if (ends.get(racer).get()) {
            winners.add(racer);
          }
        }

        assertThat(winners).hasSize(1);
        assertThat(goal).hasContent("of racer " + winners.get(0));
      }
    } finally {
      racers.shutdown();
    }
  }

  @Test
  void rename_toANameThatIsTaken_leavesBothFiles() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "new");
    Path taken = Files.writeString(folder.resolve("taken"), "old");

    assertThatExceptionOfType(FileAlreadyExistsException.class)
        .isThrownBy(() -> disk().rename(hadoop(file), hadoop(taken), Rename.NONE))
        .withMessageContaining("taken");
    assertThat(file).hasContent("new");
    assertThat(taken).hasContent("old");
  }

  @Test
  void rename_thatMayOverwrite_replacesTheFile() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "new");
    Path taken = Files.writeString(folder.resolve("taken"), "old");

    disk().rename(hadoop(file), hadoop(taken), Rename.OVERWRITE);

    assertThat(file).doesNotExist();
    assertThat(taken).hasContent("new");
  }

  @Test
  void rename_ofAFolder_movesIt() throws IOException {
    Path from = Files.createDirectory(folder.resolve("from"));
    Files.writeString(from.resolve("file"), "in it");

    disk().rename(hadoop(from), hadoop(folder.resolve("to")), Rename.NONE);

    assertThat(from).doesNotExist();
    assertThat(folder.resolve("to").resolve("file")).hasContent("in it");
  }

  private static boolean isRenamed(Path file, Path goal) throws IOException {
    try {
      disk().rename(hadoop(file), hadoop(goal), Rename.NONE);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /** Returns the disk as Delta commits on it. */
  private static FileContext disk() throws IOException {
    Configuration configuration = new Configuration(false);
    LocalDisk.settings()
        .forEach((key, value) -> configuration.set(key.replace("spark.hadoop.", ""), value));
    return FileContext.getFileContext(configuration);
  }

  private static org.apache.hadoop.fs.Path hadoop(Path path) {
    return new org.apache.hadoop.fs.Path(path.toUri());
  }
}
