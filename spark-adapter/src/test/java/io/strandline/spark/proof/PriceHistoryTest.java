package io.strandline.spark.proof;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.common.base.Splitter;
import io.strandline.load.IncrementalLoad;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaHistoryTarget;
import io.strandline.spark.target.HistoryAudit;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.Deletes;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
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
import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The list prices of a real shop, whose intervals are known: taken apart into what changed when,
 * and put together again on Delta from any order of it.
 */
@ExtendWith(LakehouseExtension.class)
@Tag(MergeTargetContract.THOROUGH)
class PriceHistoryTest {
  private static final Path BESIDE_THE_PROJECT =
      Path.of("..", "shared", "data", "adventureworks", "ProductListPriceHistory.csv");
  private static final int INTERVALS = 395;
  private static final int TIMES = 20;
  private static final int MOST_RUNS = 3;
  private static final Splitter TABS = Splitter.on('\t');
  private static final String COLUMNS =
      "product INT, price DECIMAL(19, 4), modified DATE, day DATE, op STRING, landed BIGINT";

  /** For {@code @MethodSource}. */
  static LongStream orders() {
    return LongStream.range(0, TIMES);
  }

  @ParameterizedTest
  @MethodSource("orders")
  void prices_inAnyOrderAndSplit_haveTheIntervalsOfTheShop(long seed, Lakehouse lakehouse)
      throws IOException {
    List<Interval> intervals = intervals();
    assertThat(intervals).hasSize(INTERVALS);
    List<Map<String, @Nullable Object>> arriving = events(intervals);
    Random random = new Random(seed);
    Collections.shuffle(arriving, random);
    int runs = 1 + random.nextInt(MOST_RUNS);
    DeltaHistoryTarget prices = target(lakehouse);

    for (int run = runs; run > 0; run--) {
      int size = run == 1 ? arriving.size() : 1 + random.nextInt(arriving.size() / 2);
      land(lakehouse, arriving.subList(0, size), runs - run);
      arriving = arriving.subList(size, arriving.size());
      assertThat(load(lakehouse, prices).run()).addsUp();
    }

    assertThat(held(lakehouse)).hasRows(expected(intervals));
    HistoryAudit audit = prices.audit();
    assertThat(audit.isSound()).as(audit.toString()).isTrue();
  }

  private static void land(
      Lakehouse lakehouse, List<Map<String, @Nullable Object>> events, long landing) {
    Rows landed = Rows.of(events).with("landed", event -> landing);
    lakehouse.append("bronze", lakehouse.dataset(COLUMNS, landed));
  }

  private static IncrementalLoad<Dataset<Row>> load(
      Lakehouse lakehouse, DeltaHistoryTarget target) {
    return IncrementalLoad.named("prices")
        .from(
            DeltaTableSource.forName(lakehouse.spark(), lakehouse.table("bronze"))
                .newerBy("landed"))
        .into(target)
        .trackedIn(DeltaWatermarkStore.forName(lakehouse.spark(), lakehouse.table("etl_watermark")))
        .build();
  }

  /** Two intervals of one price stay two where the shop modified them on two days. */
  private static DeltaHistoryTarget target(Lakehouse lakehouse) {
    return DeltaHistoryTarget.forName(lakehouse.spark(), lakehouse.table("dim_price"))
        .matchedOn("product")
        .effectiveFrom("day")
        .tracking("price", "modified")
        .deletedWhen(Deletes.hard("op", "D").notStoring("op"))
        .createdIfMissing();
  }

  private static Dataset<Row> held(Lakehouse lakehouse) {
    return lakehouse
        .spark()
        .table(lakehouse.table("dim_price"))
        .select("product", "price", "modified", "valid_from", "valid_to", "is_current");
  }

  private static Rows expected(List<Interval> intervals) {
    Rows rows =
        Rows.columns("product", "price", "modified", "valid_from", "valid_to", "is_current");

    for (Interval interval : intervals) {
      rows =
          rows.row(
              interval.product(),
              interval.price(),
              interval.modified(),
              interval.from(),
              interval.to(),
              interval.to() == null);
    }

    return rows;
  }

  /** A price begins with each interval; the product is gone where none follows on its end. */
  private static List<Map<String, @Nullable Object>> events(List<Interval> intervals) {
    List<Map<String, @Nullable Object>> events = new ArrayList<>();

    for (Interval interval : intervals) {
      events.add(
          event(interval.product(), interval.price(), interval.modified(), interval.from(), "U"));
      LocalDate to = interval.to();

      if (to != null
          && intervals.stream()
              .noneMatch(
                  other -> other.product() == interval.product() && other.from().equals(to))) {
        events.add(event(interval.product(), null, null, to, "D"));
      }
    }

    return events;
  }

  private static Map<String, @Nullable Object> event(
      int product,
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

  /** A price and when it held; {@code to} belongs to it no more. */
  private record Interval(
      int product, BigDecimal price, LocalDate modified, LocalDate from, @Nullable LocalDate to) {
    private static Interval of(List<String> fields) {
      // The shop's ends belong to the interval, and the next one begins the day after.
      String end = fields.get(2);
      return new Interval(
          Integer.parseInt(fields.get(0)),
          new BigDecimal(fields.get(3)),
          day(fields.get(4)),
          day(fields.get(1)),
          end.isEmpty() ? null : day(end).plusDays(1));
    }

    private static LocalDate day(String text) {
      return LocalDate.parse(text.substring(0, 10));
    }
  }

  /** Reads the file; skips the test if it is not there. */
  private static List<Interval> intervals() throws IOException {
    Path file = projectRoot().resolve(BESIDE_THE_PROJECT).normalize();
    assumeThat(file).as("the real prices, which are no part of the project").isRegularFile();
    return Files.readAllLines(file).stream().map(TABS::splitToList).map(Interval::of).toList();
  }

  private static Path projectRoot() {
    Path folder = Path.of("").toAbsolutePath();

    while (!Files.isDirectory(folder.resolve(".mvn")) && folder.getParent() != null) {
      folder = folder.getParent();
    }

    return folder;
  }
}
