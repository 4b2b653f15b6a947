package io.strandline.testkit.load;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.strandline.load.IncrementalLoad;
import io.strandline.target.Deletes;
import io.strandline.testkit.fake.FakeHistoryTarget;
import io.strandline.testkit.fake.FakeSource;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The list prices of a real shop, whose intervals are known: taken apart into what changed when,
 * and put together again from any order of it.
 */
class PriceHistoryTest {
  private static final Path BESIDE_THE_PROJECT =
      Path.of("..", "shared", "data", "adventureworks", "ProductListPriceHistory.csv");
  private static final int TIMES = Boolean.getBoolean("strandline.extended") ? 200 : 20;

  @Test
  void prices_inAnyOrderAndSplit_haveTheIntervalsOfTheShop() throws IOException {
    List<String[]> lines = lines();
    List<Map<String, @Nullable Object>> events = new ArrayList<>();
    Rows intervals = Rows.columns("product", "price", "valid_from", "valid_to", "is_current");

    for (String[] line : lines) {
      LocalDate from = day(line[1]);
      BigDecimal price = new BigDecimal(line[3]);
      events.add(event(line[0], price, day(line[4]), from, "U"));

      if (line[2].isEmpty()) {
        intervals = intervals.row(line[0], price, from, null, true);
      } else {
        // The shop's ends belong to the interval, and the next one begins the day after.
        LocalDate to = day(line[2]).plusDays(1);
        intervals = intervals.row(line[0], price, from, to, false);

        if (lines.stream().noneMatch(l -> l[0].equals(line[0]) && day(l[1]).equals(to))) {
          events.add(event(line[0], null, null, to, "D"));
        }
      }
    }

    assertThat(intervals.size()).isEqualTo(395);

    for (int seed = 0; seed < TIMES; seed++) {
      assertThat(rebuilt(events, new Random(seed))).as("seed " + seed).hasRows(intervals);
    }
  }

  private static Rows rebuilt(List<Map<String, @Nullable Object>> events, Random random) {
    FakeSource shop = FakeSource.named("price_changes");
    FakeHistoryTarget prices =
        FakeHistoryTarget.named("dim_price")
            .matchedOn("product")
            .effectiveFrom("day")
            .tracking("price", "modified")
            .deletedWhen(Deletes.hard("op", "D").notStoring("op"));
    FakeWatermarkStore store = FakeWatermarkStore.empty();
    List<Map<String, @Nullable Object>> arriving = new ArrayList<>(events);
    Collections.shuffle(arriving, random);
    long landing = 0;

    while (!arriving.isEmpty()) {
      int size = Math.min(arriving.size(), 1 + random.nextInt(150));
      long landed = ++landing;
      shop.land(Rows.of(arriving.subList(0, size)).with("landed", row -> landed));
      arriving = arriving.subList(size, arriving.size());
      assertThat(
              IncrementalLoad.named("prices")
                  .from(shop.newerBy("landed"))
                  .into(prices)
                  .trackedIn(store)
                  .build()
                  .run())
          .addsUp();
    }

    return prices.rows().select("product", "price", "valid_from", "valid_to", "is_current");
  }

  private static Map<String, @Nullable Object> event(
      String product,
      @Nullable BigDecimal price,
      @Nullable LocalDate modified,
      LocalDate day,
      String op) {
    Map<String, @Nullable Object> event = new LinkedHashMap<>();
    event.put("product", product);
    event.put("price", price);
    event.put("modified", modified);
    event.put("day", day);
    event.put("op", op);
    return event;
  }

  private static LocalDate day(String text) {
    return LocalDate.parse(text.substring(0, 10));
  }

  /** Reads the file; skips the test if it is not there. */
  private static List<String[]> lines() throws IOException {
    Path file = projectRoot().resolve(BESIDE_THE_PROJECT).normalize();
    assumeThat(file).as("the real prices, which are no part of the project").isRegularFile();
    return Files.readAllLines(file).stream().map(line -> line.split("\t", -1)).toList();
  }

  private static Path projectRoot() {
    Path folder = Path.of("").toAbsolutePath();

    while (!Files.isDirectory(folder.resolve(".mvn")) && folder.getParent() != null) {
      folder = folder.getParent();
    }

    return folder;
  }
}
