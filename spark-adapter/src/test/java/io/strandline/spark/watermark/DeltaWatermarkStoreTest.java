package io.strandline.spark.watermark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Advance;
import io.strandline.watermark.Bound;
import io.strandline.watermark.Direction;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoreState;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamMove;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkKind;
import io.strandline.watermark.WatermarkRange;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(LakehouseExtension.class)
class DeltaWatermarkStoreTest {
  private static final LoadName ORDERS = new LoadName("orders");
  private static final Watermark MONDAY =
      Watermark.at(Instant.parse("2026-06-29T23:59:59.123456Z"));
  private static final Watermark TUESDAY =
      Watermark.at(Instant.parse("2026-06-30T23:59:59.999999Z"));
  private static final Watermark WEDNESDAY = Watermark.at(Instant.parse("2026-07-01T08:00:00Z"));
  private static final Instant NOW = Instant.parse("2026-07-02T06:30:00.000001Z");
  private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
  private static final Set<StreamName> ONLY = Set.of(StreamName.only());
  private static final StreamName ACTIVE = new StreamName("active");
  private static final StreamName ARCHIVE = new StreamName("archive");

  private final SparkSession spark;
  private final Lakehouse lakehouse;
  private String table;
  private DeltaWatermarkStore store;

  DeltaWatermarkStoreTest(SparkSession spark, Lakehouse lakehouse) {
    this.spark = spark;
    this.lakehouse = lakehouse;
    this.table = lakehouse.table("etl_watermark");
    this.store = DeltaWatermarkStore.forName(spark, table).timedBy(CLOCK);
  }

  @BeforeEach
  void useUtc() {
    spark.conf().set("spark.sql.session.timeZone", "UTC");
  }

  private static final List<Watermark> WATERMARKS_OF_EVERY_KIND =
      List.of(
          TUESDAY,
          Watermark.at(Instant.parse("0001-01-01T00:00:00.000001Z")),
          Watermark.at(LocalDateTime.parse("2026-03-29T02:30:00.000001")),
          Watermark.on(LocalDate.parse("2026-07-01")),
          Watermark.of(Long.MAX_VALUE),
          Watermark.of(new BigDecimal("12345678901234567890.123456789012345678")),
          Watermark.of("O'Brien \\ | \"x\" \uD83D\uDE00 "),
          Watermark.ofVersion(42),
          Watermark.of(List.of(TUESDAY, Watermark.of(7), Watermark.of("a|b\\c"))));

  @Test
  void advance_ofEveryKind_isReadBackExactlyInAnyZone() {
    Map<StreamName, Watermark> wanted = new TreeMap<>();
    WATERMARKS_OF_EVERY_KIND.forEach(
        watermark -> wanted.put(new StreamName(watermark.typed()), watermark));
    StoredWatermarks stored = new StoredWatermarks(ORDERS, 0, new TreeMap<>());

    for (String zone : List.of("America/New_York", "Asia/Kolkata")) {
      spark.conf().set("spark.sql.session.timeZone", zone);
      long number = stored.number() + 1;
      StoredWatermarks from = stored;
      store.advance(
          new Advance(
              identity(store),
              number,
              Direction.FORWARD,
              wanted.entrySet().stream()
                  .map(
                      to ->
                          streamMove(to.getKey(), from.stream(to.getKey()), to.getValue(), number))
                  .toList()));
      spark.conf().set("spark.sql.session.timeZone", "Europe/Berlin");
      stored = store.last(ORDERS, wanted.keySet());

      assertThat(stored.number()).isEqualTo(number);

      for (Map.Entry<StreamName, Watermark> to : wanted.entrySet()) {
        assertThat(stored.stream(to.getKey()))
            .isEqualTo(row(to.getValue(), state(number, to.getValue())));
      }
    }
  }

  @Test
  void last_withoutATable_isTheStartAndMakesNone() {
    StoredWatermarks stored = store.last(ORDERS, ONLY);

    assertThat(stored).isEqualTo(StoredWatermarks.of(ORDERS, 0, StoredStream.none()));
    assertThat(spark.catalog().tableExists(table)).isFalse();
  }

