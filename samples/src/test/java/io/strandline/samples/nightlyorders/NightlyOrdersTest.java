package io.strandline.samples.nightlyorders;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.samples.nightlyorders.Nights.Start;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LakehouseExtension.class)
class NightlyOrdersTest {
  private static final List<String> FATES =
      List.of("inserted", "updated", "unchanged", "superseded", "stale", "rejected", "filtered");

  @TempDir Path folder;

  private Nights nights;

  @BeforeEach
  void openWarehouse(SparkSession spark, Lakehouse lakehouse) {
    nights = new Nights(spark, Path.of(lakehouse.path("warehouse")));
  }

  @Test
  void nights_ofOwnOrders_loadWhatAFullPassFinds() throws IOException {
    List<Path> files = ownOrders();

    Start start = nights.start(files);

    assertThat(nights.silver()).isEqualTo(FullPass.over(files));
    assertThat(start.printed("read")).hasSize(3);
    assertThat(sum(start, "read")).isEqualTo(FullPass.lines(files).size());
    assertThat(sum(start, "read")).isEqualTo(FATES.stream().mapToLong(f -> sum(start, f)).sum());
    assertThat(FATES.stream().filter(fate -> sum(start, fate) == 0)).containsExactly("filtered");
    assertThat(start.merged()).isEqualTo(sum(start, "inserted") + sum(start, "updated"));
    assertThat(start.timesSaid("nothing new")).isEqualTo(3);
    assertThat(nights.merges()).isEqualTo(3);
    assertThat(start.output())
        .contains("    1      column 'stock_code' is required and has no value")
        .contains("    3      column 'stock_code' is required and has no value")
        .anySatisfy(
            line -> assertThat(line).matches("  warning: \\d+ rows: the price is not above zero"));
    assertThat(countLines(Files.readAllLines(Path.of("nightly-orders.md"))))
        .isEqualTo(countLines(start.output()));
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void nights_startedAgain_goOnWhereTheLastStartEnded() throws IOException {
    List<Path> files = ownOrders();
    nights.start(files.subList(0, 2));

    Start withOneMoreFile = nights.start(files);

    assertThat(withOneMoreFile.printed("read"))
        .containsExactly((long) FullPass.lines(files.subList(2, 3)).size());
    assertThat(nights.silver()).isEqualTo(FullPass.over(files));

    long landed = nights.landed();
    long version = nights.silverVersion();
    Start again = nights.start(files);

    assertThat(again.merged()).isZero();
    assertThat(again.timesSaid("nothing new")).isEqualTo(1);
    assertThat(nights.landed()).isEqualTo(landed);
    assertThat(nights.silverVersion()).isEqualTo(version);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void nights_ofRealOrders_loadWhatAFullPassFinds() {
    List<Path> files = OnlineRetail.files();

    Start start = nights.start(files);

    assertThat(nights.silver()).isEqualTo(FullPass.over(files));
    assertThat(start.printed("read"))
        .isEqualTo(
            files.stream().map(file -> (long) FullPass.lines(List.of(file)).size()).toList());
    assertThat(sum(start, "read")).isEqualTo(FATES.stream().mapToLong(f -> sum(start, f)).sum());
    assertThat(start.timesSaid("nothing new")).isEqualTo(files.size());
    assertThat(nights.merges()).isEqualTo(files.size());
    assertThat(nights.quarantined() > 0).isEqualTo(sum(start, "rejected") > 0);
  }

  @Test
  void nights_ofRealOrdersThatAreCorrectedCancelledAndLandedAgain_loadWhatAFullPassFinds()
      throws IOException {
    List<Path> files = copyWithAfterthoughts(OnlineRetail.files());

    Start start = nights.start(files);

    assertThat(nights.silver()).isEqualTo(FullPass.over(files));
    assertThat(sum(start, "updated")).isPositive();
    assertThat(sum(start, "stale")).isPositive();
    assertThat(sum(start, "unchanged")).isPositive();
    assertThat(sum(start, "read")).isEqualTo(FATES.stream().mapToLong(f -> sum(start, f)).sum());
  }

  private List<Path> ownOrders() throws IOException {
    MadeOrders.writeInto(folder);

    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  /** Adds lines of the first day to the second: corrected, cancelled, as they were, and older. */
  private List<Path> copyWithAfterthoughts(List<Path> files) throws IOException {
    List<Path> copies = new ArrayList<>();

    for (Path file : files) {
      copies.add(Files.copy(file, folder.resolve(file.getFileName())));
    }

    List<String> first = Files.readAllLines(copies.get(0));
    List<String> more = new ArrayList<>();

    for (int i = 1; i < first.size(); i += 100) {
      more.add(first.get(i).replaceFirst(" \\d\\d:", " 23:").replaceFirst("(.*),\\d", "$1,9"));
    }

    for (int i = 2; i < first.size(); i += 100) {
      more.add("C" + first.get(i).replaceFirst(",(\\d+),2010", ",-$1,2010"));
    }

    for (int i = 3; i < first.size(); i += 100) {
      more.add(first.get(i));
    }

    for (int i = 4; i < first.size(); i += 100) {
      more.add(first.get(i).replaceFirst(" \\d\\d:", " 00:"));
    }

    Files.write(copies.get(1), more, java.nio.file.StandardOpenOption.APPEND);
    return copies;
  }

  private static List<String> countLines(List<String> output) {
    return output.stream().map(String::strip).filter(line -> line.matches("[a-z]+ +\\d+")).toList();
  }

  private static long sum(Start start, String count) {
    return start.printed(count).stream().mapToLong(Long::longValue).sum();
  }
}
