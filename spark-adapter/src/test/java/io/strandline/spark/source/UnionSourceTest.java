package io.strandline.spark.source;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.problem.Problem;
import io.strandline.source.Cursor;
import io.strandline.source.ReadCounts;
import io.strandline.source.SourcePlan;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.target.TableLayout;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.DeleteSweep;
import io.strandline.testkit.contract.MergeTargetContract;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoreState;
import io.strandline.watermark.StoredStream;
import io.strandline.watermark.StoredWatermarks;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class UnionSourceTest {
  private static final String SCHEMA = "id BIGINT, name STRING, synced TIMESTAMP";
  private static final String MONDAY = "2026-06-01T08:00:00Z";
  private static final String TUESDAY = "2026-06-02T08:00:00Z";
  private static final String WEDNESDAY = "2026-06-03T08:00:00Z";
  private static final StreamName LOOKUP = new StreamName("LOOKUP");
  private static final StreamName ARCHIVE = new StreamName("LOOKUP_PP");

  private Lakehouse tables;

  @BeforeEach
  void take(Lakehouse lakehouse) {
    tables = lakehouse;
  }

  @Test
  void run_ofStreamsInATableOfOtherMake_movesARowPerStreamInOneCommit() {
    land("lookup", 1, MONDAY);
    land("lookup", 2, TUESDAY);
    land("lookup_pp", 7, MONDAY);
    tables
        .spark()
        .sql("CREATE TABLE SYNCHDATES (REAPITTABLE STRING, SYNCHDATE TIMESTAMP) USING delta");
    tables
        .spark()
        .sql("INSERT INTO SYNCHDATES VALUES ('LOOKUP', timestamp'" + TUESDAY + "'), ('CNT', null)");
    IncrementalLoad<Dataset<Row>> load = load();

    // An operator's row is obeyed; the stream without one begins at its beginning.
    assertThat(load.run()).read(2).inserted(2).addsUp();
    assertThat(tables.spark().table("SYNCHDATES"))
        .hasRows(
            Rows.columns("REAPITTABLE", "SYNCHDATE")
                .row("LOOKUP", Instant.parse(TUESDAY))
                .row("LOOKUP_PP", Instant.parse(MONDAY))
                .row("CNT", null));
    assertThat(commits("SYNCHDATES")).isEqualTo(3);

    // The archive lags: what it brings lies below the other's watermark, and is not lost.
    land("lookup_pp", 8, "2026-06-01T20:00:00Z");
    assertThat(load.run()).inserted(1).advancedTo(LOOKUP, at(TUESDAY)).addsUp();
    assertThat(load.run()).foundNothingNew();
    assertThat(commits("SYNCHDATES")).isEqualTo(4);
    assertThat(Follower.ids(tables.spark().table("ods_lookup"))).containsExactly(2L, 7L, 8L);
  }

  @Test
  @Tag(MergeTargetContract.THOROUGH)
  void sweep_ofStreams_deletesWhatNoneOfThemHas() {
    land("lookup", 1, MONDAY);
    land("lookup", 2, MONDAY);
    land("lookup_pp", 7, MONDAY);
    land("lookup_pp", 8, MONDAY);
    IncrementalLoad<Dataset<Row>> load =
        builder()
            .trackedIn(DeltaWatermarkStore.forName(tables.spark(), "etl_watermark"))
            .swept(DeleteSweep.everyRun())
            .build();
    load.run();
    tables.spark().sql("DELETE FROM lookup WHERE id = 2");
    tables.spark().sql("DELETE FROM lookup_pp WHERE id = 7");
    land("lookup_pp", 2, TUESDAY);

    LoadResult result = load.run();

    assertThat(result).addsUp();
    assertThat(result.counts().swept()).isEqualTo(1);
    assertThat(Follower.ids(tables.spark().table("ods_lookup"))).containsExactly(1L, 2L, 8L);
  }

  private IncrementalLoad<Dataset<Row>> load() {
    return builder()
        .trackedIn(
            DeltaWatermarkStore.forName(tables.spark(), "SYNCHDATES")
                .nameColumn("REAPITTABLE")
                .valueColumn("SYNCHDATE")
                .rowsNamedByStream())
        .build();
  }

  private IncrementalLoad.Builder<Dataset<Row>> builder() {
    return IncrementalLoad.named("lookup")
        .from(
            UnionSource.of(
                    LOOKUP.value(),
                    DeltaTableSource.forName(tables.spark(), "lookup").newerBy("synced"))
                .and(
                    ARCHIVE.value(),
                    QuerySource.named(
                            "lookup_pp",
                            () -> tables.spark().table("lookup_pp").select("synced", "name", "id"))
                        .newerBy("synced")))
        .into(
            DeltaMergeTarget.forName(tables.spark(), "ods_lookup")
                .matchedOn("id")
                .createdIfMissing(TableLayout.plain()));
  }

  private long commits(String table) {
    return tables.spark().sql("DESCRIBE HISTORY " + table).count();
  }

  private void land(String table, long id, String synced) {
    tables.append(table, rows(id, synced));
  }

  private Dataset<Row> rows(long id, String synced) {
    return tables.dataset(SCHEMA, RowFactory.create(id, "name of " + id, synced));
  }

  private QuerySource query(String name, Dataset<Row> rows) {
    return QuerySource.named(name, () -> rows).newerBy("synced");
  }

  private static Watermark at(String instant) {
    return Watermark.at(Instant.parse(instant));
  }

  private static StoredWatermarks stored(Watermark lookup, Watermark archive) {
    return new StoredWatermarks(
        new LoadName("lookup"),
        0,
        new TreeMap<>(Map.of(LOOKUP, row(lookup), ARCHIVE, row(archive))));
  }

  private static StoredStream row(Watermark value) {
    return new StoredStream(value, Instant.EPOCH, StoreState.none());
  }

  @SuppressWarnings("unchecked")
  private static SourcePlan.Planned<Dataset<Row>> planned(SourcePlan<?> plan) {
    return (SourcePlan.Planned<Dataset<Row>>) plan;
  }

  @Test
  void plan_ofABusyAnIdleAndAWaitingStream_tellsOfEach() {
    Clock noon = Clock.fixed(Instant.parse("2026-06-03T12:00:00Z"), ZoneOffset.UTC);
    Cursor settled = Cursor.on("synced").settledFor(Duration.ofHours(6));
    UnionSource busyAndWaiting =
        UnionSource.of(LOOKUP.value(), query("lookup", rows(1, TUESDAY)))
            .and(
                ARCHIVE.value(),
                QuerySource.named("lookup_pp", () -> rows(7, WEDNESDAY))
                    .newerBy(settled)
                    .timedBy(noon));

    SourcePlan.Planned<Dataset<Row>> plan =
        planned(busyAndWaiting.plan(stored(at(MONDAY), at(TUESDAY))));
    SourcePlan<Dataset<Row>> idle = busyAndWaiting.plan(stored(at(WEDNESDAY), at(TUESDAY)));

    assertThat(plan.explanation())
        .isEqualTo(
            "LOOKUP: Reads 1 row of lookup with synced in [2026-06-01T08:00:00Z,"
                + " 2026-06-02T08:00:00Z] and moves the watermark from 2026-06-01T08:00:00Z to"
                + " 2026-06-02T08:00:00Z. LOOKUP_PP: lookup_pp has no rows with synced from"
                + " 2026-06-02T08:00:00Z on that have settled; 1 row waits until it has existed for"
                + " PT6H.");
    assertThat(plan.remainder()).isEqualTo(Remainder.WAITING);
    assertThat(plan.waiting()).isEqualTo(1);
    assertThat(idle)
        .isEqualTo(
            new SourcePlan.NothingNew<>(
                "LOOKUP: lookup has no rows with synced from 2026-06-03T08:00:00Z on. LOOKUP_PP:"
                    + " lookup_pp has no rows with synced from 2026-06-02T08:00:00Z on that have"
                    + " settled; 1 row waits until it has existed for PT6H",
                1));
  }

  @Test
  void read_ofStreamsThatOrderTheirColumnsDifferently_matchesThemByName() {
    UnionSource union =
        UnionSource.of(LOOKUP.value(), query("lookup", rows(1, TUESDAY)))
            .and(
                ARCHIVE.value(),
                query("lookup_pp", rows(7, MONDAY).select("synced", "Name", "id")));

    SourcePlan.Planned<Dataset<Row>> plan =
        planned(union.plan(stored(Watermark.start(), at(MONDAY))));

    assertThat(plan.read().rows())
        .hasRows(
            Rows.columns("id", "name", "synced")
                .row(1L, "name of 1", Instant.parse(TUESDAY))
                .row(7L, "name of 7", Instant.parse(MONDAY)));
    assertThat(plan.read().counts().get()).isEqualTo(ReadCounts.of(2));
  }

  @Test
  void read_ofStreamsWithLateRows_countsThoseOfEach() {
    Cursor aDayBack = Cursor.on("synced").lookback(Duration.ofDays(2));
    Dataset<Row> active = rows(1, TUESDAY).unionByName(rows(2, WEDNESDAY));
    Dataset<Row> archive = rows(7, MONDAY).unionByName(rows(8, TUESDAY));
    UnionSource union =
        UnionSource.of(LOOKUP.value(), QuerySource.named("lookup", () -> active).newerBy(aDayBack))
            .and(ARCHIVE.value(), QuerySource.named("lookup_pp", () -> archive).newerBy(aDayBack));

    SourcePlan.Planned<Dataset<Row>> plan = planned(union.plan(stored(at(WEDNESDAY), at(TUESDAY))));

    assertThat(plan.read().counts().get()).isEqualTo(new ReadCounts(4, 2, at(MONDAY)));
  }

  @Test
  void read_ofStreamsWithDifferentColumns_saysWhichDiffer() {
    UnionSource union =
        UnionSource.of(LOOKUP.value(), query("lookup", rows(1, TUESDAY)))
            .and(
                ARCHIVE.value(),
                query(
                    "lookup_pp",
                    rows(7, MONDAY).selectExpr("CAST(id AS INT) AS id", "synced", "1 AS extra")));
    SourcePlan.Planned<Dataset<Row>> plan =
        planned(union.plan(stored(Watermark.start(), Watermark.start())));

    assertThatThrownBy(plan::read)
        .isInstanceOf(Problem.class)
        .hasMessage(
            "Cannot read the streams 'LOOKUP' and 'LOOKUP_PP' as one: column 'id' is bigint in"
                + " 'LOOKUP' and int in 'LOOKUP_PP', and column 'name' is missing in 'LOOKUP_PP',"
                + " and column 'extra' is missing in 'LOOKUP'. Read one of them as a QuerySource"
                + " that selects the columns of the other.");
  }

  @Test
  void planBackfill_ofOneStream_readsThatOneAlone() {
    UnionSource union =
        UnionSource.of(LOOKUP.value(), query("lookup", rows(1, TUESDAY)))
            .and(ARCHIVE.value(), query("lookup_pp", rows(7, MONDAY)));
    WatermarkRange all = new WatermarkRange(Watermark.start(), Bound.EXCLUSIVE, at(WEDNESDAY));

    SourcePlan.Planned<Dataset<Row>> plan = planned(union.planBackfill(ARCHIVE, all));

    assertThat(plan.ranges()).singleElement().matches(range -> range.stream().equals(ARCHIVE));
    assertThat(Follower.ids(plan.read().rows())).containsExactly(7L);
    assertThatThrownBy(() -> union.planBackfill(StreamName.only(), all))
        .hasMessage(
            "Cannot read the union of lookup, lookup_pp: it has no stream ''. Its streams are"
                + " LOOKUP, LOOKUP_PP.");
  }

  @Test
  void union_describesItselfAndItsMistakes() {
    QuerySource bySynced = query("lookup", rows(1, TUESDAY));
    QuerySource byId = QuerySource.named("lookup_pp", () -> rows(7, MONDAY)).newerBy("id");
    UnionSource same = UnionSource.of("a", bySynced).and("b", query("lookup_pp", rows(7, MONDAY)));
    UnionSource mixed = UnionSource.of("a", bySynced).and("b", byId);

    assertThat(same.declaration()).isEqualTo("newer by synced");
    assertThat(same.watermarkColumns()).containsExactly("synced");
    assertThat(mixed.declaration()).isEqualTo("a newer by synced, b newer by id");
    assertThat(mixed.watermarkColumns()).isEmpty();
    assertThat(mixed)
        .hasToString("the union of a: lookup newer by synced, b: lookup_pp newer by id");
    assertThatThrownBy(() -> mixed.and("a", byId)).hasMessage("Cannot name two streams 'a'.");
    assertThatThrownBy(() -> mixed.and(" ", byId)).hasMessage("Cannot name a stream ' ': no name.");
    assertThatThrownBy(() -> mixed.and("c", same))
        .hasMessage(
            "Cannot read the union of lookup, lookup_pp as stream 'c': it has streams of its own."
                + " Add each of them to this union.");
  }
}
