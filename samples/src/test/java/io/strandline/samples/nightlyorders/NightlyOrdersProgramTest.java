package io.strandline.samples.nightlyorders;

import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.samples.nightlyorders.ChildProgram.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program as a pipeline sees it: what it prints, and the status that it ends with. */
@Timeout(900)
class NightlyOrdersProgramTest {
  @TempDir Path folder;

  @Test
  void program_overItsOwnOrders_printsTheRowsMergedLastAndLogsToAFile() throws Exception {
    Ended first = run("--warehouse", warehouse().toString());

    assertThat(first.err()).isEmpty();
    assertThat(first.status()).isZero();
    assertThat(last(first)).containsOnlyDigits().isNotEqualTo("0");
    assertThat(first.out()).noneMatch(line -> line.contains("WARN"));
    assertThat(warehouse().resolve("spark.log")).isNotEmptyFile();

    Path orders = warehouse().resolve("orders");
    Files.writeString(orders.resolve("unfit.csv"), "InvoiceNo,Stockcode,Color\n600900,71053,red\n");
    Ended next = run("--warehouse", warehouse().toString(), "--input", orders.toString());

    assertThat(next.out()).contains("What the last start left behind");
    assertThat(next.out().stream().filter(line -> line.contains("nothing new"))).hasSize(1);
    assertThat(next.err())
        .isEqualTo(
            "Cannot land rows in "
                + warehouse().toRealPath().resolve("bronze_orders")
                + ": the table has no column 'Color'. Add it to the table, or leave it out of the"
                + " rows.\n");
    assertThat(next.status()).isEqualTo(1);
  }

  @Test
  void program_withAFolderThatIsNotThere_saysSoInOneLine() throws Exception {
    Path nowhere = folder.resolve("nowhere");

    Ended ended = run("--input", nowhere.toString());

    assertThat(ended.err())
        .isEqualTo(
            "There is no folder " + nowhere + ". (--help tells which arguments there are)\n");
    assertThat(ended.out()).isEmpty();
    assertThat(ended.status()).isEqualTo(2);
  }

  private Path warehouse() {
    return folder.resolve("warehouse");
  }

  private Ended run(String... args) throws IOException, InterruptedException {
    return ChildProgram.run(folder.resolve("errors.txt"), NightlyOrders.class, Map.of(), args);
  }

  private static String last(Ended ended) {
    return ended.out().get(ended.out().size() - 1);
  }
}