  @Test
  void identity_withoutATable_makesItAndNeverChanges() {
    String identity = store.identity();
    advance(1, StoredStream.none(), MONDAY);

    assertThat(store.identity()).isEqualTo(identity);
    assertThat(spark.table(table).schema().toDDL())
        .isEqualTo(
            "table_name STRING,last_value TIMESTAMP,updated_at TIMESTAMP,typed_value STRING,state"
                + " STRING");
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void store_inAFolder_worksLikeANamedOne() {
    DeltaWatermarkStore inFolder =
        DeltaWatermarkStore.forPath(spark, lakehouse.path("watermark")).timedBy(CLOCK);
    advance(inFolder, 1, StoredStream.none(), MONDAY);

    assertThat(inFolder.last(ORDERS, ONLY).value(StreamName.only())).isEqualTo(MONDAY);
  }

  @Test
  void last_whateverIsStored_runsNoSparkJob() {
    advance(1, StoredStream.none(), MONDAY);
    advance(2, onlyRow(), TUESDAY);

    assertThat(lakehouse.jobsOf(() -> store.last(ORDERS, ONLY))).isZero();
  }

  @Test
  void advance_ofTheOnlyStream_isOneCommitWithRowAndNumber() {
    advance(1, StoredStream.none(), MONDAY);

    assertThat(lakehouse.jobsOf(() -> advance(2, onlyRow(), TUESDAY))).isZero();
    assertThat(version(table)).isEqualTo(2);
    assertThat(store.last(ORDERS, ONLY).number()).isEqualTo(2);
    assertThat(shown("table_name", "last_value", "updated_at", "typed_value"))
        .containsExactly(List.of("orders", instant(TUESDAY), NOW, "null"));
  }

  @Test
  void advance_inATableWithAColumnOfSomebodyElse_isMergedBySpark() {
    advance(1, StoredStream.none(), MONDAY);
    spark.sql("ALTER TABLE " + table + " ADD COLUMN remark STRING");
    spark.sql("UPDATE " + table + " SET remark = 'ask Ann'");
    advance(2, onlyRow(), TUESDAY);

    assertThat(lastOperation()).isEqualTo("MERGE");
    assertThat(shown("last_value", "remark")).containsExactly(List.of(instant(TUESDAY), "ask Ann"));
  }

  @Test
  void advance_inATableWithAChangeFeed_isMergedBySpark() {
    advance(1, StoredStream.none(), MONDAY);
    spark.sql(
        "ALTER TABLE " + table + " SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')");
    advance(2, onlyRow(), TUESDAY);

    assertThat(lastOperation()).isEqualTo("MERGE");
    assertThat(onlyRow().value()).isEqualTo(TUESDAY);
  }

  @Test
  void advance_withALogStoreOfTheUsers_isMergedBySpark() {
    advance(1, StoredStream.none(), MONDAY);
    spark.conf().set("spark.delta.logStore.other.impl", "a.LogStore");

    try {
      advance(2, onlyRow(), TUESDAY);
    } finally {
      spark.conf().unset("spark.delta.logStore.other.impl");
    }

    assertThat(lastOperation()).isEqualTo("MERGE");
    assertThat(onlyRow().value()).isEqualTo(TUESDAY);
  }

  private String lastOperation() {
    return spark.sql("DESCRIBE HISTORY " + table + " LIMIT 1").first().getAs("operation");
  }

  @Test
  void advance_manyTimes_writesCheckpointsForWhoReadsLater() throws IOException {
    for (int number = 1; number <= 10; number++) {
      advance(
          number,
          number == 1 ? StoredStream.none() : onlyRow(),
          Watermark.at(Instant.EPOCH.plusSeconds(number)));
    }

    assertThat(Path.of(URI.create(DeltaRef.forName(spark, table).location().orElseThrow())))
        .isDirectoryRecursivelyContaining("glob:**00010.checkpoint*.parquet");
    assertThat(shown("last_value")).containsExactly(List.of(Instant.EPOCH.plusSeconds(10)));
  }

  @Test
  void advance_toTheStart_writesNull() {
    advance(1, StoredStream.none(), Watermark.of(5));
    move(store, 2, Direction.ANYWHERE, onlyRow(), Watermark.start());

    assertThat(onlyRow().value()).isEqualTo(Watermark.start());
    assertThat(shown("last_value", "typed_value")).containsExactly(List.of("null", "null"));
  }

  @Test
  void advance_fromAStaleRow_failsAndChangesNothing() {
    advance(1, StoredStream.none(), MONDAY);
    StoredStream read = onlyRow();
    advance(2, read, TUESDAY);
    long before = version(table);

    assertThatThrownBy(() -> advance(3, read, WEDNESDAY))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN))
        .hasMessage(
            "Cannot move the watermark in %s: row 'orders' holds 2026-06-30T23:59:59.999999Z"
                + " (written 2026-07-02T06:30:00.000001Z), not 2026-06-29T23:59:59.123456Z (written"
                + " 2026-07-02T06:30:00.000001Z) as read. Run the load again, and let only one run"
                + " at a time be scheduled.",
            table);
    assertThat(version(table)).isEqualTo(before);
    assertThat(store.last(ORDERS, ONLY).number()).isEqualTo(2);
  }

  @Test
  void advance_ofARowThatIsGone_failsAndChangesNothing() {
    advance(1, StoredStream.none(), MONDAY);
    StoredStream read = onlyRow();
    spark.sql("DELETE FROM " + table + " WHERE table_name = 'orders'");
    long before = version(table);

    assertThatThrownBy(() -> advance(2, read, TUESDAY))
        .hasMessageContaining("row 'orders' holds the start, not 2026-06-29T23:59:59.123456Z");
    assertThat(version(table)).isEqualTo(before);
    assertThat(store.last(ORDERS, ONLY).highest()).isEqualTo(1);
  }

  @Test
  void advance_ofARowThatIsEditedAfterTheLastLook_failsAndKeepsTheEdit() {
    advance(1, StoredStream.none(), MONDAY);
    StoredStream read = onlyRow();
    store = store.timedBy(new EditingClock());

    assertThatThrownBy(() -> advance(2, read, TUESDAY))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN));
    assertThat(onlyRow().value()).isEqualTo(WEDNESDAY);
  }

  /** Edits the row when it is asked for the time, between the store's look and its commit. */
  private final class EditingClock extends Clock {
    private boolean hasEdited;

    @Override
    public Instant instant() {
      if (!hasEdited) {
        hasEdited = true;
        spark.sql("UPDATE " + table + " SET last_value = TIMESTAMP '2026-07-01T08:00:00Z'");
      }

      return NOW;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  @Test
  void advance_withANumberSeenBefore_failsAndChangesNothing() {
    advance(1, StoredStream.none(), MONDAY);
    long before = version(table);

    assertThatThrownBy(() -> advance(1, onlyRow(), TUESDAY))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.CONCURRENT_RUN))
        .hasMessage(
            "Cannot move the watermark in %s: run 1 of load 'orders' has moved it already. Run the"
                + " load again, and let only one run at a time be scheduled.",
            table);
    assertThat(version(table)).isEqualTo(before);
    assertThat(onlyRow().value()).isEqualTo(MONDAY);
  }

  @Test
  void last_afterAChangeByHand_isWhatThePersonWrote() {
    advance(1, StoredStream.none(), TUESDAY);
    spark.sql(
        "UPDATE "
            + table
            + " SET last_value = TIMESTAMP '2026-06-29 23:59:59.123456Z' WHERE table_name ="
            + " 'orders'");
    StoredStream edited = onlyRow();
    advance(2, edited, WEDNESDAY);

    assertThat(edited.value()).isEqualTo(MONDAY);
    assertThat(edited.isAsTheRunLeftIt()).isFalse();
    assertThat(onlyRow().value()).isEqualTo(WEDNESDAY);
  }

  @Test
  void last_afterATypedValueWasChangedByHand_isWhatThePersonWrote() {
    advance(1, StoredStream.none(), Watermark.of(500));
    spark.sql("UPDATE " + table + " SET typed_value = 'integer:100' WHERE table_name = 'orders'");

    assertThat(onlyRow().value()).isEqualTo(Watermark.of(100));
  }

  @Test
  void last_withBothColumnsFilled_saysThatOnlyOneMayBe() {
    advance(1, StoredStream.none(), Watermark.of(500));
    spark.sql("UPDATE " + table + " SET last_value = TIMESTAMP '2026-01-01 00:00:00Z'");

    assertThatThrownBy(this::onlyRow)
        .hasMessage(
            "Cannot tell what row 'orders' of %s says: column 'last_value' holds"
                + " 2026-01-01T00:00:00Z and column 'typed_value' holds 'integer:500', and only one"
                + " of them may be filled. Set the other one to null.",
            table);
  }

  @Test
  void last_withATypedValueOfNoKind_saysWhatToWrite() {
    advance(1, StoredStream.none(), Watermark.of(500));
    spark.sql("UPDATE " + table + " SET typed_value = '400'");

    assertThatThrownBy(this::onlyRow)
        .hasMessage(
            "Cannot tell what row 'orders' of %s says: column 'typed_value' holds '400', which is"
                + " no watermark. Write the kind before it, such as 'integer:42' or"
                + " 'timestamp:2026-07-01T00:00:00Z'.",
            table);
  }

  @Test
  void last_withTwoRowsOfOneLoad_namesTheValues() {
    advance(1, StoredStream.none(), MONDAY);
    spark.sql(
        "INSERT INTO "
            + table
            + " (table_name, last_value) VALUES ('orders', TIMESTAMP '2026-07-01 08:00:00Z')");

    assertThatThrownBy(this::onlyRow)
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.MULTIPLE_WATERMARK_ROWS))
        .hasMessage(
            "Cannot tell how far load 'orders' got: %s has 2 rows of name 'orders', holding"
                + " 2026-06-29T23:59:59.123456Z and 2026-07-01T08:00:00Z. Delete all of them but"
                + " the one that is true.",
            table);
  }

  @Test
  void advance_ofSeveralStreams_isOneCommit() {
    advanceBoth(1, StoredStream.none(), StoredStream.none(), MONDAY, Watermark.of(1));
    StoredWatermarks first = store.last(ORDERS, Set.of(ACTIVE, ARCHIVE));
    advanceBoth(2, first.stream(ACTIVE), first.stream(ARCHIVE), TUESDAY, Watermark.of(2));
    StoredWatermarks second = store.last(ORDERS, Set.of(ACTIVE, ARCHIVE));

    assertThat(version(table)).isEqualTo(2);
    assertThat(first.value(ACTIVE)).isEqualTo(MONDAY);
    assertThat(second.value(ACTIVE)).isEqualTo(TUESDAY);
    assertThat(second.value(ARCHIVE)).isEqualTo(Watermark.of(2));
    assertThat(shown("table_name").stream().map(row -> row.get(0)))
        .containsExactlyInAnyOrder("orders[active]", "orders[archive]");
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void advance_ofSeveralStreamsOfWhichOneIsStale_movesNone() {
    advanceBoth(1, StoredStream.none(), StoredStream.none(), MONDAY, MONDAY);
    StoredWatermarks read = store.last(ORDERS, Set.of(ACTIVE, ARCHIVE));
    spark.sql("UPDATE " + table + " SET last_value = NULL WHERE table_name = 'orders[archive]'");

    assertThatThrownBy(
            () -> advanceBoth(2, read.stream(ACTIVE), read.stream(ARCHIVE), TUESDAY, TUESDAY))
        .hasMessageContaining("row 'orders[archive]' holds the start");
    assertThat(store.last(ORDERS, Set.of(ACTIVE, ARCHIVE)).value(ACTIVE)).isEqualTo(MONDAY);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void advance_ofOneStreamThatIsThereAndOneThatIsNot_isOneCommit() {
    advanceBoth(1, StoredStream.none(), StoredStream.none(), MONDAY, MONDAY);
    spark.sql("DELETE FROM " + table + " WHERE table_name = 'orders[archive]'");
    StoredWatermarks read = store.last(ORDERS, Set.of(ACTIVE, ARCHIVE));
    long before = version(table);
    advanceBoth(2, read.stream(ACTIVE), read.stream(ARCHIVE), TUESDAY, WEDNESDAY);

    assertThat(version(table)).isEqualTo(before + 1);
    assertThat(store.last(ORDERS, Set.of(ACTIVE, ARCHIVE)).value(ARCHIVE)).isEqualTo(WEDNESDAY);
  }

  @Test
  void store_inATableOfTheSeedNotebook_worksAsItIs() {
    spark.sql(
        "CREATE TABLE "
            + table
            + " (table_name STRING, last_value TIMESTAMP, updated_at TIMESTAMP) USING delta");
    spark.sql(
        "INSERT INTO "
            + table
            + " VALUES ('orders', TIMESTAMP '1900-01-01 00:00:00Z', TIMESTAMP '2026-01-01"
            + " 00:00:00Z'), ('customers', TIMESTAMP '1900-01-01 00:00:00Z', NULL)");
    StoredStream seeded = onlyRow();
    advance(1, seeded, MONDAY);

    assertThat(seeded.value()).isEqualTo(Watermark.at(Instant.parse("1900-01-01T00:00:00Z")));
    assertThat(onlyRow().value()).isEqualTo(MONDAY);
    assertThat(onlyRow().isAsTheRunLeftIt()).isFalse();
    assertThat(store.last(ORDERS, ONLY).number()).isEqualTo(1);
    assertThat(spark.table(table).columns()).hasSize(3);
    assertThatThrownBy(() -> preflight(store, Watermark.of(7)))
        .hasMessage(
            "Cannot keep watermark 7 in %s: column 'last_value' of type TIMESTAMP cannot hold this"
                + " value of kind integer exactly. Add a column of text for such watermarks (ALTER"
                + " TABLE .. ADD COLUMN typed_value STRING); in a table of other make, name one with"
                + " typedColumn(..).",
            table);
  }

  @Test
  void store_inATableOfOtherMake_usesTheNamedColumnsAndLetsTheOthersBe() {
    String control = lakehouse.table("load_control");
    spark.sql(
        "CREATE TABLE "
            + control
            + " (Id INT, TableName STRING, LastWatermark TIMESTAMP, Owner STRING) USING delta");
    spark.sql(
        "INSERT INTO " + control + " VALUES (1, 'orders', NULL, 'Ann'), (2, 'x', NULL, 'Bo')");
    DeltaWatermarkStore given =
        DeltaWatermarkStore.forName(spark, control)
            .nameColumn("tablename")
            .valueColumn("LastWatermark");
    StoredStream before = onlyRow(given);
    advance(given, 1, before, MONDAY);
    StoredStream after = onlyRow(given);
    advance(given, 2, after, TUESDAY);

    assertThat(before).isEqualTo(StoredStream.none());
    assertThat(after.value()).isEqualTo(MONDAY);
    assertThat(onlyRow(given).value()).isEqualTo(TUESDAY);
    assertThat(shownOf(control, "Id", "TableName", "LastWatermark", "Owner"))
        .containsExactlyInAnyOrder(
            List.of(1L, "orders", instant(TUESDAY), "Ann"), List.of(2L, "x", "null", "Bo"));
  }

  @Test
  void store_inATableOfOtherMakeWithoutARow_insertsOne() {
    String control = lakehouse.table("load_control");
    spark.sql("CREATE TABLE " + control + " (TableName STRING, LastWatermark BIGINT) USING delta");
    DeltaWatermarkStore given =
        DeltaWatermarkStore.forName(spark, control)
            .nameColumn("TableName")
            .valueColumn("LastWatermark");
    advance(given, 1, StoredStream.none(), Watermark.of(41));
    advance(given, 2, onlyRow(given), Watermark.of(42));

    assertThat(shownOf(control, "TableName", "LastWatermark"))
        .containsExactly(List.of("orders", 42L));
  }

  @Test
  void store_withARowPerSourceTable_namesRowsByStream() {
    String synchdates = lakehouse.table("synchdates");
    spark.sql(
        "CREATE TABLE " + synchdates + " (REAPITTABLE STRING, SYNCHDATE TIMESTAMP) USING delta");
    spark.sql(
        "INSERT INTO "
            + synchdates
            + " VALUES ('active', TIMESTAMP '2026-06-29 23:59:59.123456Z')");
    DeltaWatermarkStore given =
        DeltaWatermarkStore.forName(spark, synchdates)
            .nameColumn("REAPITTABLE")
            .valueColumn("SYNCHDATE")
            .rowsNamedByStream();
    StoredWatermarks read = given.last(ORDERS, Set.of(ACTIVE, ARCHIVE));
    given.advance(
        new Advance(
            identity(given),
            1,
            Direction.FORWARD,
            List.of(
                streamMove(ACTIVE, read.stream(ACTIVE), TUESDAY, 1),
                streamMove(ARCHIVE, read.stream(ARCHIVE), WEDNESDAY, 1))));

    assertThat(read.value(ACTIVE)).isEqualTo(MONDAY);
    assertThat(shownOf(synchdates, "REAPITTABLE", "SYNCHDATE"))
        .containsExactlyInAnyOrder(
            List.of("active", instant(TUESDAY)), List.of("archive", instant(WEDNESDAY)));
  }

  static Stream<Arguments> valueColumns() {
    return Stream.of(
            Arguments.of(
                "TIMESTAMP_NTZ",
                WatermarkKind.LOCAL_TIMESTAMP,
                Watermark.at(LocalDateTime.parse("2026-03-29T02:30:00.000001")),
                "2026-03-29 02:30:00.000001"),
            Arguments.of("STRING", WatermarkKind.TEXT, Watermark.of("b "), "b "),
            Arguments.of(
                "DECIMAL(20,0)",
                WatermarkKind.INTEGER,
                Watermark.of(Long.MAX_VALUE),
                "9223372036854775807"),
            Arguments.of("SMALLINT", WatermarkKind.VERSION, Watermark.ofVersion(32767), "32767"))
        .limit(Boolean.getBoolean("strandline.extended") ? 4 : 2);
  }

  @ParameterizedTest
  @MethodSource("valueColumns")
  void store_withAValueColumnOfAnyType_writesItsValuesAndReadsThemBack(
      String type, WatermarkKind kind, Watermark to, String shown) {
    String control = lakehouse.table("processes");
    spark.sql("CREATE TABLE " + control + " (Name STRING, V " + type + ") USING delta");
    DeltaWatermarkStore given =
        DeltaWatermarkStore.forName(spark, control).nameColumn("Name").valueColumn("V", kind);
    spark.conf().set("spark.sql.session.timeZone", "America/New_York");
    advance(given, 1, StoredStream.none(), to);
    advance(given, 2, onlyRow(given), to);

    assertThat(onlyRow(given).value()).isEqualTo(to);
    assertThat(spark.table(control).selectExpr("cast(V AS STRING)").head().getString(0))
        .isEqualTo(shown);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void store_withTextOfNoKind_readsWhatSaysItsKindAndExplainsWhatDoesNot() {
    String control = lakehouse.table("processes");
    spark.sql("CREATE TABLE " + control + " (Name STRING, WatermarkValue STRING) USING delta");
    DeltaWatermarkStore given =
        DeltaWatermarkStore.forName(spark, control)
            .nameColumn("Name")
            .valueColumn("WatermarkValue");
    advance(given, 1, StoredStream.none(), TUESDAY);
    StoredStream written = onlyRow(given);
    spark.sql("UPDATE " + control + " SET WatermarkValue = '2026-01-01 00:00:00'");

    assertThat(written.value()).isEqualTo(TUESDAY);
    assertThatThrownBy(() -> onlyRow(given))
        .hasMessage(
            "Cannot tell what row 'orders' of %s says: column 'WatermarkValue' holds '2026-01-01"
                + " 00:00:00', which is no watermark. Write the kind before it, such as"
                + " 'integer:42' or 'timestamp:2026-07-01T00:00:00Z', or say what the text stands"
                + " for with valueColumn(\"WatermarkValue\", WatermarkKind.LOCAL_TIMESTAMP) or"
                + " whichever kind it is.",
            control);
  }

  @Test
  void preflight_withAWatermarkFinerThanTheColumn_refusesItUnlessThereIsRoomElsewhere() {
    String control = lakehouse.table("processes");
    spark.sql("CREATE TABLE " + control + " (Name STRING, V DATE, T STRING) USING delta");
    DeltaWatermarkStore given =
        DeltaWatermarkStore.forName(spark, control).nameColumn("Name").valueColumn("V");

    assertThatThrownBy(() -> preflight(given, TUESDAY))
        .hasMessageContaining("column 'V' of type DATE cannot hold this value of kind timestamp");
    preflight(given.typedColumn("T"), TUESDAY);
    preflight(given, Watermark.on(LocalDate.parse("2026-07-01")));
  }

  @Test
  void last_withANearMissOfAColumn_suggestsIt() {
    spark.sql("CREATE TABLE " + table + " (TableName STRING, LastWatermark TIMESTAMP) USING delta");
    DeltaWatermarkStore given = store.nameColumn("TableName").valueColumn("LastWatermrak");

    assertThatThrownBy(() -> onlyRow(given))
        .hasMessage(
            "Cannot keep watermarks in %s: the table has no column 'LastWatermrak'; its columns are"
                + " TableName, LastWatermark. Name a column that it has. Did you mean"
                + " 'LastWatermark'?",
            table);
    assertThatThrownBy(this::onlyRow)
        .hasMessageContaining("Name its columns with nameColumn(..) and valueColumn(..).");
  }

  @Test
  void last_withAValueColumnOfAnUnsuitableType_saysSo() {
    spark.sql("CREATE TABLE " + table + " (n STRING, v DOUBLE) USING delta");

    assertThatThrownBy(() -> onlyRow(store.nameColumn("n").valueColumn("v")))
        .hasMessage(
            "Cannot keep watermarks in %s: column 'v' is of type DOUBLE, not a timestamp, a date, a"
                + " whole or decimal number, or text. Name another column, or change its type.",
            table);
    assertThatThrownBy(() -> onlyRow(store.nameColumn("v").valueColumn("n")))
        .hasMessageContaining("column 'v' is of type DOUBLE, not text");
    assertThatThrownBy(() -> onlyRow(store.nameColumn("n").valueColumn("v", WatermarkKind.INTEGER)))
        .hasMessageContaining("not one that holds watermarks of kind integer");
  }

  @Test
  void last_ofATableOfOtherMakeThatIsMissing_failsAndMakesNone() {
    DeltaWatermarkStore given = store.nameColumn("n").valueColumn("v");

    assertThatThrownBy(() -> onlyRow(given)).hasMessageContaining("there is no table");
    assertThatThrownBy(given::identity).hasMessageContaining("there is no table");
    assertThat(spark.catalog().tableExists(table)).isFalse();
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void advance_afterTheTableWasMadeAnew_fails() {
    LoadIdentity identity = identity(store);
    spark.sql("DROP TABLE " + table);

    assertThatThrownBy(
            () ->
                store.advance(
                    new Advance(
                        identity,
                        1,
                        Direction.FORWARD,
                        List.of(streamMove(StreamName.only(), StoredStream.none(), MONDAY, 1)))))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.CONTRADICTION));
  }

  @Test
  void advance_ofEightLoadsAtOnceFromNoTable_movesThemAll() throws Exception {
    advanceEightLoadsAtOnce(i -> store, 2);

    assertThat(shown("table_name", "last_value")).hasSize(8);
  }

  @Test
  void advance_ofEightLoadsAtOnceThatDoNotWaitForEachOther_movesThemAll() throws Exception {
    store.identity();
    DeltaWatermarkStore inFolder =
        DeltaWatermarkStore.forPath(spark, DeltaRef.forName(spark, table).location().orElseThrow());
    advanceEightLoadsAtOnce(i -> i % 2 == 0 ? store : inFolder, 2);

    assertThat(shown("table_name", "last_value")).hasSize(8);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void advance_ofEightLoadsAtOnceInAnUnpartitionedTable_movesThemAll() throws Exception {
    String control = lakehouse.table("load_control");
    spark.sql(
        "CREATE TABLE " + control + " (TableName STRING, LastWatermark TIMESTAMP) USING delta");
    DeltaWatermarkStore given =
        DeltaWatermarkStore.forName(spark, control)
            .nameColumn("TableName")
            .valueColumn("LastWatermark");
    spark.sql("INSERT INTO " + control + " SELECT 'load ' || id, NULL FROM range(4)");
    advanceEightLoadsAtOnce(i -> given, 1);

    assertThat(shownOf(control, "TableName", "LastWatermark")).hasSize(8);
  }

  @Test
  void advance_ofOneRunByFourThreadsAtOnce_succeedsOnce() throws Exception {
    advance(1, StoredStream.none(), MONDAY);
    StoredStream read = onlyRow();
    List<Problem> problems =
        atOnce(
            4,
            i -> {
              try {
                advance(2, read, TUESDAY);
                return List.of();
              } catch (Problem e) {
                return List.of(e);
              }
            });

    assertThat(problems).hasSize(3);
    assertThat(problems).allMatch(e -> e.kind() == ProblemKind.CONCURRENT_RUN);
    assertThat(version(table)).isEqualTo(2);
  }

  private static void advanceEightLoadsAtOnce(IntFunction<DeltaWatermarkStore> stores, int times)
      throws Exception {
    List<Watermark> stored =
        atOnce(
            8,
            i -> {
              LoadName load = new LoadName("load " + i);
              DeltaWatermarkStore shared = stores.apply(i);

              for (int number = 1; number <= times; number++) {
                StoredStream read = shared.last(load, ONLY).stream(StreamName.only());
                Watermark to = number == times ? TUESDAY : MONDAY;
                shared.advance(
                    new Advance(
                        LoadIdentity.of(shared.identity(), load),
                        number,
                        Direction.FORWARD,
                        List.of(streamMove(StreamName.only(), read, to, number))));
              }

              return List.of(shared.last(load, ONLY).value(StreamName.only()));
            });

    assertThat(stored).hasSize(8).containsOnly(TUESDAY);
  }

  private interface Work<T> {
    List<T> of(int thread);
  }

  private static <T> List<T> atOnce(int threads, Work<T> work) throws Exception {
    CyclicBarrier start = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);

    try {
      List<Future<List<T>>> running = new ArrayList<>();

      for (int i = 0; i < threads; i++) {
        int thread = i;
        running.add(
            pool.submit(
                () -> {
                  start.await();
                  return work.of(thread);
                }));
      }

      List<T> done = new ArrayList<>();

      for (Future<List<T>> result : running) {
        done.addAll(result.get());
      }

      return done;
    } finally {
      pool.shutdownNow();
    }
  }

  private void advance(long number, StoredStream from, Watermark to) {
    advance(store, number, from, to);
  }

  private static void advance(
      DeltaWatermarkStore in, long number, StoredStream from, Watermark to) {
    move(in, number, Direction.FORWARD, from, to);
  }

  private static void move(
      DeltaWatermarkStore in, long number, Direction direction, StoredStream from, Watermark to) {
    in.advance(
        new Advance(
            identity(in),
            number,
            direction,
            List.of(streamMove(StreamName.only(), from, to, number))));
  }

  private void advanceBoth(
      long number, StoredStream active, StoredStream archive, Watermark one, Watermark other) {
    store.advance(
        new Advance(
            identity(store),
            number,
            Direction.FORWARD,
            List.of(
                streamMove(ACTIVE, active, one, number),
                streamMove(ARCHIVE, archive, other, number))));
  }

  private static StreamMove streamMove(
      StreamName stream, StoredStream from, Watermark to, long number) {
    return new StreamMove(stream, from, to, state(number, to));
  }

  private static StoreState state(long number, Watermark value) {
    return new StoreState(
        number,
        value,
        new TableSnapshot("source", 3),
        Remainder.NONE,
        new TableSnapshot("target", number),
        "by \"id\"");
  }

  private static StoredStream row(Watermark value, StoreState state) {
    return new StoredStream(value, NOW, state);
  }

  private static LoadIdentity identity(DeltaWatermarkStore in) {
    return LoadIdentity.of(in.identity(), ORDERS);
  }

  private static void preflight(DeltaWatermarkStore in, Watermark next) {
    in.preflight(
        ORDERS,
        List.of(
            new StreamRange(
                StreamName.only(),
                Watermark.start(),
                new WatermarkRange(Watermark.start(), Bound.INCLUSIVE, next),
                next)));
  }

  private StoredStream onlyRow() {
    return onlyRow(store);
  }

  private static StoredStream onlyRow(DeltaWatermarkStore in) {
    return in.last(ORDERS, ONLY).stream(StreamName.only());
  }

  private static Instant instant(Watermark watermark) {
    return ((Watermark.Timestamp) watermark).value();
  }

  private long version(String of) {
    return spark.sql("DESCRIBE HISTORY " + of + " LIMIT 1").head().getLong(0);
  }

  private List<List<Object>> shown(String... columns) {
    return shownOf(table, columns);
  }

  /** Returns rows as a person sees them, a null as a word. */
  private List<List<Object>> shownOf(String of, String... columns) {
    Rows rows = Lakehouse.collect(spark.table(of).selectExpr(columns));
    return rows.stream()
        .map(
            row ->
                Arrays.stream(columns)
                    .map(column -> row.get(column) == null ? (Object) "null" : row.get(column))
                    .toList())
        .toList();
  }
}
